// Every evaluator of accepted envelopes with every handler in every applicable session type: one post below the limit, at the limit,
// and after a restart. Each case states all effects; the code under test computes none of them.

import type { JsonObject } from 'parley-hub/core';
import { expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { leap, lines, logOf, refused } from '../scene.ts';
import {
  casesOf,
  ending,
  gather,
  namesIn,
  type TableCase,
  type TableScene,
  type Type,
  tableScene,
  violationsIn,
} from './scene.ts';

type Evaluator = 'max_turns' | 'budget_within' | 'no_progress';
type Moment = 'one below' | 'at the limit' | 'after a restart';
type Case = TableCase<Evaluator, Moment>;

const TYPES: Readonly<Record<Evaluator, readonly Type[]>> = {
  max_turns: ['consulting', 'conversation', 'discussion', 'workflow'],
  budget_within: ['consulting', 'conversation', 'discussion', 'workflow'],
  // In a consulting session nobody posts twice.
  no_progress: ['conversation', 'discussion', 'workflow'],
};
const CASES = casesOf<Evaluator, Moment>(TYPES, ['one below', 'at the limit', 'after a restart']);

it('[EX20] the table has all its cases', () => {
  expect(CASES).toHaveLength(198);
});

/** alice posts the last text, which reaches each limit. */
function talkIn(type: Type): readonly (readonly [string, string])[] {
  if (type === 'consulting') return [['alice', 'Ready?']];
  return [
    ['alice', 'Ready? 1'],
    ['bob', 'no'],
    [type === 'conversation' ? 'bob' : 'carol', 'wait'],
    ['alice', ' ｒｅａｄｙ?  22'],
  ];
}

function paramsOf({ evaluator, type }: Case): JsonObject {
  switch (evaluator) {
    case 'max_turns':
      return { turns: type === 'consulting' ? 1 : 4 };
    case 'budget_within':
      // Three times 0.1 must not exceed 0.3, despite binary fractions.
      return { usd: type === 'consulting' ? 0.05 : 0.3 };
    case 'no_progress':
      return { repeats: 2 };
  }
}

function begin(one: Case): Promise<TableScene> {
  return tableScene(one.type, { name: one.evaluator, on_violation: one.handler, params: paramsOf(one) });
}

function speak({ world, id, peers }: TableScene, name: string, text: string) {
  const event_data = { text, usage: { fresh: 3, output: 2 }, cost_usd: 0.1 };
  return world.answer((peers[name] as Peer).call('post', { session_id: id, event_type: 'msg.text', event_data }));
}

it.each(CASES)('[EX20, EX21, EX22, EX23] $evaluator × $handler in a $type, $moment', async (one) => {
  const scene = await begin(one);
  const { world, id } = scene;
  const talk = talkIn(one.type);
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

/** The envelopes the handler causes. */
function caused({ evaluator, handler, type }: Case): readonly (readonly [string, JsonObject])[] {
  const reason = `expectation_violated:${evaluator}`;
  if (handler === 'auto_close') return ending(reason);
  if (handler === 'hide') return [['session.participant.hidden', { agent_id: 'alice', reason }]];
  if (handler !== 'remove') return [];
  const removed = ['session.participant.removed', { agent_id: 'alice', reason }] as const;
  return namesIn(type).length === 2 ? [removed, ...ending('below_minimum')] : [removed];
}

function expectedAudience({ handler }: Case, { peers }: TableScene): readonly string[] | null {
  if (handler === 'notify_session') return null;
  return handler === 'warn' ? [peers.alice?.agentId ?? ''] : [];
}

async function expectAudit({ world, id, peers }: TableScene, one: Case, seq: number): Promise<void> {
  const kept = await world.hub.audit({ limit: 500 });
  const ours = kept.filter(({ kind, session_id }) => kind === 'expectation_violated' && session_id === id);
  expect(ours.map(({ detail: said }) => said)).toEqual([
    { ...violationIn(one, seq, peers.alice?.agentId ?? ''), seq: seq + 1 },
  ]);
}

async function turnNow({ world, id, peers }: TableScene): Promise<string | null> {
  const { turn } = await world.answer((peers.bob as Peer).call('get_session', { session_id: id }));
  return Object.entries(peers).find(([, { agentId }]) => agentId === turn?.agent_id)?.[0] ?? null;
}

function expectedTurn(one: Case): string | null {
  return isOver(one) || one.type === 'conversation' ? null : 'bob';
}

async function expectViews(scene: TableScene, one: Case, seq: number): Promise<void> {
  const audience = expectedAudience(one, scene);
  for (const [name, peer] of Object.entries(scene.peers)) {
    const { messages } = await scene.world.answer(peer.call('read_view', { session_id: scene.id }));
    const said = messages.filter(({ content }) => content.includes('[hub]')).map(({ content }) => content);
    const line = `[hub]: expectation ${one.evaluator} was violated: ${detail(one, seq)}`;
    expect([name, said]).toEqual([name, audience === null || audience.includes(peer.agentId) ? [line] : []]);
  }
}

/** The limit stays exceeded: neither another post nor time fires it again. */
async function expectNoMore(scene: TableScene, one: Case): Promise<void> {
  const { world, id } = scene;
  const next = () => speak(scene, 'bob', 'one more');
  if (isOver(one)) await refused(world, next(), 'session_closed');
  else await next();
  await leap(world, 3600_000);
  expect(violationsIn(world, id)).toHaveLength(1);
}
