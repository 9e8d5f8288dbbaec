// The grants of a request: those of its identity and of the credential it was sent with, never of another connection.

import type { OperationName, Params } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { linkPair } from '../../../src/core/lib/link.ts';
import type { Credential } from '../../../src/core/records/access/credentials.ts';
import { GRANTS, type Grant } from '../../../src/core/records/access/grants.ts';
import { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { panel } from '../panel.ts';
import { ADAPTERS, aCast, opened, openGate, say, watch } from '../scene.ts';
import { SlowReads } from '../slow-stores.ts';

const ALL = Object.keys(GRANTS) as Grant[];
/** A session type whose texts require a grant. */
const GATED = { ...panel, manifest: { ...panel.manifest, type: 'gated', grants: { 'msg.text': 'approve' as const } } };

function credential(grants: readonly Grant[]): Credential {
  return { id: `test:${grants.length}`, name: 'alice', grants, expires_at_ms: null };
}

/** A connection whose hellos prove the current result of `proven`. */
function port(world: World, proven: () => Credential): Peer {
  const [ours, theirs] = linkPair();
  world.hub.accept(ours, { address: 'test', authenticate: proven, bound() {}, helloFailed: () => false });
  return new Peer(theirs);
}

type Ask = (op: OperationName, params: object) => Promise<unknown>;

async function scene() {
  const store = new SlowReads();
  const { world, alice, bob, carol } = await aCast(
    ['alice', 'bob', 'carol'],
    {},
    { store, adapters: [...ADAPTERS, GATED] },
  );
  const others = await opened(world, bob, [carol]);
  const { seq: spoken } = await say(world, bob, others, 'hello');
  const gated = await opened(world, bob, [alice], { type: 'gated' });
  const schedule = await world.answer(
    bob.call('create_schedule', {
      name: 'nightly',
      template: { type: 'conversation', participants: ['carol'] },
      expression: '0 3 * * *',
      zone: 'UTC',
    }),
  );
  return { world, store, others, spoken, gated, schedule_id: schedule.schedule_id };
}

type Scene = Awaited<ReturnType<typeof scene>>;

async function bound({ world }: Scene, grants: readonly Grant[]): Promise<Peer> {
  const peer = port(world, () => credential(grants));
  peer.hello('alice');
  await world.settle();
  return peer;
}

const single =
  ({ world }: Scene, grants: readonly Grant[]): Ask =>
  (op, params) =>
    world.hub.ask({
      op,
      params: async () => params,
      as: 'alice',
      auth: { scheme: 'token' },
      authenticate: () => credential(grants),
      unproven() {},
    });

const over =
  (peer: Peer): Ask =>
  (op, params) =>
    peer.call(op, params as Params<typeof op>, { as: 'alice' });

/** Every operation that checks a grant, called by an agent that is only in the gated session. */
async function outcomes({ world, others: session_id, spoken, gated, schedule_id }: Scene, ask: Ask) {
  const requests: readonly (readonly [OperationName, object])[] = [
    ['get_session', { session_id }],
    ['list_sessions', { all: true }],
    ['search_sessions', { query: 'hello' }],
    ['read_log', { session_id }],
    ['read_view', { session_id, participant: 'carol' }],
    ['read_state', { session_id }],
    ['describe_sessions', { session_ids: [session_id] }],
    ['hub_figures', {}],
    ['read_feed', {}],
    ['list_schedules', { all: true }],
    ['get_schedule', { schedule_id }],
    ['update_schedule', { schedule_id, paused: true }],
    ['delete_schedule', { schedule_id }],
    ['get_rule', { agent: 'bob' }],
    ['set_rule', { agent: 'bob', rule: { limits: { delegation_depth: 2 } } }],
    ['set_rule', { rule: { limits: { delegation_depth: 99 } } }],
    ['register', { name: 'newcomer' }],
    ['create_token', { label: 'helper' }],
    ['list_tokens', {}],
    ['revoke_token', { token_id: '0123456789abcdef' }],
    ['can_send', { session_id: gated }],
    ['post', { session_id: gated, event_type: 'msg.text', event_data: { text: 'hi' } }],
    ['redact', { session_id, seq: spoken }],
    ['hide_participant', { session_id, participant: 'carol' }],
    ['return_to_session', { session_id, participant: 'carol' }],
    ['remove_participant', { session_id, participant: 'carol' }],
    ['close_session', { session_id }],
    ['whoami', {}],
  ];
  const found: string[] = [];
  for (const [op, params] of requests) {
    const outcome = await world.answer(ask(op, params)).then(said, ({ code }: { code: string }) => code);
    found.push(`${op} ${outcome}`);
  }
  return found;
}

/** The part of an answer that depends on a grant. */
function said(answer: unknown): string {
  const { matches, sessions, grants, can } = answer as Record<string, unknown>;
  if (Array.isArray(matches)) return `finds ${matches.length}`;
  if (Array.isArray(sessions)) return `shows ${sessions.length}`;
  if (Array.isArray(grants)) return `holds ${grants.join()}`;
  return can === undefined ? 'ok' : `can ${String(can)}`;
}

describe('a single request beside a connection of the same identity', () => {
  it.each([
    ['a weak request beside a strong connection', [], ALL],
    ['a strong request beside a weak connection', ALL, []],
  ])('[HT2] %s has its own grants in every operation that checks one', async (_, own, ofConnection) => {
    const [beside, alone] = [await scene(), await scene()];
    const peer = await bound(beside, ofConnection);
    await bound(alone, own);
    const found = await outcomes(beside, single(beside, own));
    expect(peer.closed).toBe(false);
    // The same as over a connection with this credential.
    expect(found).toEqual(await outcomes(alone, over(await bound(alone, own))));
    const refused = found.filter((line) => /(forbidden|not_found|shows 0|finds 0|can false|holds )$/.test(line));
    if (own.length === 0) expect(refused).toHaveLength(found.length);
    else expect(refused).toEqual([]);
  });
});

describe('two hellos with different credentials on one endpoint', () => {
  it('[AU3] each request has the grants of the preceding hello, even if judged after the next', async () => {
    const at = await scene();
    const { world, store, others: session_id } = at;
    let proven = credential([]);
    const peer = port(world, () => proven);
    const hello = async (grants: readonly Grant[]): Promise<void> => {
      proven = credential(grants);
      peer.hello('alice');
      await world.settle();
    };
    /** Sent now, judged once the session is loaded. */
    const asked = () => {
      world.hub.evictIdle();
      store.gate.close();
      return watch(peer.call('hide_participant', { session_id, participant: 'carol' }));
    };
    await hello([]);
    const weak = asked();
    await hello(ALL);
    await openGate(world, store);
    expect(weak).toMatchObject({ state: 'refused', value: { code: 'not_found' } });
    const strong = asked();
    await hello([]);
    await openGate(world, store);
    expect(strong.state).toBe('answered');
    const { grants } = await world.answer(peer.call('whoami', {}));
    expect(grants).toEqual([]);
  });
});
