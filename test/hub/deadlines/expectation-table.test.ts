// Every evaluator with every handler in every session type it can apply to: a millisecond before it is due, when it is due, and
// with a restart in between. Each case says all that must follow; nothing of it is computed by the code under test.

import { discussion } from 'parley-hub/adapters/discussion';
import { CONDITIONS, roundRobin, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import type { JsonObject, Params } from 'parley-hub/core';
import { expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { ADAPTERS, aWorld, invited, leap, logOf, opened, refusal, say, VIEWS } from '../scene.ts';

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
  await expectAll(scene, one, false);
  if (one.moment === 'just before') return;
  await leap(world, 1);
  await expectAll(scene, one, true);
  await leap(world, 3600_000);
  const violated = logOf(world.store, id).filter(({ event_type }) => event_type === 'expectation.violated');
  // A turn that was taken from one is a wait of another; else nothing fires again.
  expect(violated.length).toBe(1 + laterFirings(one));
  expect(violated[0]?.seq).toBe(before + 1);
});

/** What was appended, the audit, whose turn it is and what everyone sees, before and after it has fired. */
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

/** Every member of every envelope, but for their ids. */
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
  // The violation, then one envelope for each who goes: the last of them gives the turn.
  return [out.includes('carol') ? 'alice' : 'carol', before + 1 + out.length];
}

/** All that each participant's own view of the session shows. */
async function expectViews(scene: Scene, one: Case, hasFired: boolean): Promise<void> {
  const { world, id, peers } = scene;
  const hears = hasFired ? expectedAudience(one, scene) : [];
  for (const [name, peer] of Object.entries(peers)) {
    const reading = peer.call('read_view', { session_id: id });
    if (one.evaluator === 'acks_within' && name !== 'alice') {
      // Who has not joined sees nothing.
      expect(await refusal(world, reading)).toMatchObject({ code: 'forbidden' });
      continue;
    }
    const { messages } = await world.answer(reading);
    const told = hears === null || hears.includes(peer.agentId);
    const said = one.evaluator === 'acks_within' ? [] : [helloFor(name, one.type)];
    const seen = messages.map(({ role, content }) => `${role} ${content}`);
    expect([name, seen]).toEqual([name, told ? [...said, `user ${hubLine(one)}`] : said]);
  }
}

function helloFor(name: string, type: Type): string {
  if (name === 'alice') return 'assistant hello';
  return type === 'discussion' || type === 'workflow' ? 'user [alice]: hello' : 'user hello';
}

function hubLine(one: Case): string {
  return `[hub]: expectation ${one.evaluator} was violated: ${detail(one)}`;
}

/** After the turn was taken from bob, carol has it, and is due in the one sweep that follows. */
function laterFirings({ evaluator, handler, type }: Case): number {
  if (evaluator !== 'turn_within' || type === 'consulting') return 0;
  return handler === 'hide' || handler === 'remove' ? 1 : 0;
}
