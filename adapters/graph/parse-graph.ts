/** A graph from JSON: its shape is checked and its defaults are filled in. What the names in it mean is looked at elsewhere. */

import type { Json, JsonObject, RuleRef } from 'parley-hub/core';
import { fieldError, isObject } from '../parts/field-error.ts';
import type { Transition, TransitionGraph } from './transition-graph.ts';

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
