// Every evaluator of what is accepted with every handler in every session type it can apply to: one message below its limit, at the
// limit, and with a restart in between. Each case says all that must follow; nothing of it is computed by the code under test.

import { discussion } from 'parley-hub/adapters/discussion';
import { CONDITIONS, roundRobin, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import type { JsonObject, Params } from 'parley-hub/core';
import { expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { ADAPTERS, aWorld, leap, lines, logOf, opened, refusal, VIEWS } from '../scene.ts';

type Evaluator = 'max_turns' | 'budget_within' | 'no_progress';
type Type = 'consulting' | 'conversation' | 'discussion' | 'workflow';
type Moment = 'one below' | 'at the limit' | 'after a restart';

const TYPES: Readonly<Record<Evaluator, readonly Type[]>> = {
  max_turns: ['consulting', 'conversation', 'discussion', 'workflow'],
  budget_within: ['consulting', 'conversation', 'discussion', 'workflow'],
  // Nobody says anything twice in a consulting.
  no_progress: ['conversation', 'discussion', 'workflow'],
};
const HANDLERS = ['audit', 'warn', 'notify_session', 'hide', 'remove', 'auto_close'] as const;
type Handler = (typeof HANDLERS)[number];
const MOMENTS: readonly Moment[] = ['one below', 'at the limit', 'after a restart'];

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

it('[EX20] the table has all its cases', () => {
  expect(CASES).toHaveLength(198);
});

/** alice says the last of them, and with it each limit is reached. */
const TALK: Readonly<Record<Type, readonly (readonly [string, string])[]>> = {
  consulting: [['alice', 'Ready?']],
  conversation: [
    ['alice', 'Ready? 1'],
    ['bob', 'no'],
    ['bob', 'wait'],
    ['alice', ' ｒｅａｄｙ?  22'],
  ],
  discussion: [
    ['alice', 'Ready? 1'],
    ['bob', 'no'],
    ['carol', 'wait'],
    ['alice', ' ｒｅａｄｙ?  22'],
  ],
  workflow: [
    ['alice', 'Ready? 1'],
    ['bob', 'no'],
    ['carol', 'wait'],
    ['alice', ' ｒｅａｄｙ?  22'],
  ],
};

function paramsOf({ evaluator, type }: Case): JsonObject {
  switch (evaluator) {
    case 'max_turns':
      return { turns: type === 'consulting' ? 1 : 4 };
    case 'budget_within':
      // Three times 0.1 is not more than 0.3, whatever numbers say.
      return { usd: type === 'consulting' ? 0.05 : 0.3 };
    case 'no_progress':
      return { repeats: 2 };
  }
}

interface Scene {
  readonly world: World;
  readonly id: string;
  readonly peers: Record<string, Peer>;
}

function namesIn(type: Type): readonly string[] {
  return type === 'discussion' || type === 'workflow' ? ['alice', 'bob', 'carol'] : ['alice', 'bob'];
}

async function gather(world: World, names: readonly string[]): Promise<Record<string, Peer>> {
  const peers: Record<string, Peer> = {};
  for (const name of names) peers[name] = await world.peer(name);
  return peers;
}

async function begin(one: Case): Promise<Scene> {
  const { evaluator, handler, type } = one;
  const adapters = [...ADAPTERS, discussion, workflow];
  const world = await aWorld({}, { adapters, conditions: CONDITIONS, targets: TARGETS, views: VIEWS });
  const peers = await gather(world, namesIn(type));
  const [alice, ...others] = Object.values(peers) as [Peer, ...Peer[]];
  const more: Partial<Params<'create_session'>> = {
    type,
    expectations: [{ name: evaluator, on_violation: handler, params: paramsOf(one) }],
    ...(type === 'workflow' ? { knobs: { graph: roundRobin(namesIn(type)) as unknown as JsonObject } } : {}),
  };
  return { world, id: await opened(world, alice, others, more), peers };
}

function speak({ world, id, peers }: Scene, name: string, text: string) {
  const event_data = { text, usage: { fresh: 3, output: 2 }, cost_usd: 0.1 };
  return world.answer((peers[name] as Peer).call('post', { session_id: id, event_type: 'msg.text', event_data }));
}

it.each(CASES)('[EX20, EX21, EX22, EX23] $evaluator × $handler in a $type, $moment', async (one) => {
  const scene = await begin(one);
  const { world, id } = scene;
  const talk = TALK[one.type];
  for (const [name, text] of talk.slice(0, -1)) await speak(scene, name, text);
  const before = logOf(world.store, id).length;
  expect(before).toBe(2 * namesIn(one.type).length + talk.length - 1);
  if (one.moment === 'one below') return;
  if (one.moment === 'after a restart') {
    await world.restart();
    Object.assign(scene.peers, await gather(world, Object.keys(scene.peers)));
  }
  const [, last] = talk.at(-1) ?? [];
  const answer = await speak(scene, 'alice', last ?? '');
  expect(answer.seq).toBe(before + 1);
  await world.settle();
  const added = logOf(world.store, id).slice(before + 1);
  expect(lines(added, ...Object.entries(scene.peers))).toEqual(expectedLines(one, before + 1));
  expect(added[0]?.audience ?? null).toEqual(expectedAudience(one, scene));
  await expectAudit(scene, one, before + 1);
  expect(await turnNow(scene)).toBe(expectedTurn(one));
  expect(answer.turn?.agent_id ?? null).toBe(scene.peers[expectedTurn(one) ?? '']?.agentId ?? null);
  await expectViews(scene, one, before + 1);
  await expectNoMore(scene, one);
});

function isOver({ handler, type }: Case): boolean {
  return handler === 'auto_close' || (handler === 'remove' && namesIn(type).length === 2);
}

function detail({ evaluator, type }: Case, seq: number): string {
  switch (evaluator) {
    case 'max_turns':
      return type === 'consulting' ? 'alice took turn 1 of 1' : 'alice took turn 4 of 4';
    case 'budget_within':
      return type === 'consulting'
        ? `with seq ${seq} of alice 0.1 USD and 5 tokens are spent, more than 0.05 USD`
        : `with seq ${seq} of alice 0.4 USD and 20 tokens are spent, more than 0.3 USD`;
    case 'no_progress':
      return 'alice has said the same 2 times in a row';
  }
}

function violationIn(one: Case, seq: number, alice: string): JsonObject {
  return {
    entry: 0,
    name: one.evaluator,
    violators: [{ agent_id: alice, since_seq: seq }],
    due_at: '2026-01-01T00:00:00.000Z',
    on_violation: one.handler,
    detail: detail(one, seq),
  };
}

function expectedLines(one: Case, seq: number): readonly string[] {
  const all = [['expectation.violated', violationIn(one, seq, 'alice')] as const, ...caused(one)];
  return all.map(([type, data], i) => `${seq + 1 + i} ${type} ${JSON.stringify(data)}`);
}

/** What the handler does, and what follows from that. */
function caused({ evaluator, handler, type }: Case): readonly (readonly [string, JsonObject])[] {
  const reason = `expectation_violated:${evaluator}`;
  const ends = (why: string) =>
    [
      ['session.closing', { reason: why }],
      ['session.closed', { reason: why }],
    ] as const;
  if (handler === 'auto_close') return ends(reason);
  if (handler === 'hide') return [['session.participant.hidden', { agent_id: 'alice', reason }]];
  if (handler !== 'remove') return [];
  const removed = ['session.participant.removed', { agent_id: 'alice', reason }] as const;
  return namesIn(type).length === 2 ? [removed, ...ends('below_minimum')] : [removed];
}

function expectedAudience({ handler }: Case, { peers }: Scene): readonly string[] | null {
  if (handler === 'notify_session') return null;
  return handler === 'warn' ? [peers.alice?.agentId ?? ''] : [];
}

async function expectAudit({ world, id, peers }: Scene, one: Case, seq: number): Promise<void> {
  const kept = await world.hub.audit({ limit: 500 });
  const ours = kept.filter(({ kind, session_id }) => kind === 'expectation_violated' && session_id === id);
  expect(ours.map(({ detail: said }) => said)).toEqual([
    { ...violationIn(one, seq, peers.alice?.agentId ?? ''), seq: seq + 1 },
  ]);
}

async function turnNow({ world, id, peers }: Scene): Promise<string | null> {
  const { turn } = await world.answer((peers.bob as Peer).call('get_session', { session_id: id }));
  return Object.entries(peers).find(([, { agentId }]) => agentId === turn?.agent_id)?.[0] ?? null;
}

function expectedTurn(one: Case): string | null {
  return isOver(one) || one.type === 'conversation' ? null : 'bob';
}

async function expectViews(scene: Scene, one: Case, seq: number): Promise<void> {
  const hears = expectedAudience(one, scene);
  for (const [name, peer] of Object.entries(scene.peers)) {
    const { messages } = await scene.world.answer(peer.call('read_view', { session_id: scene.id }));
    const said = messages.filter(({ content }) => content.includes('[hub]')).map(({ content }) => content);
    const line = `[hub]: expectation ${one.evaluator} was violated: ${detail(one, seq)}`;
    expect([name, said]).toEqual([name, hears === null || hears.includes(peer.agentId) ? [line] : []]);
  }
}

/** What was over the limit stays over it: neither more of it, nor time, fires it again. */
async function expectNoMore(scene: Scene, one: Case): Promise<void> {
  const { world, id } = scene;
  const next = () => speak(scene, 'bob', 'one more');
  if (isOver(one)) expect((await refusal(world, next())).code).toBe('session_closed');
  else await next();
  await leap(world, 3600_000);
  const violated = logOf(world.store, id).filter(({ event_type }) => event_type === 'expectation.violated');
  expect(violated).toHaveLength(1);
}
