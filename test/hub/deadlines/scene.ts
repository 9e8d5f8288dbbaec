/** Shared by the tables of expectations: session types, handlers, cases and participants. */

import { discussion } from 'parley-hub/adapters/discussion';
import { CONDITIONS, roundRobin, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import type { ExpectationEntry, JsonObject } from 'parley-hub/core';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { ADAPTERS, aWorld, logOf, opened, VIEWS } from '../scene.ts';

export type Type = 'consulting' | 'conversation' | 'discussion' | 'workflow';
const HANDLERS = ['audit', 'warn', 'notify_session', 'hide', 'remove', 'auto_close'] as const;

export interface TableCase<Evaluator, Moment> {
  readonly evaluator: Evaluator;
  readonly handler: (typeof HANDLERS)[number];
  readonly type: Type;
  readonly moment: Moment;
}

export interface TableScene {
  readonly world: World;
  readonly id: string;
  readonly peers: Record<string, Peer>;
}

/** Every evaluator with every handler, in each of its session types, at each moment. */
export function casesOf<Evaluator extends string, Moment>(
  types: Readonly<Record<Evaluator, readonly Type[]>>,
  moments: readonly Moment[],
): readonly TableCase<Evaluator, Moment>[] {
  return (Object.keys(types) as Evaluator[]).flatMap((evaluator) =>
    HANDLERS.flatMap((handler) =>
      types[evaluator].flatMap((type) => moments.map((moment) => ({ evaluator, handler, type, moment }))),
    ),
  );
}

export function namesIn(type: Type): readonly string[] {
  return type === 'discussion' || type === 'workflow' ? ['alice', 'bob', 'carol'] : ['alice', 'bob'];
}

export async function gather(world: World, names: readonly string[]): Promise<Record<string, Peer>> {
  const peers: Record<string, Peer> = {};
  for (const name of names) peers[name] = await world.peer(name);
  return peers;
}

export async function tableScene(
  type: Type,
  expectation: ExpectationEntry,
  start: typeof opened = opened,
): Promise<TableScene> {
  const adapters = [...ADAPTERS, discussion, workflow];
  const world = await aWorld({}, { adapters, conditions: CONDITIONS, targets: TARGETS, views: VIEWS });
  const peers = await gather(world, namesIn(type));
  const [alice, ...others] = Object.values(peers) as [Peer, ...Peer[]];
  const id = await start(world, alice, others, {
    type,
    invite_timeout: '10m',
    expectations: [expectation],
    ...(type === 'workflow' ? { knobs: { graph: roundRobin(namesIn(type)) as unknown as JsonObject } } : {}),
  });
  return { world, id, peers };
}

/** The types and data of the envelopes that end a session. */
export function ending(reason: string): readonly (readonly [string, JsonObject])[] {
  return [
    ['session.closing', { reason }],
    ['session.closed', { reason }],
  ];
}

export function violationsIn(world: World, id: string) {
  return logOf(world.store, id).filter(({ event_type }) => event_type === 'expectation.violated');
}
