/** A hub with workflows, and graphs for them. */

import { discussion } from 'parley-hub/adapters/discussion';
import { CONDITIONS, TARGETS, type TransitionGraph } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import type { JsonObject, Params } from 'parley-hub/core';
import type { CreatedData } from '../../../src/core/records/session/session.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { World, type WorldOptions } from '../../../src/testing/doubles/world.ts';
import { aCast, EXPECTATIONS, logOf } from '../scene.ts';

export const OPTIONS: WorldOptions = {
  adapters: [discussion, workflow],
  conditions: CONDITIONS,
  targets: TARGETS,
  ...EXPECTATIONS,
};

export const scene = (more: Partial<WorldOptions> = {}) =>
  aCast(['alice', 'bob', 'carol'], {}, { ...OPTIONS, ...more });

export function graphWith(given: Partial<TransitionGraph>): TransitionGraph {
  return { initial_speaker: 'alice', transitions: [], default_target: null, max_turns: null, ...given };
}

export const rule = (when: string, then: string, args: JsonObject = {}) => ({
  when: { name: when, args },
  then: { name: then, args: then === 'terminate' ? { reason: 'ended' } : {} },
  priority: 0,
});

export const asked = (graph: unknown, more: JsonObject = {}): Params<'create_session'> => ({
  type: 'workflow',
  participants: ['bob', 'carol'],
  wait: 'created',
  knobs: { graph: graph as JsonObject, ...more },
});

export const createdIn = (world: World, id: string) => logOf(world.store, id)[0]?.event_data as unknown as CreatedData;

export const get = (world: World, peer: Peer, session_id: string) =>
  world.answer(peer.call('get_session', { session_id }));

export const post = (
  world: World,
  peer: Peer,
  session_id: string,
  content: { event_type: string; event_data: JsonObject },
) => world.answer(peer.call('post', { session_id, ...content }));

/** Another hub on the same disk. */
export async function reopened(world: World, more: Partial<WorldOptions> = {}): Promise<World> {
  const keep = () => true;
  const store = world.store.crash(keep, keep, keep);
  return World.start({ ...OPTIONS, store, clock: world.clock, seed: 99, ...more });
}
