/** Shared by the tables of expectations: session types, handlers, cases and participants. */

import { discussion } from 'parley-hub/adapters/discussion';
import { CONDITIONS, roundRobin, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import type { ExpectationEntry, JsonObject } from 'parley-hub/core';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World, WorldOptions } from '../../../src/testing/doubles/world.ts';
import { ADAPTERS, aCast, aWorld, logOf, opened, say, VIEWS } from '../scene.ts';

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

export const adapters = [...ADAPTERS, discussion];

/** alice, bob and carol in a discussion; alice has posted, so bob has the turn since seq 7. */
export async function talk(expectations: readonly ExpectationEntry[], options: Partial<WorldOptions> = {}) {
  const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol'], {}, { adapters, ...options });
  const id = await opened(world, alice, [bob, carol], { type: 'discussion', expectations });
  await say(world, alice, id, 'hello');
  return { world, alice, bob, carol, id };
}

export function fired(
  world: World,
  id: string,
): readonly (readonly [entry: unknown, who: readonly unknown[], at: string])[] {
  return violationsIn(world, id).map(({ event_data, created_at }) => {
    const violators = event_data.violators as readonly { agent_id: string | null }[];
    return [event_data.entry, violators.map(({ agent_id }) => agent_id), created_at.slice(14, 23)] as const;
  });
}
