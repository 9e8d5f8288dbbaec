/** The conditions and targets of a graph bound to their code, once: what is left for each message is to ask them. */

import type { Destination, JsonObject, Routing, RuleRef, Vocabulary } from 'parley-hub/core';
import { type Answers, askPart, membersOf, YES_OR_NO } from './ask-part.ts';
import { fieldError, isObject } from '../parts/field-error.ts';
import { parseRef } from './parse-graph.ts';
import { aReason, isReason } from '../parts/rule-args.ts';

export type Holds = (routing: Routing) => boolean;
export type Chooses = (routing: Routing) => Destination | null;

export function bindCondition(ref: RuleRef, vocabulary: Vocabulary, field: string): Holds {
  const known = vocabulary.conditions.get(ref.name);
  if (known === undefined) throw fieldError(`${field}.name`, 'a registered condition', ref.name);
  const inner = new Map<RuleRef, Holds>();
  const bind = (one: RuleRef, at: string) => {
    const parsed = Object.freeze(parseRef(one, at));
    inner.set(parsed, bindCondition(parsed, vocabulary, at));
    return parsed;
  };
  const args = withInner(ref.args, known.conditions ?? [], field, bind);
  const who = `condition "${known.name}" version ${known.version} in ${field}`;
  return (routing) => {
    // A part may also ask about a condition that it has made itself.
    const test = (one: RuleRef) => (inner.get(one) ?? bindCondition(one, vocabulary, field))(routing);
    return askPart(who, YES_OR_NO, () => known.holds(args, routing, test));
  };
}

/** The same arguments with each inner condition replaced by what `bind` gives for it. */
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
      // Whatever they are, they are parsed before they are bound.
      const refs = (isObject(value) ? [value] : value) as unknown as readonly RuleRef[];
      if (!Array.isArray(refs)) throw fieldError(at, 'a condition or a list of conditions', value);
      if (isObject(value)) return [name, bind(refs[0] as RuleRef, at)];
      return [name, Object.freeze(refs.map((one, i) => bind(one, `${at}.${i}`)))];
    });
  return Object.freeze({ ...args, ...Object.fromEntries(bound) });
}

/** A target that names somebody who is not active counts for nothing. */
export function bindTarget({ name, args }: RuleRef, vocabulary: Vocabulary, field: string): Chooses {
  const known = vocabulary.targets.get(name);
  if (known === undefined) throw fieldError(`${field}.name`, 'a registered target', name);
  const who = `target "${known.name}" version ${known.version} in ${field}`;
  return (routing) => {
    const destination = askPart(who, DESTINATION, () => known.choose(args, routing));
    const isOpen = destination?.kind === 'end' || routing.active.includes(destination?.agent_id ?? '');
    return isOpen ? destination : null;
  };
}

const DESTINATION: Answers<Destination | null> = {
  expected: `{kind: "speaker", agent_id}, {kind: "end", reason} with a reason of ${aReason.expected}, or null`,
  isOne(answer): answer is Destination | null {
    if (answer === null) return true;
    const { kind, agent_id, reason } = membersOf(answer) ?? {};
    return kind === 'speaker' ? typeof agent_id === 'string' : kind === 'end' && isReason(reason);
  },
};
