/** The built-in conditions. They see the session as it is after the routed envelope. */

import {
  type Condition,
  canonicalJson,
  type Envelope,
  type Json,
  type JsonObject,
  type RuleRef,
} from 'parley-hub/core';
import { isObject } from '../parts/field-error.ts';
import * as rules from '../parts/rule-args.ts';

const OPERATORS = ['==', '!=', '<', '<=', '>', '>='] as const;
export type Operator = (typeof OPERATORS)[number];

const anOperator: rules.ArgRule = { expected: `one of ${OPERATORS.join(' ')}`, holds: isOperator };

const always: Condition = { name: 'always', version: 1, checkArgs: rules.argsOf({}), holds: () => true };

const fromSpeaker: Condition = {
  name: 'from_speaker',
  version: 1,
  agents: ['agent_id'],
  checkArgs: rules.argsOf({ agent_id: rules.participantArg }),
  holds: ({ agent_id }, { envelope }) => envelope.sender_id === agent_id,
};

const toolCalled: Condition = {
  name: 'tool_called',
  version: 1,
  checkArgs: rules.argsOf({ tool_name: rules.nameArg }),
  holds({ tool_name }, { envelope: { event_type, event_data } }) {
    return event_type === 'msg.packet' && isObject(event_data.routing) && event_data.routing.tool === tool_name;
  },
};

const contextEquals: Condition = {
  name: 'context_equals',
  version: 1,
  checkArgs: rules.argsOf({ key: rules.keyArg, value: rules.anything }),
  holds: ({ key, value = null }, { context_vars }) => isEqual(variable(context_vars, key), value),
};

const contextCompare: Condition = {
  name: 'context_compare',
  version: 1,
  checkArgs: rules.argsOf({ key: rules.keyArg, op: anOperator, value: rules.anything }),
  holds: ({ key, op, value = null }, { context_vars }) =>
    isOperator(op) && compare(variable(context_vars, key), op, value),
};

/** Maximum length that is searched in a text, so that a sender cannot block the hub. */
const MAX_SCANNED = 16_384;

const textContains: Condition = {
  name: 'text_contains',
  version: 1,
  checkArgs: rules.argsOf({ any: rules.texts, case_insensitive: rules.flagArg }),
  holds({ any, case_insensitive }, { envelope }) {
    const folded = (text: string) => (case_insensitive === true ? text.toLowerCase() : text);
    const text = folded(textOf(envelope).slice(0, MAX_SCANNED));
    return Array.isArray(any) && any.some((part: Json) => typeof part === 'string' && text.includes(folded(part)));
  },
};

const turnCount: Condition = {
  name: 'turn_count',
  version: 1,
  checkArgs: rules.argsOf({ op: anOperator, value: rules.numberArg }),
  holds: ({ op, value = null }, { turn_count }) => isOperator(op) && compare(turn_count, op, value),
};

const allOf: Condition = {
  name: 'all_of',
  version: 1,
  conditions: ['conditions'],
  checkArgs: rules.argsOf({ conditions: rules.conditions }),
  holds: ({ conditions }, _routing, test) => refs(conditions).every(test),
};

const anyOf: Condition = {
  name: 'any_of',
  version: 1,
  conditions: ['conditions'],
  checkArgs: rules.argsOf({ conditions: rules.conditions }),
  holds: ({ conditions }, _routing, test) => refs(conditions).some(test),
};

const not: Condition = {
  name: 'not',
  version: 1,
  conditions: ['condition'],
  checkArgs: rules.argsOf({ condition: rules.conditionArg }),
  holds: ({ condition }, _routing, test) => !refs([condition ?? null]).some(test),
};

export const CONDITIONS: readonly Condition[] = [
  always,
  fromSpeaker,
  toolCalled,
  contextEquals,
  contextCompare,
  textContains,
  turnCount,
  allOf,
  anyOf,
  not,
];

/** The value of a variable; null if it is missing, even if every object inherits that name. */
function variable(vars: JsonObject, key: Json | undefined): Json {
  return typeof key === 'string' && Object.hasOwn(vars, key) ? (vars[key] ?? null) : null;
}

/** The text of a message: its text, or the body of a packet if the body is or contains a text. */
export function textOf({ event_type, event_data }: Envelope): string {
  const said = event_type === 'msg.packet' ? event_data.body : event_data.text;
  if (typeof said === 'string') return said;
  return isObject(said) && typeof said.text === 'string' ? said.text : '';
}

/** The conditions were checked and resolved at create. */
function refs(conditions: Json | undefined): readonly RuleRef[] {
  return conditions as unknown as readonly RuleRef[];
}

function isOperator(value: Json | undefined): value is Operator {
  return OPERATORS.some((operator) => operator === value);
}

/** Values of different types are unequal, and neither is less than the other. */
export function compare(left: Json, operator: Operator, right: Json): boolean {
  if (operator === '==') return isEqual(left, right);
  if (operator === '!=') return !isEqual(left, right);
  const areNumbers = typeof left === 'number' && typeof right === 'number';
  const areTexts = typeof left === 'string' && typeof right === 'string';
  if (!areNumbers && !areTexts) return false;
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}

export function isEqual(left: Json, right: Json): boolean {
  return left === right || canonicalJson(left) === canonicalJson(right);
}
