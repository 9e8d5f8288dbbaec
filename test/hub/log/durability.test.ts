import { describe, expect, it } from 'vitest';
import { REGISTRY_LOG } from '../../../src/core/ports/store.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { listen, shown } from '../all-outputs.ts';
import {
  aCast,
  aConversation,
  aWorld,
  foreignUnit,
  invited,
  lines,
  logOf,
  opened,
  rebind,
  refusal,
  SECOND,
  say,
  sessionOf,
  standing,
  text,
  types,
  watch,
} from '../scene.ts';

const disk = new Error('disk on fire');
const unknown = { state: 'refused', value: { code: 'unavailable', details: { outcome: 'unknown' } } };
const refused = { state: 'refused', value: { code: 'unavailable', details: { outcome: 'refused' } } };

interface Scene {
  readonly world: World;
  readonly alice: Peer;
  readonly bob: Peer;
  readonly carol: Peer;
  /** In no session. */
  readonly idle: Peer;
  readonly active: string;
  readonly consulting: string;
  readonly pending: string;
  readonly panel: string;
}

async function scene(): Promise<Scene> {
  const trio = await aCast(['alice', 'bob', 'carol']);
  const { world, alice, bob, carol } = trio;
  return {
    ...trio,
    idle: await world.peer('idle'),
    active: await opened(world, alice, [bob], { ttl: '40s' }),
    consulting: await opened(world, alice, [bob], { type: 'consulting' }),
    pending: await invited(world, alice, [carol], { ttl: '20s' }),
    panel: await opened(world, alice, [bob], { type: 'panel' }),
  };
}

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
    world.hold = false;
    await world.settle();
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
    const heard: string[] = [];
    world.hub.on('operationRefused', ({ op, error }) => heard.push(`${op} ${error.code}`));
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
    world.hold = false;
    await world.settle();
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
    world.hold = false;
    await world.settle();
    expect(again.seqs(active)).toEqual([5]);
  });
});

describe('a poisoned store', () => {
  async function poisoned(keep = false) {
    const all = await scene();
    const { world, alice, bob, consulting, active } = all;
    const failures: Error[] = [];
    world.hub.on('storeFailed', ({ error }) => failures.push(error));
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
      refusal: refused,
      other: unknown,
      register: unknown,
      resume: unknown,
      stale: refused,
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
    expect(calls).toEqual(calls.map(() => refused));
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
    const failures: Error[] = [];
    world.hub.on('storeFailed', ({ error }) => failures.push(error));
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

/** Runs `act` while the disk is held, then lets another writer append first. */
async function overtaken<T>(world: World, id: string, act: () => T, ...drafts: Parameters<typeof foreignUnit>[2][]) {
  world.hold = true;
  const result = act();
  await world.settle();
  world.store.foreignAppend(id, foreignUnit(world, id, ...drafts));
  world.hold = false;
  await world.settle();
  return result;
}

describe('after another writer was first', () => {
  const said = (world: World, id: string) =>
    logOf(world.store, id)
      .filter(({ event_type }) => event_type === 'msg.text')
      .map(({ event_data }) => event_data.text);

  it('[AM9, L2] staged posts are judged again, in order, with new stamps', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.hold = true;
    const calls = ['a', 'b', 'c'].map((words) =>
      watch(alice.call('post', text(id, words, { idempotency_key: words }))),
    );
    await world.settle();
    const foreign = foreignUnit(world, id, { sender_id: bob.agentId }, { sender_id: bob.agentId });
    world.store.foreignAppend(id, foreign);
    // The next post arrives while the log is read.
    world.store.sync();
    calls.push(watch(alice.call('post', text(id, 'd'))));
    world.hold = false;
    await world.settle();
    expect(said(world, id)).toEqual(['foreign', 'foreign', 'a', 'b', 'c', 'd']);
    expect(calls.map(({ value }) => (value as { seq: number }).seq)).toEqual([7, 8, 9, 10]);
    const log = logOf(world.store, id);
    const ids = log.map(({ envelope_id }) => envelope_id);
    expect([...new Set(ids)].sort()).toEqual(ids);
    expect(calls.map(({ value }) => (value as { envelope_id: string }).envelope_id)).toEqual(ids.slice(6));
    expect([alice.seqs(id), bob.seqs(id)]).toEqual([
      [3, 4, 5, 6],
      [4, 7, 8, 9, 10],
    ]);
    expect(await say(world, alice, id, 'b', { idempotency_key: 'b' })).toMatchObject({ seq: 8, duplicate: true });
  });

  it('[AM9] a spurious conflict only costs a second attempt', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.store.conflict(id);
    expect((await say(world, alice, id, 'hello')).seq).toBe(5);
    expect(bob.seqs(id)).toEqual([4, 5]);
    expect(said(world, id)).toEqual(['hello']);
  });

  it('[AM9, EV1] the other writer’s entries are published once, before our own', async () => {
    const { world, alice, id } = await aConversation();
    const posted: number[] = [];
    world.hub.on('envelopePosted', ({ envelope }) => posted.push(envelope.seq));
    world.store.foreignAppend(id, foreignUnit(world, id, {}, {}));
    await say(world, alice, id, 'mine');
    expect(posted).toEqual([5, 6, 7]);
    expect((await sessionOf(world, alice, id)).head_seq).toBe(7);
  });

  it('[AM9, L4] staged posts are rejected if it closed the session', async () => {
    const { world, alice, bob, id } = await aConversation();
    const post = (idempotency_key: string) => watch(alice.call('post', text(id, 'too late', { idempotency_key })));
    const closing = { event_type: 'session.closing', event_data: { reason: 'theirs' } };
    const closed = { event_type: 'session.closed', event_data: { reason: 'theirs' } };
    const posts = await overtaken(world, id, () => ['k', 'k2', 'k3'].map(post), closing, closed);
    for (const post of posts) {
      expect(post).toMatchObject({ state: 'refused', value: { code: 'session_closed', details: { state: 'CLOSED' } } });
    }
    expect(said(world, id)).toEqual([]);
    expect(bob.seqs(id)).toEqual([4, 5, 6]);
    expect(world.hub.health().sessions.live).toBe(0);
    expect(await sessionOf(world, alice, id)).toMatchObject({ state: 'CLOSED', close_reason: 'theirs', head_seq: 6 });
    // The keys are unused.
    for (const idempotency_key of ['k', 'k2', 'k3']) {
      expect(await refusal(world, alice.call('post', text(id, 'x', { idempotency_key })))).toMatchObject({
        code: 'session_closed',
      });
    }
  });

  it('[AM9, AM3] a key it used makes the same content a duplicate and rejects other content', async () => {
    const { world, alice, id } = await aConversation();
    const post = (words: string, idempotency_key: string) =>
      watch(alice.call('post', text(id, words, { idempotency_key })));
    const theirs = (words: string, idempotency_key: string) => ({
      sender_id: alice.agentId,
      event_data: { text: words },
      idempotency_key,
    });
    const drafts = [theirs('one', 'k1'), theirs('other', 'k2')];
    const [same, other] = await overtaken(world, id, () => [post('one', 'k1'), post('two', 'k2')], ...drafts);
    expect(same).toMatchObject({ state: 'answered', value: { seq: 5, duplicate: true } });
    expect(other).toMatchObject({ state: 'refused', value: { code: 'duplicate', details: { seq: 6 } } });
    expect(said(world, id)).toEqual(['one', 'other']);
  });

  it('[AM9, AM4] expected_seq is checked on the new head', async () => {
    const { world, alice, id } = await aConversation();
    const call = await overtaken(world, id, () => watch(alice.call('post', text(id, 'x', { expected_seq: 4 }))), {});
    expect(call).toEqual({ state: 'refused', value: { code: 'conflict', details: { head: 5 } } });
  });

  it('[AM9] rejections between staged posts are judged again, and answered in order', async () => {
    const { world, alice, bob, consulting } = await scene();
    const order: string[] = [];
    const watchAll = (name: string, call: Promise<unknown>) =>
      call.then(
        () => order.push(`${name} accepted`),
        ({ code }: { code: string }) => order.push(`${name} ${code}`),
      );
    const question = { sender_id: alice.agentId, event_data: { text: 'theirs' } };
    const post = () => {
      void watchAll('question', alice.call('post', text(consulting, 'question')));
      void watchAll('again', alice.call('post', text(consulting, 'again')));
      void watchAll('reply', bob.call('post', text(consulting, 'reply')));
    };
    await overtaken(world, consulting, post, question);
    expect(order).toEqual(['question not_your_turn', 'again not_your_turn', 'reply accepted']);
    expect(said(world, consulting)).toEqual(['theirs', 'reply']);
  });

  it('[AM9, LC3] two acks that race over two hubs both count', async () => {
    const { world, alice, bob, carol } = await scene();
    const id = await invited(world, alice, [bob, carol], { type: 'panel' });
    const theirs = {
      event_type: 'session.invite.ack',
      event_data: { agent_id: bob.agentId },
      audience: [alice.agentId],
    };
    const ack = await overtaken(world, id, () => watch(carol.call('ack_invite', { session_id: id })), theirs);
    expect(ack).toEqual({ state: 'answered', value: { state: 'ACTIVE' } });
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active, carol active');
  });

  it('[AM9] a name in the registry may be taken, and other registrations are kept', async () => {
    const world = await aWorld();
    await world.peer('alice');
    const [one, two] = [world.stranger(), world.stranger()];
    const register = () => [
      watch(one.call('register', { name: 'dave' })),
      watch(two.call('register', { name: 'erin' })),
    ];
    const passport = {
      agent_id: 'd'.repeat(32),
      name: 'dave',
      kind: 'agent',
      owner: null,
      provider: null,
      model: null,
      cost: null,
      region: null,
      created_at: '2026-01-01T00:00:00.000Z',
    };
    const theirs = { event_type: 'agent.registered', event_data: passport, audience: [] };
    const [taken, free] = await overtaken(world, REGISTRY_LOG, register, theirs);
    expect(taken).toMatchObject({ state: 'refused', value: { code: 'conflict' } });
    expect(free).toMatchObject({ state: 'answered', value: { name: 'erin', agent_id: two.agentId } });
    const { agents } = await world.answer(two.call('list_agents', {}));
    expect(agents.map(({ name }) => name)).toEqual(['alice', 'dave', 'erin']);
    one.hello('dave');
    await world.settle();
    expect(one.agentId).toBe('d'.repeat(32));
  });

  it('[AM9, L3] the session is the same live and folded again', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.store.foreignAppend(id, foreignUnit(world, id, { sender_id: bob.agentId }));
    await say(world, alice, id, 'mine');
    const live = await world.answer(alice.call('get_session', { session_id: id }));
    world.hub.evictIdle();
    expect(await world.answer(alice.call('get_session', { session_id: id }))).toEqual(live);
    await world.restart();
    const again = await world.peer('alice');
    expect(await world.answer(again.call('get_session', { session_id: id }))).toEqual(live);
  });
});

describe('a hub that is behind', () => {
  const behind = {
    state: 'refused',
    value: { code: 'unavailable', details: { outcome: 'refused', retry_after_ms: 1000 } },
  };

  it('[AM11] rejects before admission once a write takes over 5 s, and accepts posts after it', async () => {
    const { world, alice, bob, carol, active, pending } = await scene();
    world.hold = true;
    const held = watch(alice.call('post', text(active, 'held')));
    await world.settle();
    await world.pass(5 * SECOND);
    const inTime = watch(alice.call('post', text(active, 'still')));
    await world.settle();
    await world.pass(1);
    const units = world.store.stagedUnits();
    const late = [
      bob.call('post', text(active, 'late')),
      alice.call('create_session', { type: 'conversation', participants: ['bob'] }),
      carol.call('ack_invite', { session_id: pending }),
      carol.call('reject_invite', { session_id: pending }),
      bob.call('close_session', { session_id: active }),
      world.hub.hideParticipant(active, 'bob'),
      world.hub.returnParticipant(active, 'bob'),
      world.hub.removeParticipant(active, 'bob'),
    ].map(watch);
    await world.settle();
    expect(late).toEqual(late.map(() => behind));
    expect([held.state, inTime.state, world.store.stagedUnits()]).toEqual(['open', 'open', units]);
    expect((await sessionOf(world, bob, active)).head_seq).toBe(4);
    world.hold = false;
    await world.settle();
    expect([held.state, inTime.state]).toEqual(['answered', 'answered']);
    expect((await say(world, bob, active, 'now')).seq).toBe(7);
  });

  it('[AM11, L8] rejects while too many bytes are staged', async () => {
    const { world, alice, bob, id } = await aConversation({ maxStagedBytes: 10_000 });
    world.hold = true;
    const first = watch(alice.call('post', text(id, 'x'.repeat(6000))));
    const second = watch(alice.call('post', text(id, 'x'.repeat(6000))));
    const third = watch(bob.call('post', text(id, 'x')));
    await world.settle();
    expect(third).toEqual(behind);
    expect(world.hub.health()).toMatchObject({ staged_units: 2, ready: true });
    expect(world.hub.health().staged_bytes).toBeGreaterThan(12_000);
    world.hold = false;
    await world.settle();
    expect([first.state, second.state]).toEqual(['answered', 'answered']);
    expect(world.hub.health()).toMatchObject({ staged_units: 0, staged_bytes: 0 });
    expect((await say(world, bob, id, 'x')).seq).toBe(7);
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
