/** The built-in conditions. They look at the session as it is after the envelope that is routed. */

import type { Condition, Envelope, Json, JsonObject, RuleRef } from 'parley-hub/core';
import { compare, isEqual, isOperator, OPERATORS } from './compare.ts';
import { isObject } from '../parts/field-error.ts';
import * as rules from '../parts/rule-args.ts';

const anOperator: rules.ArgRule = { expected: `one of ${OPERATORS.join(' ')}`, holds: isOperator };

const always: Condition = { name: 'always', version: 1, checkArgs: rules.argsOf({}), holds: () => true };

const fromSpeaker: Condition = {
  name: 'from_speaker',
  version: 1,
  agents: ['agent_id'],
  checkArgs: rules.argsOf({ agent_id: rules.aParticipant }),
  holds: ({ agent_id }, { envelope }) => envelope.sender_id === agent_id,
};

const toolCalled: Condition = {
  name: 'tool_called',
  version: 1,
  checkArgs: rules.argsOf({ tool_name: rules.aName }),
  holds({ tool_name }, { envelope: { event_type, event_data } }) {
    return event_type === 'msg.packet' && isObject(event_data.routing) && event_data.routing.tool === tool_name;
  },
};

const contextEquals: Condition = {
  name: 'context_equals',
  version: 1,
  checkArgs: rules.argsOf({ key: rules.aKey, value: rules.anything }),
  holds: ({ key, value = null }, { context_vars }) => isEqual(variable(context_vars, key), value),
};

const contextCompare: Condition = {
  name: 'context_compare',
  version: 1,
  checkArgs: rules.argsOf({ key: rules.aKey, op: anOperator, value: rules.anything }),
  holds: ({ key, op, value = null }, { context_vars }) =>
    isOperator(op) && compare(variable(context_vars, key), op, value),
};

/** A longer text is looked at up to here: how long a message may hold up everyone is not for its sender to say. */
const MOST_LOOKED_AT = 16_384;

const textContains: Condition = {
  name: 'text_contains',
  version: 1,
  checkArgs: rules.argsOf({ any: rules.texts, case_insensitive: rules.aFlag }),
  holds({ any, case_insensitive }, { envelope }) {
    const folded = (text: string) => (case_insensitive === true ? text.toLowerCase() : text);
    const text = folded(textOf(envelope).slice(0, MOST_LOOKED_AT));
    return Array.isArray(any) && any.some((part: Json) => typeof part === 'string' && text.includes(folded(part)));
  },
};

const turnCount: Condition = {
  name: 'turn_count',
  version: 1,
  checkArgs: rules.argsOf({ op: anOperator, value: rules.aNumber }),
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
  checkArgs: rules.argsOf({ condition: rules.aCondition }),
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

/** A variable that is not there is null; what every object inherits is not there. */
function variable(vars: JsonObject, key: Json | undefined): Json {
  return typeof key === 'string' && Object.hasOwn(vars, key) ? (vars[key] ?? null) : null;
}

/** What a message says in words: a text, or the body of a packet if that is text or has one. */
export function textOf({ event_type, event_data }: Envelope): string {
  const said = event_type === 'msg.packet' ? event_data.body : event_data.text;
  if (typeof said === 'string') return said;
  return isObject(said) && typeof said.text === 'string' ? said.text : '';
}

/** Checked and resolved at create. */
function refs(conditions: Json | undefined): readonly RuleRef[] {
  return conditions as unknown as readonly RuleRef[];
}
