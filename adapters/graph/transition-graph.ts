/** The rules of a workflow as data, parsed from JSON: first speaker, transitions, default target and maximum turns. */

import type { Json, JsonObject, RuleRef } from 'parley-hub/core';
import { fieldError, isObject } from '../parts/field-error.ts';

export type Transition = {
  readonly when: RuleRef;
  readonly then: RuleRef;
  /** Lower values are evaluated first, equal ones in list order. */
  readonly priority: number;
};

/** Plain JSON, as in `knobs.graph`. Participants are names or ids. */
export type TransitionGraph = {
  readonly initial_speaker: string;
  readonly transitions: readonly Transition[];
  /** Used when no transition applies; null = end the session with `after_work`. */
  readonly default_target: RuleRef | null;
  /** The number of the last turn; null = no limit. */
  readonly max_turns: number | null;
};

/** Throws a ProtocolError that names the field. Parsing the result again changes nothing. */
export function parseGraph(value: unknown, field: string = 'graph'): TransitionGraph {
  const graph = objectAt(value, field, ['initial_speaker', 'transitions', 'default_target', 'max_turns']);
  const { initial_speaker, transitions = [], default_target = null, max_turns = null } = graph;
  if (typeof initial_speaker !== 'string' || initial_speaker === '') {
    throw fieldError(`${field}.initial_speaker`, 'a participant', initial_speaker);
  }
  if (!Array.isArray(transitions)) throw fieldError(`${field}.transitions`, 'a list of transitions', transitions);
  if (max_turns !== null && !isCount(max_turns)) {
    throw fieldError(`${field}.max_turns`, 'a whole number of at least 1, or null', max_turns);
  }
  return {
    initial_speaker,
    transitions: transitions.map((item: Json, i) => parseTransition(item, `${field}.transitions.${i}`)),
    default_target: default_target === null ? null : parseRef(default_target, `${field}.default_target`),
    max_turns,
  };
}

function parseTransition(value: Json, field: string): Transition {
  const { when, then, priority = 0 } = objectAt(value, field, ['when', 'then', 'priority']);
  if (typeof priority !== 'number' || !Number.isFinite(priority)) {
    throw fieldError(`${field}.priority`, 'a number', priority);
  }
  return { when: parseRef(when, `${field}.when`), then: parseRef(then, `${field}.then`), priority };
}

/** A condition or a target with optional arguments. */
export function parseRef(value: Json | undefined, field: string): RuleRef {
  const { name, args = {} } = objectAt(value, field, ['name', 'args']);
  if (typeof name !== 'string' || name === '') throw fieldError(`${field}.name`, 'a name', name);
  if (!isObject(args)) throw fieldError(`${field}.args`, 'an object of arguments', args);
  return { name, args };
}

/** Rejects unknown members by name. */
function objectAt(value: unknown, field: string, members: readonly string[]): Partial<JsonObject> {
  if (!isObject(value)) throw fieldError(field, `an object with ${members.join(', ')}`, value);
  const unknown = Object.keys(value).find((key) => !members.includes(key));
  if (unknown !== undefined) throw fieldError(`${field}.${unknown}`, `one of ${members.join(', ')}`, value[unknown]);
  return value;
}

function isCount(value: Json): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}
