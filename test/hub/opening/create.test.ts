import { ProtocolError, type SessionAdapter } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { seededIds, type World } from '../../../src/testing/doubles/world.ts';
import { panel } from '../panel.ts';
import {
  ADAPTERS,
  aConversation,
  aWorld,
  DAY,
  foreignUnit,
  HOUR,
  invited,
  leap,
  leave,
  logOf,
  opened,
  refusal,
  refused,
  releaseHold,
  SECOND,
  say,
  sessionOf,
  standing,
  watch,
} from '../scene.ts';

/** Rejects some topics, and throws on others. */
const picky: SessionAdapter<object> = {
  ...panel,
  manifest: { ...panel.manifest, type: 'picky' },
  initialState: ({ knobs }) => {
    if (knobs.topic === 'broken state') throw new Error('no state');
    return {};
  },
  validateCreate({ knobs }) {
    if (knobs.topic === 'forbidden') throw new ProtocolError('not that topic', { field: 'knobs.topic' });
    if (knobs.topic === 'broken') throw new TypeError('oops');
  },
  validateSend: () => {},
  fold: (_envelope, state) => state,
};

async function start(limits = {}) {
  const world = await aWorld(limits, { adapters: [...ADAPTERS, picky] });
  return { world, alice: await world.peer('alice'), bob: await world.peer('bob') };
}

/** Everything a hub shows or keeps of its sessions. */
async function traces(world: World, peer: Peer) {
  const { live, loaded } = world.hub.health().sessions;
  const { sessions } = await world.answer(peer.call('list_sessions', {}));
  return { logs: world.store.logIds(), staged: world.store.stagedUnits(), live, loaded, sessions };
}

describe('a rejected create', () => {
  const labels = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`l${i}`, 'x']));
  const deep = [{ name: 'a', on_violation: 'audit', params: { deep: nested(70) } }];
  const nowhere = 'f'.repeat(32);
  const picked = (topic: string) => ({ type: 'picky', knobs: { topic } });
  type Row = readonly [
    title: string,
    params: object,
    code: string,
    details?: string | object | undefined,
    message?: string,
  ];
  const cases: readonly Row[] = [
    [
      '[LC2] needs participants',
      { participants: [] },
      'bad_frame',
      problem('params.participants', 'at least one name'),
    ],
    [
      '[LC2] names an unregistered participant',
      { participants: ['bob', 'nobody'] },
      'invalid_create',
      { field: 'params.participants.1', received: 'nobody' },
      'params.participants.1: no agent with name or id "nobody" is registered',
    ],
    [
      '[LC2] names a participant that is listed twice',
      { participants: ['bob', 'alice', 'bob'] },
      'invalid_create',
      { field: 'params.participants.2', received: 'bob' },
    ],
    [
      '[LC2, RE8] names the number of participants the adapter accepts',
      { participants: ['alice'] },
      'invalid_create',
      problem('participants', 'exactly 2', '1'),
      'participants: conversation takes exactly 2, the creator included; got 1',
    ],
    [
      '[LC2] names an unknown adapter',
      { type: 'debate' },
      'invalid_create',
      { field: 'type', received: 'debate' },
      'type: no adapter "debate"; this hub has consulting, conversation, monologue, panel, picky',
    ],
    ['[LC2, RE8] names an unknown version', { version: 7 }, 'invalid_create', { field: 'version', received: '7' }],
    ['[LC2, RE8] names an unknown knob', { knobs: { speed: 9 } }, 'invalid_create', 'knobs.speed'],
    [
      '[LC2, RE8] names a knob with an invalid value',
      { type: 'panel', knobs: { topic: 9 } },
      'invalid_create',
      { field: 'knobs.topic', received: '9' },
    ],
    [
      '[LC2, LC6] accepts close_by any or creator',
      { knobs: { close_by: 'bob' } },
      'invalid_create',
      problem('knobs.close_by', 'any or creator'),
    ],
    [
      '[LC2, RE6] bounds the knobs',
      { type: 'panel', knobs: { topic: 'x'.repeat(70_000) } },
      'too_large',
      'params.knobs',
    ],
    ['[LC2, RE6] bounds the number of labels', { labels }, 'too_large', 'params.labels'],
    [
      '[LC2, RE6] bounds a label with its name',
      { labels: { long: 'é'.repeat(511) } },
      'too_large',
      'params.labels.long',
    ],
    [
      '[LC2] bounds required_acks by the invitees',
      { required_acks: 2 },
      'invalid_create',
      problem('required_acks', '1 to 1', '2'),
    ],
    [
      '[LC2] bounds required_acks by the minimum of participants',
      { required_acks: 0 },
      'invalid_create',
      problem('required_acks', '1 to 1', '0'),
    ],
    [
      '[LC2, RE9] accepts only durations',
      { ttl: '2 weeks' },
      'bad_frame',
      { field: 'params.ttl', received: '"2 weeks"' },
    ],
    ['[LC2, RE9] rejects an endless time', { ttl: 1e300 }, 'bad_frame', 'params.ttl'],
    ['[LC2, RE2] rejects nesting beyond the bound', { expectations: deep }, 'bad_frame'],
    ['[LC2] lets the adapter reject', picked('forbidden'), 'invalid_create', 'knobs.topic', 'not that topic'],
    ['[LC2, AM7] answers internal if the adapter throws', picked('broken'), 'internal'],
    ['[LC2, AM7] answers internal if the adapter cannot create a state', picked('broken state'), 'internal'],
    [
      '[LC2, LC11, AM2] names a missing parent',
      { parent_session_id: nowhere },
      'not_found',
      undefined,
      `no session ${nowhere}`,
    ],
  ];

  it.each(cases)('%s', async (...row) => {
    const [, params, code, details, message] = row as unknown as Row;
    const { world, alice } = await start();
    const heard: string[] = [];
    for (const name of ['envelopePosted', 'sessionCreated'] as const) world.hub.on(name, () => heard.push(name));
    const before = await traces(world, alice);
    const good = { type: 'conversation', participants: ['bob'], wait: 'created', idempotency_key: 'k' } as const;
    const error = await refused(world, alice.call('create_session', { ...good, ...params }), code, details);
    if (message !== undefined) expect(error.message).toBe(message);
    expect(await traces(world, alice)).toEqual(before);
    expect(heard).toEqual([]);
    // The key is free for a valid request.
    const { session, ...rest } = await world.answer(alice.call('create_session', good));
    expect([session.state, rest]).toEqual(['INVITED', { warnings: [] }]);
  });

  it('[LC2, LC11] requires a live parent the creator is active in', async () => {
    const { world, alice, bob } = await start();
    const carol = await world.peer('carol');
    const participants = ['carol'];
    const asChild = (peer: Peer, parent_session_id: string) =>
      refusal(world, peer.call('create_session', { type: 'conversation', participants, parent_session_id }));
    const parent = await invited(world, alice, [bob]);
    const before = await traces(world, alice);
    expect(await asChild(carol, parent)).toEqual({
      code: 'not_found',
      message: `no session ${parent}`,
      details: undefined,
    });
    expect(await asChild(bob, parent)).toMatchObject({
      code: 'invalid_create',
      details: { field: 'params.parent_session_id' },
    });
    expect(await traces(world, alice)).toEqual(before);
    await world.answer(alice.call('close_session', { session_id: parent }));
    expect(await asChild(alice, parent)).toMatchObject({ code: 'invalid_create' });
  });

  it('[LC2, OP2] requires a creator that stays bound while the parent is loaded', async () => {
    const { world, alice, bob, id } = await aConversation();
    const params = { type: 'conversation', participants: ['bob'], wait: 'created' } as const;
    const unbound = world.stranger();
    await refused(world, unbound.call('create_session', params), 'unauthenticated');
    world.hub.evictIdle();
    const call = alice.call('create_session', { ...params, parent_session_id: id });
    const usurper = world.stranger();
    usurper.hello('alice');
    await refused(world, call, 'unauthenticated');
    expect((await world.answer(bob.call('list_sessions', {}))).sessions).toHaveLength(1);
  });

  it('[LC2, L10] leaves no session and no key if its write fails', async () => {
    const { world, alice } = await start();
    world.hold = true;
    const params = { type: 'conversation', participants: ['bob'], wait: 'created', idempotency_key: 'k' } as const;
    const call = watch(alice.call('create_session', params));
    await world.settle();
    world.store.failSync(new Error('disk on fire'));
    await world.settle();
    expect(call).toEqual({ state: 'refused', value: { code: 'unavailable', details: { outcome: 'unknown' } } });
    expect(world.hub.health().sessions).toMatchObject({ live: 0, loaded: 0 });
  });
});

describe('participants', () => {
  it('[RE7] puts an unlisted creator first; names and ids are equivalent', async () => {
    const { world, alice, bob } = await start();
    const carol = await world.peer('carol');
    const order = async (...participants: string[]) => {
      const params = { type: 'panel', participants, wait: 'created' } as const;
      const { session } = await world.answer(alice.call('create_session', params));
      return session.participants.map(({ name, role, order }) => `${order} ${name} ${role}`);
    };
    expect(await order(carol.agentId, 'bob')).toEqual([
      '0 alice initiator',
      '1 carol participant',
      '2 bob participant',
    ]);
    expect(await order('carol', 'alice', bob.agentId)).toEqual([
      '0 carol participant',
      '1 alice initiator',
      '2 bob participant',
    ]);
  });

  it('[L7] resolves an id before a name, so that nobody can take an id as a name', async () => {
    const { world, alice, bob } = await start();
    const mallory = await world.peer(bob.agentId);
    const id = await invited(world, alice, [bob]);
    expect((await sessionOf(world, alice, id)).participants.map(({ name }) => name)).toEqual(['alice', 'bob']);
    expect(mallory.notifies()).toEqual([]);
  });

  it('[RE6] bounds the participants even if the adapter has no maximum', async () => {
    const { world, alice } = await start({ maxParticipants: 3 });
    const others = ['carol', 'dave'];
    for (const name of others) await world.peer(name);
    const create = (participants: readonly string[]) =>
      world.answer(alice.call('create_session', { type: 'panel', participants, wait: 'created' }));
    await refused(world, create(['bob', ...others]), 'invalid_create', { expected: '2 to 3', received: '4' });
    expect((await create(others)).session.participants).toHaveLength(3);
  });

  it('[LC12] rejects invitees that are retiring or retired', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.hold = true;
    const leaving = bob.call('unregister', {});
    await world.settle();
    const early = alice.call('create_session', { type: 'conversation', participants: ['bob'] });
    await refused(world, early, 'invalid_create');
    expect((await sessionOf(world, alice, id)).state).toBe('ACTIVE');
    world.hold = false;
    await world.answer(leaving);
    for (const who of ['bob', bob.agentId]) {
      const call = alice.call('create_session', { type: 'conversation', participants: [who] });
      await refused(world, call, 'invalid_create', { received: who });
    }
  });

  it('[RE7] fills in knob defaults, and lets expectations at create replace those of the manifest', async () => {
    const { world, alice, bob } = await start();
    const plain = await sessionOf(world, alice, await invited(world, alice, [bob], { type: 'panel' }));
    expect(plain.knobs).toEqual({ topic: 'anything', close_by: 'any' });
    const expectations = [{ name: 'max_silence', on_violation: 'warn', params: { seconds: 5 } }];
    const own = await sessionOf(world, alice, await invited(world, alice, [bob], { expectations }));
    expect(own.manifest.expectations).toEqual(expectations);
  });
});

describe('waiting', () => {
  it('[OP5] answers once the session is active', async () => {
    const { world, alice, bob } = await start();
    const call = alice.call('create_session', { type: 'conversation', participants: ['bob'] });
    const watched = watch(call);
    await world.pass(SECOND);
    const [invite] = bob.notifies();
    expect([watched.state, invite?.envelope.event_type]).toEqual(['open', 'session.invite']);
    await world.answer(bob.call('ack_invite', { session_id: invite?.envelope.session_id ?? '' }));
    expect((await call).session).toMatchObject({ state: 'ACTIVE', head_seq: 4 });
  });

  it('[OP5] answers session_closed with the reason if the session ends before it is active', async () => {
    const { world, alice, bob } = await start();
    const ends: readonly [string, (session_id: string) => Promise<unknown>][] = [
      ['invite_rejected', (session_id) => world.answer(bob.call('reject_invite', { session_id }))],
      ['explicit_close', (session_id) => world.answer(alice.call('close_session', { session_id }))],
      ['invite_timeout', () => world.pass(30 * SECOND)],
    ];
    for (const [close_reason, end] of ends) {
      const call = alice.call('create_session', { type: 'conversation', participants: ['bob'] });
      call.catch(() => {});
      await world.settle();
      const session_id = bob.notifies().at(-1)?.envelope.session_id ?? '';
      await end(session_id);
      await refused(world, call, 'session_closed', {
        session_id,
        state: 'CLOSED',
        close_reason,
        rejected_by: close_reason === 'invite_rejected' ? [bob.agentId] : [],
      });
    }
  });

  it('[OP5, L10] reports an unknown outcome if the store fails during the wait', async () => {
    const { world, alice } = await start();
    const call = watch(alice.call('create_session', { type: 'conversation', participants: ['bob'] }));
    await world.settle();
    const bob = world.stranger();
    bob.hello('bob');
    await world.settle();
    world.hold = true;
    void bob.call('ack_invite', { session_id: bob.notifies()[0]?.envelope.session_id ?? '' }).catch(() => {});
    await world.settle();
    world.store.failSync(new Error('disk on fire'));
    await world.settle();
    expect(call).toEqual({ state: 'refused', value: { code: 'unavailable', details: { outcome: 'unknown' } } });
  });
});

describe('a key for create_session', () => {
  const params = { type: 'conversation', participants: ['bob'], wait: 'created', idempotency_key: 'k' } as const;
  const create = async (world: World, peer: Peer, more = {}) => {
    const {
      session,
      warnings: _warnings,
      ...rest
    } = await world.answer(peer.call('create_session', { ...params, ...more }));
    return { id: session.session_id, state: session.state, ...rest };
  };

  it('[AM12] returns the same session for a repeat, in its current state', async () => {
    const { world, alice, bob } = await start();
    const first = await create(world, alice);
    await world.answer(bob.call('ack_invite', { session_id: first.id }));
    await say(world, alice, first.id, 'hello');
    expect(await create(world, alice)).toEqual({ id: first.id, state: 'ACTIVE', duplicate: true });
    expect(await create(world, alice, { wait: 'active' })).toEqual({ id: first.id, state: 'ACTIVE', duplicate: true });
    await world.answer(alice.call('close_session', { session_id: first.id }));
    expect(await create(world, alice)).toEqual({ id: first.id, state: 'CLOSED', duplicate: true });
  });

  it('[AM12] rejects other content under the key, and names the first session', async () => {
    const { world, alice } = await start();
    const { id } = await create(world, alice);
    for (const other of [{ participants: ['alice', 'bob'] }, { ttl: 7 }, { type: 'consulting' }, { intent: 'x' }]) {
      await refused(world, alice.call('create_session', { ...params, ...other }), 'duplicate', { session_id: id });
    }
    expect((await world.answer(alice.call('list_sessions', {}))).sessions).toHaveLength(1);
  });

  it('[AM12] belongs to its creator', async () => {
    const { world, alice } = await start();
    const carol = await world.peer('carol');
    const [a, c] = [await create(world, alice), await create(world, carol)];
    expect([a.id === c.id, 'duplicate' in c]).toEqual([false, false]);
  });

  it('[AM12, L5] holds concurrent repeats until the first is durable', async () => {
    const { world, alice } = await start();
    world.hold = true;
    const calls = [1, 2, 3].map(() => watch(alice.call('create_session', params)));
    const other = watch(alice.call('create_session', { ...params, ttl: 5 }));
    await world.settle();
    calls.push(watch(alice.call('create_session', params)));
    await world.settle();
    expect([...calls, other].map(({ state }) => state)).toEqual(Array(5).fill('open'));
    expect(world.store.stagedUnits()).toBe(1);
    await releaseHold(world);
    const answers = calls.map(({ value }) => value as { session: { session_id: string }; duplicate?: true });
    expect(new Set(answers.map(({ session }) => session.session_id)).size).toBe(1);
    expect(answers.map(({ duplicate }) => duplicate)).toEqual([undefined, true, true, true]);
    expect(other).toMatchObject({ state: 'refused', value: { code: 'duplicate' } });
  });

  it('[AM12, L5] holds repeats with a parent that must be loaded', async () => {
    const { world, alice, id } = await aConversation();
    world.hub.evictIdle();
    const calls = [1, 2].map(() => alice.call('create_session', { ...params, parent_session_id: id }));
    const [first, second] = await world.answer(Promise.all(calls));
    expect(second).toEqual({ ...first, duplicate: true });
  });

  it('[AM12, L8] does not wait for later posts in the session', async () => {
    const { world, alice, bob } = await start();
    const { id } = await create(world, alice);
    await world.answer(bob.call('ack_invite', { session_id: id }));
    world.hold = true;
    void bob.call('post', { session_id: id, event_type: 'msg.text', event_data: { text: 'held' } });
    const repeat = watch(alice.call('create_session', params));
    await world.settle();
    expect(repeat).toMatchObject({ state: 'answered', value: { duplicate: true, session: { head_seq: 4 } } });
  });

  it('[AM12] creates the session again if the first was lost', async () => {
    const { world, alice } = await start();
    world.hold = true;
    void alice.call('create_session', params);
    await world.settle();
    world.hold = false;
    await world.crash();
    const again = await world.peer('alice');
    expect(await create(world, again)).toMatchObject({ state: 'INVITED' });
    expect((await world.answer(again.call('list_sessions', {}))).sessions).toHaveLength(1);
  });

  it('[AM12, L5] is known after a restart, whether the session is live or has ended', async () => {
    const { world, alice, bob } = await start();
    const live = await create(world, alice, { ttl: '12h' });
    await world.answer(bob.call('ack_invite', { session_id: live.id }));
    const ended = await create(world, alice, { idempotency_key: 'other' });
    await world.answer(bob.call('reject_invite', { session_id: ended.id }));
    await world.crash();
    const again = await world.peer('alice');
    expect(await create(world, again, { ttl: '12h' })).toEqual({ id: live.id, state: 'ACTIVE', duplicate: true });
    expect(await create(world, again, { idempotency_key: 'other' })).toEqual({
      id: ended.id,
      state: 'CLOSED',
      duplicate: true,
    });
    await refused(world, again.call('create_session', params), 'duplicate');
  });

  it('[AM12] is free again after 24 hours, not before', async () => {
    const { world, alice } = await start();
    const { id } = await create(world, alice, { ttl: 0 });
    await leap(world, DAY - 1);
    expect(await create(world, alice, { ttl: 0 })).toMatchObject({ id, duplicate: true });
    // By the clock, not by the sweep.
    world.clock.advance(1);
    const next = await create(world, alice, { ttl: 0 });
    expect([next.id === id, next]).toMatchObject([false, { state: 'INVITED' }]);
  });

  it('[AM12, L5] means the newer session once reused after a day, even after a restart', async () => {
    for (const end of [true, false]) {
      const { world, alice, bob } = await start();
      const first = await create(world, alice, { ttl: 0 });
      await world.answer(bob.call('ack_invite', { session_id: first.id }));
      await leap(world, DAY);
      const second = await create(world, alice, { ttl: 0 });
      await world.answer(bob.call('ack_invite', { session_id: second.id }));
      await world.answer(alice.call('close_session', { session_id: first.id, wait: 'closed' }));
      if (end) await world.answer(alice.call('close_session', { session_id: second.id, wait: 'closed' }));
      await world.restart();
      const again = await world.peer('alice');
      expect(await create(world, again, { ttl: 0 })).toMatchObject({ id: second.id, duplicate: true });
    }
  });
});

describe('another writer', () => {
  it('[AM9] retries a create that conflicts without another entry', async () => {
    const { world, alice } = await start();
    const id = nextId(world);
    world.store.conflict(id);
    const params = { type: 'conversation', participants: ['bob'], wait: 'created' } as const;
    const { session } = await world.answer(alice.call('create_session', params));
    expect(session).toMatchObject({ session_id: id, state: 'INVITED', head_seq: 2 });
    expect(world.store.counts.append).toBeGreaterThan(3);
    expect(await standing(world, alice, id)).toMatch(/^INVITED/);
  });

  it('[AM9] rejects a create whose id is taken, and leaves the other session unchanged', async () => {
    const { world, alice, id: model } = await aConversation();
    const id = nextId(world);
    const created = logOf(world.store, model)[0];
    world.hold = true;
    const params = { type: 'conversation', participants: ['bob'], idempotency_key: 'k' } as const;
    const call = alice.call('create_session', params);
    await world.settle();
    world.store.foreignAppend(id, foreignUnit(world, id, { ...created, session_id: id }));
    world.hold = false;
    await refused(world, call, 'conflict');
    expect(logOf(world.store, id)).toHaveLength(1);
    expect(await standing(world, alice, id)).toMatch(/^INVITED/);
    const again = await world.answer(alice.call('create_session', { ...params, wait: 'created' }));
    expect(again).not.toHaveProperty('duplicate');
  });
});

describe('an ended creator', () => {
  it('[L6] expires a session whose creator has disconnected', async () => {
    const { world, alice, bob } = await start();
    const id = await opened(world, alice, [bob], { ttl: '1h' });
    await leave(world, alice);
    await leave(world, bob);
    await leap(world, HOUR);
    expect(logOf(world.store, id).at(-1)?.event_type).toBe('session.expired');
  });
});

/** The next id of the hub: ids come from a seed, one step each. */
function nextId(world: World): string {
  const peek = world.ids.hex32();
  const replay = seededIds(1);
  for (let id = replay.hex32(); id !== peek; id = replay.hex32());
  return replay.hex32();
}

function problem(field: string, expected: string, received?: string): object {
  return { field, expected, ...(received === undefined ? {} : { received }) };
}

function nested(depth: number): unknown {
  return depth === 0 ? 0 : [nested(depth - 1)];
}
