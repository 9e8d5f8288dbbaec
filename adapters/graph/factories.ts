/** Common graphs, built from a list of participants (names or ids). */

import { HubError, type RuleRef } from 'parley-hub/core';
import { isObject, shown } from '../parts/field-error.ts';
import type { TransitionGraph } from './transition-graph.ts';

export interface RoundRobinOptions {
  /** The number of the last turn; without it the graph never ends the session. */
  readonly maxTurns?: number;
}

/** Participants speak in list order, repeatedly. Inactive ones are skipped. */
export function roundRobin(ids: readonly string[], options: RoundRobinOptions = {}): TransitionGraph {
  return {
    initial_speaker: firstOf('roundRobin', ids),
    transitions: [],
    default_target: nextIn(ids, true),
    max_turns: maxTurnsOf(options),
  };
}

/** Each participant speaks once, in list order; the last one ends the session with `sequence_complete`. */
export function sequence(ids: readonly string[]): TransitionGraph {
  const always: RuleRef = { name: 'always', args: {} };
  return {
    initial_speaker: firstOf('sequence', ids),
    transitions: [
      { when: always, then: nextIn(ids, false), priority: 0 },
      { when: always, then: { name: 'terminate', args: { reason: 'sequence_complete' } }, priority: 1 },
    ],
    // When the hub passes a turn on, it follows the list too.
    default_target: nextIn(ids, false),
    max_turns: null,
  };
}

function nextIn(ids: readonly string[], wrap: boolean): RuleRef {
  return { name: 'next_in', args: { agents: [...ids], wrap } };
}

function maxTurnsOf(options: unknown): number | null {
  if (!isObject(options)) throw bad('roundRobin', `expected options {maxTurns}, got ${shown(options)}`);
  const unknown = Object.keys(options).find((name) => name !== 'maxTurns');
  if (unknown !== undefined) throw bad('roundRobin', `unknown option "${unknown}"; valid options: maxTurns`);
  const { maxTurns }: { readonly maxTurns?: unknown } = options;
  if (maxTurns === undefined) return null;
  if (typeof maxTurns === 'number' && Number.isSafeInteger(maxTurns) && maxTurns >= 1) return maxTurns;
  throw bad('roundRobin', `maxTurns must be a whole number ≥ 1, got ${shown(maxTurns)}`);
}

/** Rejects duplicates: the position of such a participant would be ambiguous. */
function firstOf(factory: string, ids: unknown): string {
  if (!Array.isArray(ids)) throw bad(factory, `expected a list of names or ids, got ${shown(ids)}`);
  const odd = ids.findIndex((id) => typeof id !== 'string' || id === '');
  if (odd !== -1) throw bad(factory, `expected a name or id at ${odd}, got ${shown(ids[odd])}`);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw bad(factory, `"${twice}" is listed twice`);
  if (ids.length === 0) throw bad(factory, 'expected at least one participant, got none');
  return ids[0];
}

function bad(factory: string, problem: string): HubError {
  return new HubError('bad_value', `${factory}: ${problem}`);
}
