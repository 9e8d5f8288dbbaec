import { describe, expect, it } from 'vitest';
import { REGISTRY_LOG } from '../../../src/core/ports/store.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { listen, shown } from '../all-outputs.ts';
import {
  aConversation,
  lines,
  logOf,
  opened,
  rebind,
  recordEvents,
  releaseHold,
  SECOND,
  say,
  sessionOf,
  text,
  types,
  watch,
} from '../scene.ts';
import { type Scene, scene } from './scene.ts';

const disk = new Error('disk on fire');

const unknown = { state: 'refused', value: { code: 'unavailable', details: { outcome: 'unknown' } } };

const certain = { state: 'refused', value: { code: 'unavailable', details: { outcome: 'refused' } } };

function passTime(world: World, ms: number): [] {
  world.clock.advance(ms);
  world.hub.sweep();
  return [];
}

/** An operation to run while the disk is held. */
type Act = (scene: Scene) => readonly Promise<unknown>[];

const acts: readonly [string, Act][] = [
  ['create_session', ({ alice }) => [alice.call('create_session', { type: 'panel', participants: ['bob', 'carol'] })]],
  ['ack_invite', ({ carol, pending }) => [carol.call('ack_invite', { session_id: pending })]],
  ['reject_invite', ({ carol, pending }) => [carol.call('reject_invite', { session_id: pending })]],
  ['post', ({ alice, active }) => [alice.call('post', text(active, 'held'))]],
  ['a post that moves the turn', ({ alice, consulting }) => [alice.call('post', text(consulting, 'held'))]],
  ['close_session', ({ bob, active }) => [bob.call('close_session', { session_id: active })]],
  [
    'add_participant',
    ({ alice, panel }) => [alice.call('add_participant', { session_id: panel, participant: 'carol' })],
  ],
  ['leave_session', ({ bob, active }) => [bob.call('leave_session', { session_id: active })]],
  ['hideParticipant', ({ world, active }) => [world.hub.hideParticipant(active, 'bob')]],
  ['set_resume', ({ bob }) => [bob.call('set_resume', { summary: 'held', claimed_capabilities: ['holding'] })]],
  ['set_skill', ({ bob }) => [bob.call('set_skill', { text: '---\ndescription: held\n---\nHold.' })]],
  ['register', ({ world }) => [world.stranger().call('register', { name: 'dave' })]],
  ['unregister', ({ bob }) => [bob.call('unregister', {})]],
  ['unregister by an invitee', ({ carol }) => [carol.call('unregister', {})]],
  ['unregister without sessions', ({ idle }) => [idle.call('unregister', {})]],
  ['a TTL that ends', ({ world }) => passTime(world, 40 * SECOND)],
  ['an invite that times out', ({ world }) => passTime(world, 20 * SECOND)],
];

describe('while the disk is held', () => {
  it.each(acts)('[L1, EV1] %s shows nothing to anybody, then everything', async (_name, act) => {
    const all = await scene();
    const { world, alice, bob, carol, active, consulting, pending } = all;
    const heard = listen(world);
    // The reads also load sessions: they show durable state, not memory.
    const stranger = await world.peer('erin');
    const seen = () => shown(world, heard, [alice, bob, carol, stranger], [active, consulting, pending]);
    const connections = world.hub.health().connections;
    const before = await seen();
    world.hold = true;
    const calls = act(all).map(watch);
    await world.settle();
    expect(world.store.stagedUnits()).toBeGreaterThan(0);
    const during = await seen();
    const opens = world.hub.health().connections - connections;
    expect(withConnections(during, opens)).toEqual(before);
    expect(calls.map(({ state }) => state)).toEqual(calls.map(() => 'open'));
    world.hub.evictIdle();
    expect(withConnections(await seen(), opens)).toEqual(before);
    await releaseHold(world);
    expect(await seen()).not.toEqual(before);
    expect(heard.length).toBeGreaterThan(before.taps.length);
    if (!_name.startsWith('create')) expect(calls.map(({ state }) => state)).toEqual(calls.map(() => 'answered'));
  });

  it.each(acts)('[L1] %s leaves nothing if the process dies', async (_name, act) => {
    const all = await scene();
    const { world } = all;
    const logs = () => world.store.logIds().map((id) => [id, logOf(world.store, id)]);
    const before = logs();
    world.hold = true;
    act(all);
    await world.settle();
    world.hold = false;
    expect(logs()).toEqual(before);
    const after = world.store.crash();
    expect(after.logIds().map((id) => [id, logOf(after, id)])).toEqual(before);
  });

  it('[L1, EV1, L2] each unit shows when it is synced: in events and streams, then in its answer, in order', async () => {
    const { world, alice, bob, active } = await scene();
    const order: string[] = [];
    world.hub.on('envelopePosted', ({ envelope }) => {
      order.push(`tap ${envelope.seq}`);
      const durable = logOf(world.store, active).some(({ envelope_id }) => envelope_id === envelope.envelope_id);
      if (!durable) order.push('too early');
    });
    world.hold = true;
    for (const words of ['a', 'b', 'c']) {
      void alice.call('post', text(active, words)).then(({ seq }) => {
        order.push(`answer ${seq}, bob has ${bob.seqs(active).at(-1)}`);
      });
    }
    await world.settle();
    for (let i = 0; i < 3; i++) {
      world.store.sync(1);
      await world.settle();
    }
    const each = [5, 6, 7].flatMap((seq) => [`tap ${seq}`, `answer ${seq}, bob has ${seq}`]);
    expect(order).toEqual(each);
  });

  it('[L1] a rejection that depends on a held unit is held with it', async () => {
    const { world, alice, carol, active, consulting, pending } = await scene();
    const heard = recordEvents(world, 'operationRefused', ({ op, error }) => `${op} ${error.code}`);
    world.hold = true;
    void alice.call('post', text(consulting, 'question'));
    const dependents = [
      alice.call('post', text(consulting, 'another')),
      alice.call('close_session', { session_id: active }),
      alice.call('post', text(active, 'too late')),
      carol.call('ack_invite', { session_id: pending }),
      carol.call('reject_invite', { session_id: pending }),
    ].map(watch);
    const [one, two] = [world.stranger(), world.stranger()];
    void one.call('register', { name: 'dave' });
    dependents.push(watch(two.call('register', { name: 'dave' })));
    await world.settle();
    expect(dependents.map(({ state }) => state)).toEqual(dependents.map(() => 'open'));
    expect(heard).toEqual([]);
    await releaseHold(world);
    expect(
      dependents.map(({ state, value }) => (state === 'refused' ? (value as { code: string }).code : state)),
    ).toEqual(['not_your_turn', 'answered', 'session_closed', 'answered', 'protocol_error', 'conflict']);
  });

  it('[L1] a rejection that depends on nothing held is sent immediately', async () => {
    const { world, alice, bob, active, consulting } = await scene();
    world.hold = true;
    void alice.call('post', text(active, 'held'));
    const early = watch(bob.call('post', text(consulting, 'not my turn')));
    await world.settle();
    expect(early).toMatchObject({ state: 'refused', value: { code: 'not_your_turn' } });
  });

  it('[L1] a new binding gets only durable entries', async () => {
    const { world, alice, active } = await scene();
    world.hold = true;
    void alice.call('post', text(active, 'held'));
    await world.settle();
    const again = await rebind(world, 'bob', { [active]: { seq: 3, epoch: 1 } });
    expect(again.seqs(active)).toEqual([]);
    await releaseHold(world);
    expect(again.seqs(active)).toEqual([5]);
  });
});

describe('a poisoned store', () => {
  async function poisoned(keep = false) {
    const all = await scene();
    const { world, alice, bob, consulting, active } = all;
    const failures = recordEvents(world, 'storeFailed', ({ error }) => error);
    world.hold = true;
    const waiting = {
      question: watch(alice.call('post', text(consulting, 'question', { idempotency_key: 'k' }))),
      repeat: watch(alice.call('post', text(consulting, 'question', { idempotency_key: 'k' }))),
      refusal: watch(alice.call('post', text(consulting, 'another'))),
      other: watch(bob.call('post', text(active, 'elsewhere', { idempotency_key: 'k' }))),
      register: watch(world.stranger().call('register', { name: 'dave' })),
      resume: watch(bob.call('set_resume', { summary: 'mine', expected_version: 0 })),
      stale: watch(bob.call('set_resume', { summary: 'mine', expected_version: 0 })),
    };
    await world.settle();
    world.store.failSync(disk, () => keep);
    await world.settle();
    return { ...all, failures, waiting };
  }

  it('[L10, AM10] reports an unknown outcome for staged units, and certain rejections', async () => {
    const { waiting } = await poisoned();
    expect(waiting).toEqual({
      question: unknown,
      repeat: unknown,
      refusal: certain,
      other: unknown,
      register: unknown,
      resume: unknown,
      stale: certain,
    });
  });

  it('[L10, AM10] rejects every new request', async () => {
    const { world, alice, bob, carol, active, pending } = await poisoned();
    const calls = [
      alice.call('post', text(active, 'x')),
      bob.call('close_session', { session_id: active }),
      carol.call('ack_invite', { session_id: pending }),
      carol.call('reject_invite', { session_id: pending }),
      alice.call('create_session', { type: 'conversation', participants: ['bob'] }),
      world.stranger().call('register', { name: 'erin' }),
      carol.call('unregister', {}),
      alice.call('set_resume', { summary: 'x' }),
      alice.call('set_skill', { text: 'x' }),
      alice.call('add_participant', { session_id: active, participant: 'carol' }),
      bob.call('leave_session', { session_id: active }),
      world.hub.hideParticipant(active, 'bob'),
      world.hub.removeParticipant(active, 'bob'),
    ].map(watch);
    const appends = world.store.counts.append;
    await world.settle();
    expect(calls).toEqual(calls.map(() => certain));
    world.hub.sweep();
    await world.pass(60 * SECOND);
    expect(world.store.counts.append).toBe(appends);
  });

  it('[L10, AM10, EV4] still serves durable data, is not ready, and reports why', async () => {
    const { world, alice, bob, active, consulting, failures } = await poisoned();
    expect((await sessionOf(world, alice, consulting)).head_seq).toBe(4);
    world.hub.evictIdle();
    expect((await world.answer(bob.call('read_log', { session_id: active }))).envelopes).toHaveLength(1);
    expect((await world.answer(bob.call('list_sessions', {}))).sessions).toHaveLength(3);
    expect((await world.answer(alice.call('pending_turns', {}))).turns).toHaveLength(1);
    expect((await world.answer(alice.call('can_send', { session_id: consulting }))).turn?.agent_id).toBe(alice.agentId);
    expect(await world.answer(alice.call('health', {}))).toMatchObject({
      ready: false,
      reason: 'disk on fire',
      staged_units: 0,
      staged_bytes: 0,
    });
    expect(failures).toEqual([disk]);
    expect((await world.hub.audit()).filter(({ kind }) => kind === 'store_failed')).toHaveLength(1);
  });

  it('[L10, L5] still delivers to a new binding', async () => {
    const { world, bob, active } = await poisoned();
    expect(bob.seqs(active)).toEqual([4]);
    const again = await world.peer('bob');
    expect(again.notifies()).toEqual([]);
    expect((await world.answer(again.call('get_session', { session_id: active }))).session.state).toBe('ACTIVE');
  });

  it.each([true, false])('[L10, L5, AM3] answers retries by their keys after a restart (kept: %s)', async (keep) => {
    const { world, consulting, active } = await poisoned(keep);
    world.hold = false;
    await world.crash();
    const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
    const retry = await say(world, alice, consulting, 'question', { idempotency_key: 'k' });
    const other = await say(world, bob, active, 'elsewhere', { idempotency_key: 'k' });
    expect([retry, other].map(({ seq, duplicate }) => [seq, duplicate])).toEqual([
      [5, keep ? true : undefined],
      [5, keep ? true : undefined],
    ]);
    expect(logOf(world.store, consulting)).toHaveLength(5);
    expect(world.hub.health()).toMatchObject({ ready: true, reason: null });
  });

  it('[L10] reports one failure for several sessions', async () => {
    const { failures, world } = await poisoned();
    world.store.failSync(new Error('again'));
    await world.settle();
    expect(failures).toHaveLength(1);
  });

  it('[L10] is not reported for a clean stop', async () => {
    const { world, alice, bob, id: parent } = await aConversation();
    await opened(world, alice, [bob], { parent_session_id: parent });
    const failures = recordEvents(world, 'storeFailed', ({ error }) => error);
    bob.acks = false;
    await world.answer(alice.call('close_session', { session_id: parent }));
    // Everyone leaves: the parent is drained, and a running hub would close its child.
    await world.hub.stop();
    await world.settle();
    expect(failures).toEqual([]);
    expect(types(logOf(world.store, parent)).at(-1)).toBe('session.closed');
    expect(world.hub.health()).toMatchObject({ ready: false, reason: 'the hub is stopped' });
    await world.restart();
    const [, child] = world.store.logIds().filter((id) => id !== REGISTRY_LOG);
    expect(lines(logOf(world.store, child ?? '')).at(-1)).toContain('parent_closed');
  });
});

type Shown = Awaited<ReturnType<typeof shown>>;

/** Hides the connections that an act opened. */
function withConnections(seen: Shown, opened: number): Shown {
  const reads = seen.reads.map((read) =>
    typeof read === 'object' && read !== null && 'connections' in read && typeof read.connections === 'number'
      ? { ...read, connections: read.connections - opened }
      : read,
  );
  return { ...seen, reads };
}
