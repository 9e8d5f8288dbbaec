/** Binds the conditions and targets of a graph to their code once. Errors name the part and its rule. */

import {
  type Destination,
  HubError,
  type Json,
  type JsonObject,
  type Routing,
  type RuleRef,
  type Vocabulary,
} from 'parley-hub/core';
import { fieldError, isObject, shown } from '../parts/field-error.ts';
import { isReason, reasonArg } from '../parts/rule-args.ts';
import { parseRef } from './transition-graph.ts';

export type BoundCondition = (routing: Routing) => boolean;
export type BoundTarget = (routing: Routing) => Destination | null;

export function bindCondition(ref: RuleRef, vocabulary: Vocabulary, field: string): BoundCondition {
  const known = vocabulary.conditions.get(ref.name);
  if (known === undefined) throw fieldError(`${field}.name`, 'a registered condition', ref.name);
  const inner = new Map<RuleRef, BoundCondition>();
  const bind = (one: RuleRef, at: string) => {
    const parsed = Object.freeze(parseRef(one, at));
    inner.set(parsed, bindCondition(parsed, vocabulary, at));
    return parsed;
  };
  const args = withInner(ref.args, known.conditions ?? [], field, bind);
  const who = `condition "${known.name}" version ${known.version} in ${field}`;
  return (routing) => {
    // A part may also test a condition that it built itself.
    const test = (one: RuleRef) => (inner.get(one) ?? bindCondition(one, vocabulary, field))(routing);
    return callRulePart(who, YES_OR_NO, () => known.holds(args, routing, test));
  };
}

/** The same arguments, with each inner condition replaced by the result of `bind`. */
function withInner(
  args: JsonObject,
  names: readonly string[],
  field: string,
  bind: (one: RuleRef, at: string) => RuleRef,
): JsonObject {
  const bound = names
    .filter((name) => Object.hasOwn(args, name))
    .map((name) => {
      const value = args[name];
      const at = `${field}.args.${name}`;
      // `bind` parses each reference before it is used.
      const refs = (isObject(value) ? [value] : value) as unknown as readonly RuleRef[];
      if (!Array.isArray(refs)) throw fieldError(at, 'a condition or a list of conditions', value);
      if (isObject(value)) return [name, bind(refs[0] as RuleRef, at)];
      return [name, Object.freeze(refs.map((one, i) => bind(one, `${at}.${i}`)))];
    });
  return Object.freeze({ ...args, ...Object.fromEntries(bound) });
}

/** A target that names an inactive participant does not apply. */
export function bindTarget({ name, args }: RuleRef, vocabulary: Vocabulary, field: string): BoundTarget {
  const known = vocabulary.targets.get(name);
  if (known === undefined) throw fieldError(`${field}.name`, 'a registered target', name);
  const who = `target "${known.name}" version ${known.version} in ${field}`;
  return (routing) => {
    const destination = callRulePart(who, DESTINATION, () => known.choose(args, routing));
    const isOpen = destination?.kind === 'end' || routing.active.includes(destination?.agent_id ?? '');
    return isOpen ? destination : null;
  };
}

const DESTINATION: Answers<Destination | null> = {
  expected: `{kind: "speaker", agent_id}, {kind: "end", reason} with a reason of ${reasonArg.expected}, or null`,
  isOne(answer): answer is Destination | null {
    if (answer === null) return true;
    const { kind, agent_id, reason } = membersOf(answer) ?? {};
    return kind === 'speaker' ? typeof agent_id === 'string' : kind === 'end' && isReason(reason);
  },
};

/** A defect of a part, with a message that already names the part. */
class PartDefect extends HubError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('bad_rule_part', message, options);
  }
}

/** The values a condition or target may return. */
export interface Answers<T> {
  readonly expected: string;
  isOne(answer: unknown): answer is T;
}

/** `who` names the part and its rule in errors. */
export function callRulePart<T>(who: string, answers: Answers<T>, ask: () => unknown): T {
  const answer = tried(who, ask);
  if (answers.isOne(answer)) return answer;
  throw new PartDefect(`${who} gave ${described(answer)}; expected ${answers.expected}`);
}

function tried(who: string, ask: () => unknown): unknown {
  try {
    return ask();
  } catch (thrown) {
    // Blame the inner condition, not the condition that contains it.
    if (thrown instanceof PartDefect) throw thrown;
    throw new PartDefect(`${who} threw ${thrown instanceof Error ? thrown.message : described(thrown)}`, {
      cause: thrown,
    });
  }
}

function described(answer: unknown): string {
  if (answer instanceof Promise) {
    // Prevents an unhandled rejection, which would end the process.
    answer.catch(() => {});
    return 'a promise';
  }
  if (typeof answer === 'number') return String(answer);
  try {
    return shown(answer);
  } catch {
    return `a value of type ${typeof answer}`;
  }
}

const YES_OR_NO: Answers<boolean> = {
  expected: 'true or false',
  isOne: (answer): answer is boolean => typeof answer === 'boolean',
};

/** The unchecked members of an object; null for any other value. */
export function membersOf(value: unknown): { readonly [key: string]: Json | undefined } | null {
  return isObject(value) ? value : null;
}
