// Every evaluator with every handler in every applicable session type: a millisecond early, when due, and after a restart.
// Each case states all effects; the code under test computes none of them.

import type { JsonObject } from 'parley-hub/core';
import { expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { invited, leap, logOf, opened, refused, say } from '../scene.ts';
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

const SECONDS = 20;
const DUE_AT = '2026-01-01T00:00:20.000Z';

type Evaluator = 'acks_within' | 'reply_within' | 'turn_within' | 'max_silence';
type Moment = 'just before' | 'when due' | 'after a restart';
type Case = TableCase<Evaluator, Moment>;

const TYPES: Readonly<Record<Evaluator, readonly Type[]>> = {
  acks_within: ['consulting', 'conversation', 'discussion', 'workflow'],
  reply_within: ['consulting', 'conversation', 'discussion', 'workflow'],
  turn_within: ['consulting', 'discussion', 'workflow'],
  max_silence: ['consulting', 'conversation', 'discussion', 'workflow'],
};
const CASES = casesOf<Evaluator, Moment>(TYPES, ['just before', 'when due', 'after a restart']);

it('[EX1] the table has all its cases', () => {
  expect(CASES).toHaveLength(270);
});

interface Scene extends TableScene {
  /** The length of the log before anything fires. */
  readonly before: number;
}

async function begin({ evaluator, handler, type }: Case): Promise<Scene> {
  const expectation = { name: evaluator, on_violation: handler, params: { seconds: SECONDS } };
  const scene = await tableScene(type, expectation, evaluator === 'acks_within' ? invited : opened);
  const { world, id, peers } = scene;
  if (evaluator !== 'acks_within') await say(world, peers.alice as Peer, id, 'hello');
  return { ...scene, before: logOf(world.store, id).length };
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
  await expectAll(scene, one, false);
  if (one.moment === 'just before') return;
  await leap(world, 1);
  await expectAll(scene, one, true);
  await leap(world, 3600_000);
  const violated = violationsIn(world, id);
  // A turn taken from one holder is a wait of the next; nothing else fires again.
  expect(violated.length).toBe(1 + laterFirings(one));
  expect(violated[0]?.seq).toBe(before + 1);
});

/** Checks appended envelopes, audit, turn and views, before or after firing. */
async function expectAll(scene: Scene, one: Case, hasFired: boolean): Promise<void> {
  const { world, id, before } = scene;
  const added = logOf(world.store, id).slice(before);
  expect(added.map(({ envelope_id: _, ...rest }) => rest)).toEqual(hasFired ? expectedEnvelopes(scene, one) : []);
  expect(await auditOf(scene)).toEqual(hasFired ? [expectedAudit(scene, one)] : []);
  expect(await turnNow(scene)).toEqual(hasFired ? expectedTurn(scene, one) : turnBefore(one));
  await expectViews(scene, one, hasFired);
}

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

function expectedViolation({ peers }: Scene, one: Case) {
  return {
    entry: 0,
    name: one.evaluator,
    violators: violators(one).map((name) => ({
      agent_id: name === null ? null : peers[name]?.agentId,
      since_seq: since(one),
    })),
    due_at: DUE_AT,
    on_violation: one.handler,
    detail: detail(one),
  };
}

/** Every member of every envelope, except the ids. */
function expectedEnvelopes(scene: Scene, one: Case) {
  const { id, peers, before } = scene;
  const audience = expectedAudience(one, scene);
  const following = caused(one).map(([event_type, { agent_id, ...data }]) => ({
    event_type,
    event_data: agent_id === undefined ? data : { agent_id: peers[String(agent_id)]?.agentId, ...data },
    audience: event_type === 'session.invite.reject' ? [peers.alice?.agentId] : null,
  }));
  const violated = { event_type: 'expectation.violated', event_data: expectedViolation(scene, one), audience };
  return [violated, ...following].map((envelope, i) => ({
    session_id: id,
    sender_id: 'hub',
    ...envelope,
    causation_id: null,
    task_id: null,
    traceparent: null,
    priority: 'normal',
    idempotency_key: null,
    ttl_seconds: null,
    seq: before + 1 + i,
    depth: 0,
    created_at: one.moment === 'after a restart' ? '2026-01-01T00:00:45.000Z' : DUE_AT,
  }));
}

/** The envelopes the handler causes. */
function caused({ evaluator, handler, type }: Case): readonly (readonly [string, JsonObject])[] {
  const reason = `expectation_violated:${evaluator}`;
  const them = violators({ evaluator, handler, type, moment: 'when due' }).filter((name) => name !== null);
  if (handler === 'auto_close') return evaluator === 'acks_within' ? [['session.closed', { reason }]] : ending(reason);
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
  return namesIn(type).length - them.length < 2 ? [...removed, ...ending('below_minimum')] : removed;
}

function expectedAudience({ evaluator, handler, type }: Case, { peers }: Scene): readonly string[] | null {
  if (handler === 'notify_session') return null;
  if (handler !== 'warn') return [];
  const them = violators({ evaluator, handler, type, moment: 'when due' });
  return them[0] === null ? null : them.map((name) => peers[name ?? '']?.agentId ?? '');
}

async function auditOf({ world, id }: Scene): Promise<readonly unknown[]> {
  const kept = await world.hub.audit({ limit: 500 });
  return kept
    .filter(({ kind, session_id }) => kind === 'expectation_violated' && session_id === id)
    .map(({ number: _, ...record }) => record);
}

function expectedAudit(scene: Scene, one: Case) {
  const at = one.moment === 'after a restart' ? '2026-01-01T00:00:45.000Z' : DUE_AT;
  const { id, before } = scene;
  const found = { ...expectedViolation(scene, one), seq: before + 1 };
  return { at, kind: 'expectation_violated', actor: null, session_id: id, detail: found };
}

type NamedTurn = readonly [name: string | undefined, sinceSeq: number] | null;

async function turnNow({ world, id, peers }: Scene): Promise<NamedTurn> {
  const { turn } = await world.answer((peers.alice as Peer).call('get_session', { session_id: id }));
  if (turn === null) return null;
  return [Object.entries(peers).find(([, { agentId }]) => agentId === turn.agent_id)?.[0], turn.since_seq];
}

function turnBefore({ evaluator, type }: Case): NamedTurn {
  return evaluator === 'acks_within' || type === 'conversation' ? null : ['bob', 2 * namesIn(type).length + 1];
}

function expectedTurn({ before }: Scene, one: Case): NamedTurn {
  const { handler, type } = one;
  const given = turnBefore(one);
  if (given === null || handler === 'auto_close') return null;
  const out = handler === 'hide' || handler === 'remove' ? violators(one).filter((name) => name !== null) : [];
  if (handler === 'remove' && namesIn(type).length - out.length < 2) return null;
  if (!out.includes('bob')) return given;
  // In two-party sessions only the status changes: nobody else can take the turn.
  if (type === 'consulting') return null;
  // The violation, then one envelope for each participant taken out: the last one gives the turn.
  return [out.includes('carol') ? 'alice' : 'carol', before + 1 + out.length];
}

/** Checks everything each participant's view shows. */
async function expectViews(scene: Scene, one: Case, hasFired: boolean): Promise<void> {
  const { world, id, peers } = scene;
  const audience = hasFired ? expectedAudience(one, scene) : [];
  for (const [name, peer] of Object.entries(peers)) {
    const reading = peer.call('read_view', { session_id: id });
    if (one.evaluator === 'acks_within' && name !== 'alice') {
      // Invitees see nothing.
      await refused(world, reading, 'forbidden');
      continue;
    }
    const { messages } = await world.answer(reading);
    const isTold = audience === null || audience.includes(peer.agentId);
    const said = one.evaluator === 'acks_within' ? [] : [helloFor(name, one.type)];
    const seen = messages.map(({ role, content }) => `${role} ${content}`);
    expect([name, seen]).toEqual([name, isTold ? [...said, `user ${hubLine(one)}`] : said]);
  }
}

function helloFor(name: string, type: Type): string {
  if (name === 'alice') return 'assistant hello';
  return type === 'discussion' || type === 'workflow' ? 'user [alice]: hello' : 'user hello';
}

function hubLine(one: Case): string {
  return `[hub]: expectation ${one.evaluator} was violated: ${detail(one)}`;
}

/** After bob lost the turn carol has it, and is due in the following sweep. */
function laterFirings({ evaluator, handler, type }: Case): number {
  if (evaluator !== 'turn_within' || type === 'consulting') return 0;
  return handler === 'hide' || handler === 'remove' ? 1 : 0;
}
