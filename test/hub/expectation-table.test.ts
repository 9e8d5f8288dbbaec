// Every evaluator with every handler in every session type it can apply to: a millisecond before it is due, when it is due, and
// with a restart in between. Each case says all that must follow; nothing of it is computed by the code under test.

import { discussion } from 'parley-hub/adapters/discussion';
import { CONDITIONS, roundRobin, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import type { JsonObject, Params } from 'parley-hub/core';
import { expect, it } from 'vitest';
import type { Peer } from '../../src/testing/peer.ts';
import type { World } from '../../src/testing/world.ts';
import { ADAPTERS, aWorld, invited, leap, lines, logOf, opened, say, VIEWS } from './scene.ts';

const SECONDS = 20;
const DUE_AT = '2026-01-01T00:00:20.000Z';

type Evaluator = 'acks_within' | 'reply_within' | 'turn_within' | 'max_silence';
type Type = 'consulting' | 'conversation' | 'discussion' | 'workflow';
type Moment = 'just before' | 'when due' | 'after a restart';

const TYPES: Readonly<Record<Evaluator, readonly Type[]>> = {
  acks_within: ['consulting', 'conversation', 'discussion', 'workflow'],
  reply_within: ['consulting', 'conversation', 'discussion', 'workflow'],
  turn_within: ['consulting', 'discussion', 'workflow'],
  max_silence: ['consulting', 'conversation', 'discussion', 'workflow'],
};
const HANDLERS = ['audit', 'warn', 'notify_session', 'hide', 'remove', 'auto_close'] as const;
type Handler = (typeof HANDLERS)[number];
const MOMENTS: readonly Moment[] = ['just before', 'when due', 'after a restart'];

interface Case {
  readonly evaluator: Evaluator;
  readonly handler: Handler;
  readonly type: Type;
  readonly moment: Moment;
}

const CASES: readonly Case[] = (Object.keys(TYPES) as Evaluator[]).flatMap((evaluator) =>
  HANDLERS.flatMap((handler) =>
    TYPES[evaluator].flatMap((type) => MOMENTS.map((moment): Case => ({ evaluator, handler, type, moment }))),
  ),
);

it('[EX1] the table has all its cases', () => {
  expect(CASES).toHaveLength(270);
});

interface Scene {
  readonly world: World;
  readonly id: string;
  readonly peers: Record<string, Peer>;
  /** The log as it is when nothing has fired. */
  readonly before: number;
}

async function begin({ evaluator, handler, type }: Case): Promise<Scene> {
  const adapters = [...ADAPTERS, discussion, workflow];
  const world = await aWorld({}, { adapters, conditions: CONDITIONS, targets: TARGETS, views: VIEWS });
  const peers = await gather(world, namesIn(type));
  const [alice, ...others] = Object.values(peers) as [Peer, ...Peer[]];
  const more: Partial<Params<'create_session'>> = {
    type,
    invite_timeout: '10m',
    expectations: [{ name: evaluator, on_violation: handler, params: { seconds: SECONDS } }],
    ...(type === 'workflow' ? { knobs: { graph: roundRobin(namesIn(type)) as unknown as JsonObject } } : {}),
  };
  const start = evaluator === 'acks_within' ? invited : opened;
  const id = await start(world, alice, others, more);
  if (evaluator !== 'acks_within') await say(world, alice, id, 'hello');
  return { world, id, peers, before: logOf(world.store, id).length };
}

function namesIn(type: Type): readonly string[] {
  return type === 'discussion' || type === 'workflow' ? ['alice', 'bob', 'carol'] : ['alice', 'bob'];
}

async function gather(world: World, names: readonly string[]): Promise<Record<string, Peer>> {
  const peers: Record<string, Peer> = {};
  for (const name of names) peers[name] = await world.peer(name);
  return peers;
}

it.each(CASES)('[EX1, EX2, EX3] $evaluator × $handler in a $type, $moment', async (one) => {
  const scene = await begin(one);
  const { world, id, before } = scene;
  if (one.moment === 'after a restart') {
    await leap(world, (SECONDS - 5) * 1000);
    await world.restart();
    Object.assign(scene.peers, await gather(world, Object.keys(scene.peers)));
    await leap(world, 30_000 - 1);
  } else {
    await leap(world, SECONDS * 1000 - 1);
  }
  expect(logOf(world.store, id)).toHaveLength(before);
  if (one.moment === 'just before') return;
  await leap(world, 1);
  const added = logOf(world.store, id).slice(before);
  expect(lines(added, ...Object.entries(scene.peers))).toEqual(expectedLines(one, before + 1));
  expect(added[0]?.audience ?? null).toEqual(expectedAudience(one, scene));
  await expectAudit(scene, one, before + 1);
  expect(await turnNow(scene)).toBe(expectedTurn(one));
  await expectViews(scene, one);
  await leap(world, 3600_000);
  const violated = logOf(world.store, id).filter(({ event_type }) => event_type === 'expectation.violated');
  // A turn that was taken from one is a wait of another; else nothing fires again.
  expect(violated.length).toBe(1 + laterFirings(one));
});

function violators({ evaluator, type }: Case): readonly (string | null)[] {
  if (evaluator === 'max_silence') return [null];
  if (evaluator === 'turn_within') return ['bob'];
  return namesIn(type).slice(1);
}

function since({ evaluator, type }: Case): number {
  // created, invites, acks, opened, hello
  return evaluator === 'acks_within' ? 1 : 2 * namesIn(type).length + 1;
}

function detail(one: Case): string {
  const who = violators(one);
  switch (one.evaluator) {
    case 'acks_within':
      return `${who.join(', ')} did not answer the invite within 20 s`;
    case 'reply_within':
      return `${who.map((name) => `${name} has not answered seq ${since(one)}`).join(', ')} for more than 20 s`;
    case 'turn_within':
      return `bob has had the turn since seq ${since(one)} for more than 20 s`;
    case 'max_silence':
      return `nobody has said anything since seq ${since(one)} for more than 20 s`;
  }
}

function expectedLines(one: Case, seq: number): readonly string[] {
  const { evaluator, handler } = one;
  const data = {
    entry: 0,
    name: evaluator,
    violators: violators(one).map((agent_id) => ({ agent_id, since_seq: since(one) })),
    due_at: DUE_AT,
    on_violation: handler,
    detail: detail(one),
  };
  const all = [['expectation.violated', data] as const, ...caused(one)];
  return all.map(([type, more], i) => `${seq + i} ${type} ${JSON.stringify(more)}`);
}

/** What the handler does, and what follows from that. */
function caused({ evaluator, handler, type }: Case): readonly (readonly [string, JsonObject])[] {
  const reason = `expectation_violated:${evaluator}`;
  const them = violators({ evaluator, handler, type, moment: 'when due' }).filter((name) => name !== null);
  const ends = (why: string) =>
    [
      ['session.closing', { reason: why }],
      ['session.closed', { reason: why }],
    ] as const;
  if (handler === 'auto_close') return evaluator === 'acks_within' ? [['session.closed', { reason }]] : ends(reason);
  if (handler === 'hide' && evaluator !== 'acks_within') {
    return them.map((agent_id) => ['session.participant.hidden', { agent_id, reason }] as const);
  }
  if (handler !== 'remove' || them.length === 0) return [];
  if (evaluator === 'acks_within') {
    return [
      ['session.invite.reject', { agent_id: 'bob', reason }],
      ['session.closed', { reason: 'invite_rejected' }],
    ];
  }
  const removed = them.map((agent_id) => ['session.participant.removed', { agent_id, reason }] as const);
  return namesIn(type).length - them.length < 2 ? [...removed, ...ends('below_minimum')] : removed;
}

function expectedAudience({ evaluator, handler, type }: Case, { peers }: Scene): readonly string[] | null {
  if (handler === 'notify_session') return null;
  if (handler !== 'warn') return [];
  const them = violators({ evaluator, handler, type, moment: 'when due' });
  return them[0] === null ? null : them.map((name) => peers[name ?? '']?.agentId ?? '');
}

async function expectAudit({ world, id, peers }: Scene, one: Case, seq: number): Promise<void> {
  const kept = await world.hub.audit({ limit: 500 });
  const ours = kept.filter(({ kind, session_id }) => kind === 'expectation_violated' && session_id === id);
  expect(ours.map(({ detail: said }) => said)).toEqual([
    {
      entry: 0,
      name: one.evaluator,
      on_violation: one.handler,
      due_at: DUE_AT,
      detail: detail(one),
      violators: violators(one).map((name) => ({
        agent_id: name === null ? null : peers[name]?.agentId,
        since_seq: since(one),
      })),
      seq,
    },
  ]);
}

async function turnNow({ world, id, peers }: Scene): Promise<string | null> {
  const { turn } = await world.answer((peers.alice as Peer).call('get_session', { session_id: id }));
  const holder = Object.entries(peers).find(([, { agentId }]) => agentId === turn?.agent_id);
  return holder?.[0] ?? null;
}

function expectedTurn({ evaluator, handler, type }: Case): string | null {
  if (evaluator === 'acks_within' || type === 'conversation' || handler === 'auto_close') return null;
  const out =
    handler === 'hide' || handler === 'remove' ? violators({ evaluator, handler, type, moment: 'when due' }) : [];
  if (handler === 'remove' && namesIn(type).length - out.filter((name) => name !== null).length < 2) return null;
  if (!out.includes('bob')) return 'bob';
  // In two-party sessions only the status changes: nobody else can take the turn.
  if (type === 'consulting') return null;
  return out.includes('carol') ? 'alice' : 'carol';
}

async function expectViews({ world, id, peers }: Scene, one: Case): Promise<void> {
  const hears = expectedAudience(one, { world, id, peers, before: 0 });
  for (const [name, peer] of Object.entries(peers)) {
    if (one.evaluator === 'acks_within' && name !== 'alice') continue;
    const { messages } = await world.answer(peer.call('read_view', { session_id: id }));
    const said = messages.filter(({ content }) => content.includes('[hub]')).map(({ content }) => content);
    const hasIt = hears === null || hears.includes(peer.agentId);
    expect([name, said]).toEqual([name, hasIt ? [hubLine(one)] : []]);
  }
}

function hubLine(one: Case): string {
  return `[hub]: expectation ${one.evaluator} was violated: ${detail(one)}`;
}

/** After the turn was taken from bob, carol has it, and is due in the one sweep that follows. */
function laterFirings({ evaluator, handler, type }: Case): number {
  if (evaluator !== 'turn_within' || type === 'consulting') return 0;
  return handler === 'hide' || handler === 'remove' ? 1 : 0;
}
