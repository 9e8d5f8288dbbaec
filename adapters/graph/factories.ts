/** The usual graphs, made from a list of participants: names or ids. */

import { HubError } from 'parley-hub/core';
import type { Transition, TransitionGraph } from './transition-graph.ts';

export interface RoundRobinOptions {
  /** The turn with this number is the last; without it nothing in the graph ends the session. */
  readonly maxTurns?: number;
}

/** So many in a row are passed over when they are not active; more would make long graphs for a rare case. */
const PASSED_OVER = 3;

/** Each speaks after the one before it in the list, round and round. */
export function roundRobin(ids: readonly string[], { maxTurns }: RoundRobinOptions = {}): TransitionGraph {
  const initial_speaker = firstOf('roundRobin', ids);
  if (maxTurns !== undefined && (!Number.isSafeInteger(maxTurns) || maxTurns < 1)) {
    throw new HubError('bad_value', `roundRobin: maxTurns must be a whole number ≥ 1, got ${maxTurns}`);
  }
  return {
    initial_speaker,
    transitions: ids.flatMap((id, at) => steps(id, [...ids.slice(at + 1), ...ids.slice(0, at)])),
    default_target: { name: 'round_robin', args: {} },
    max_turns: maxTurns ?? null,
  };
}

/** Each speaks once, in the order of the list, and the last one ends the session with `sequence_complete`. */
export function sequence(ids: readonly string[]): TransitionGraph {
  return {
    initial_speaker: firstOf('sequence', ids),
    transitions: ids.flatMap((id, at) => steps(id, ids.slice(at + 1))),
    default_target: { name: 'terminate', args: { reason: 'sequence_complete' } },
    max_turns: null,
  };
}

/** From one to whoever of those behind it is the first that is active. */
function steps(from: string, behind: readonly string[]): readonly Transition[] {
  return behind.slice(0, PASSED_OVER + 1).map((to, passedOver) => ({
    when: { name: 'from_speaker', args: { agent_id: from } },
    then: { name: 'agent', args: { agent_id: to } },
    priority: passedOver,
  }));
}

/** Whoever is in a list twice could not be told apart by whom it spoke after. */
function firstOf(factory: string, ids: readonly string[]): string {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw new HubError('bad_value', `${factory}: "${twice}" is listed twice`);
  const [first] = ids;
  if (first === undefined) throw new HubError('bad_value', `${factory}: expected at least one participant, got none`);
  return first;
}
