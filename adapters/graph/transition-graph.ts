/** The rules of a workflow as data: who begins, who speaks after what, what happens otherwise, and how long it may go on; read from JSON. */

import type { Json, JsonObject, RuleRef } from 'parley-hub/core';
import { fieldError, isObject } from '../parts/field-error.ts';

export type Transition = {
  readonly when: RuleRef;
  readonly then: RuleRef;
  /** The lowest is asked first; equals are asked in the order of the list. */
  readonly priority: number;
};

/** Plain JSON, as a workflow takes it in `knobs.graph`. Participants in it are names or ids. */
export type TransitionGraph = {
  readonly initial_speaker: string;
  readonly transitions: readonly Transition[];
  /** When no transition applies; null = the session ends with `after_work`. */
  readonly default_target: RuleRef | null;
  /** The turn with this number is the last; null = no such bound. */
  readonly max_turns: number | null;
};

/** Throws a ProtocolError that names what is wrong. Parsing what it returned gives the same again. */
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

/** A condition or a target: its name, and its arguments if it has any. */
export function parseRef(value: Json | undefined, field: string): RuleRef {
  const { name, args = {} } = objectAt(value, field, ['name', 'args']);
  if (typeof name !== 'string' || name === '') throw fieldError(`${field}.name`, 'a name', name);
  if (!isObject(args)) throw fieldError(`${field}.args`, 'an object of arguments', args);
  return { name, args };
}

/** A member nobody asked for is a slip of the pen: it is refused by name. */
function objectAt(value: unknown, field: string, members: readonly string[]): Partial<JsonObject> {
  if (!isObject(value)) throw fieldError(field, `an object with ${members.join(', ')}`, value);
  const stranger = Object.keys(value).find((key) => !members.includes(key));
  if (stranger !== undefined) throw fieldError(`${field}.${stranger}`, `one of ${members.join(', ')}`, value[stranger]);
  return value;
}

function isCount(value: Json): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}
