/** Openings for tests: peers, sessions, refusals. */

import { consulting } from 'parley-hub/adapters/consulting';
import { conversation } from 'parley-hub/adapters/conversation';
import type { Envelope, GapFrame, JsonObject, Limits, Params, PostParams, SessionMetadata } from 'parley-hub/core';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import { fullTranscript } from 'parley-hub/views/full-transcript';
import { sinceMyLastTurn } from 'parley-hub/views/since-my-last-turn';
import { tokenBudget } from 'parley-hub/views/token-budget';
import { windowedSummary } from 'parley-hub/views/windowed-summary';
import { expect } from 'vitest';
import { WireError } from '../../src/core/lib/errors.ts';
import type { HubEventName, HubEvents } from '../../src/hub/telemetry/events.ts';
import type { FaultyStore } from '../../src/testing/doubles/faulty-store.ts';
import type { Peer } from '../../src/testing/doubles/peer.ts';
import { World, type WorldOptions } from '../../src/testing/doubles/world.ts';
import { monologue, panel } from './panel.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const ADAPTERS: WorldOptions['adapters'] = [consulting, conversation, panel, monologue];

/** The built-in views. */
export const VIEWS: NonNullable<WorldOptions['views']> = [
  fullTranscript,
  windowedSummary,
  tokenBudget,
  sinceMyLastTurn,
];

/** The built-in evaluators and handlers of expectations. */
export const EXPECTATIONS: Pick<WorldOptions, 'evaluators' | 'handlers'> = {
  evaluators: EVALUATORS,
  handlers: HANDLERS,
};

export function aWorld(limits: Partial<Limits> = {}, options: Partial<WorldOptions> = {}): Promise<World> {
  return World.start({ adapters: ADAPTERS, ...EXPECTATIONS, limits, ...options });
}

/** A world with peers of these names. */
export async function aCast<const Name extends string>(
  names: readonly Name[],
  limits: Partial<Limits> = {},
  options: Partial<WorldOptions> = {},
): Promise<Record<Name, Peer> & { readonly world: World }> {
  const world = await aWorld(limits, options);
  const peers = {} as Record<Name, Peer>;
  for (const name of names) peers[name] = await world.peer(name);
  return { ...peers, world };
}

/** A world with alice and bob in an active conversation. */
export async function aConversation(
  limits: Partial<Limits> = {},
  options: Partial<WorldOptions> = {},
  more: Partial<Params<'create_session'>> = {},
) {
  const { world, alice, bob } = await aCast(['alice', 'bob'], limits, options);
  return { world, alice, bob, id: await opened(world, alice, [bob], more) };
}

/** A world with alice, bob and carol in an active panel. */
export async function aPanel(
  limits: Partial<Limits> = {},
  more: Partial<Params<'create_session'>> = {},
  options: Partial<WorldOptions> = {},
) {
  const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol'], limits, options);
  return { world, alice, bob, carol, id: await opened(world, alice, [bob, carol], { type: 'panel', ...more }) };
}

/** A new session whose invites are not answered. */
export async function invited(
  world: World,
  creator: Peer,
  others: readonly Peer[],
  more: Partial<Params<'create_session'>> = {},
): Promise<string> {
  const participants = others.map(({ agentId }) => agentId);
  const params = { type: 'conversation', participants, wait: 'created', ...more } as const;
  const { session } = await world.answer(creator.call('create_session', params));
  return session.session_id;
}

/** A new session that all of `others` have joined. */
export async function opened(
  world: World,
  creator: Peer,
  others: readonly Peer[],
  more: Partial<Params<'create_session'>> = {},
): Promise<string> {
  const session_id = await invited(world, creator, others, more);
  for (const other of others) await world.answer(other.call('ack_invite', { session_id }));
  return session_id;
}

export function text(session_id: string, words: string, more: Partial<PostParams> = {}): PostParams {
  return { session_id, event_type: 'msg.text', event_data: { text: words }, ...more };
}

export function say(world: World, peer: Peer, session_id: string, words: string, more: Partial<PostParams> = {}) {
  return world.answer(peer.call('post', text(session_id, words, more)));
}

export async function sessionOf(world: World, peer: Peer, session_id: string): Promise<SessionMetadata> {
  return (await world.answer(peer.call('get_session', { session_id }))).session;
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details: WireError['details'];
}

/** The error of a rejected call. */
export async function refusal(world: World, call: Promise<unknown>): Promise<Refusal> {
  const answer = await world.answer(call).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if ('result' in answer) throw new Error(`expected a refusal, got ${JSON.stringify(answer.result)}`);
  if (!(answer.error instanceof WireError)) throw answer.error;
  const { code, message, details } = answer.error;
  return { code, message, details };
}

/** Asserts that a call is rejected with this code and these details; a string stands for `details.field`. */
export async function refused(
  world: World,
  call: Promise<unknown>,
  code: string,
  details?: string | object,
): Promise<Refusal> {
  const error = await refusal(world, call);
  const expected = typeof details === 'string' ? { field: details } : details;
  expect(error).toMatchObject(expected === undefined ? { code } : { code, details: expected });
  return error;
}

/** How far a call has come. */
export function watch(call: Promise<unknown>): { state: 'open' | 'answered' | 'refused'; value: unknown } {
  const watched: { state: 'open' | 'answered' | 'refused'; value: unknown } = { state: 'open', value: undefined };
  call.then(
    (value) => Object.assign(watched, { state: 'answered', value }),
    ({ code, details }: WireError) => Object.assign(watched, { state: 'refused', value: { code, details } }),
  );
  return watched;
}

export function logOf(store: FaultyStore, session_id: string): readonly Envelope[] {
  return store.durableEntries(session_id).map(({ envelope }) => envelope);
}

/** The log as lines: `4 session.opened {"active":[…]}`, with names for ids. */
export function lines(log: readonly Envelope[], ...peers: readonly (readonly [string, Peer])[]): readonly string[] {
  return log.map(({ seq, event_type, event_data }) => {
    const data = event_type === 'session.created' ? '' : ` ${JSON.stringify(event_data)}`;
    return peers.reduce((line, [name, { agentId }]) => line.replaceAll(agentId, name), `${seq} ${event_type}${data}`);
  });
}

export function types(log: readonly Envelope[]): readonly string[] {
  return log.map(({ event_type }) => event_type);
}

/** A unit as another writer might have appended it. */
export function foreignUnit(world: World, session_id: string, ...drafts: readonly Partial<Envelope>[]) {
  const log = logOf(world.store, session_id);
  const last = log.at(-1);
  const head = last?.seq ?? 0;
  const entries = drafts.map((draft, i) => {
    const event_data: JsonObject = { text: 'foreign' };
    const envelope: Envelope = {
      session_id,
      sender_id: 'hub',
      audience: null,
      event_type: 'msg.text',
      event_data,
      causation_id: null,
      task_id: null,
      traceparent: null,
      priority: 'normal',
      idempotency_key: null,
      ttl_seconds: null,
      // Later than the last of the log, and earlier than any of a later millisecond.
      envelope_id: `${(last?.envelope_id ?? '0'.repeat(32)).slice(0, 17)}${'f'.repeat(13)}${(16 + i).toString(16)}`,
      created_at: last?.created_at ?? '2026-01-01T00:00:00.000Z',
      depth: 0,
      ...draft,
      seq: head + 1 + i,
    };
    return { envelope, turn: null };
  });
  return { entries };
}

/** A new connection bound to a registered name. It acks only on request. */
export async function rebind(world: World, name: string, resume?: Parameters<Peer['hello']>[1]): Promise<Peer> {
  const peer = world.stranger();
  peer.hello(name, resume);
  await world.settle();
  return peer;
}

export function gapsOf(peer: Peer): readonly GapFrame[] {
  return peer.frames.filter((frame): frame is GapFrame => frame.kind === 'gap');
}

/** Ends `world.hold`: the disk works again. */
export async function releaseHold(world: World): Promise<void> {
  world.hold = false;
  await world.settle();
}

/** Lets a slow store answer. */
export async function openGate(world: World, store: { readonly gate: { open(): void } }): Promise<void> {
  store.gate.open();
  await world.settle();
}

export async function ack(world: World, peer: Peer, session_id: string, ...seqs: readonly number[]): Promise<void> {
  for (const seq of seqs) peer.receipt(session_id, seq);
  await world.settle();
}

/** Each event from now on, as `show` returns it (default: the event). */
export function recordEvents<Name extends HubEventName, Shown = HubEvents[Name]>(
  world: World,
  name: Name,
  show: (event: HubEvents[Name]) => Shown = (event) => event as unknown as Shown,
): readonly Shown[] {
  const events: Shown[] = [];
  world.hub.on(name, (event) => void events.push(show(event)));
  return events;
}

/** Disconnects the peer. */
export async function leave(world: World, peer: Peer): Promise<void> {
  peer.link.close();
  await world.settle();
}

/** Advances the clock with one sweep at the end. */
export async function leap(world: World, ms: number): Promise<void> {
  world.clock.advance(ms);
  world.hub.sweep();
  await world.settle();
}

/** The state of a session, its reason, and the status of each participant. */
export async function standing(world: World, peer: Peer, session_id: string): Promise<string> {
  const { state, close_reason, participants } = await sessionOf(world, peer, session_id);
  const who = participants.map(({ name, status }) => `${name} ${status}`).join(', ');
  return `${state}${close_reason === null ? '' : ` (${close_reason})`}: ${who}`;
}
