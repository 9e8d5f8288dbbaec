import { describe, expect, it } from 'vitest';
import { linkPair } from '../../../src/core/lib/link.ts';
import { LOCAL_PEER } from '../../../src/hub/registry/handshake.ts';
import { aConversation, aWorld, leave, recordEvents, refusal, refused, releaseHold, say, text } from '../scene.ts';
import { HELLO, wire } from './scene.ts';

describe('hello', () => {
  it('[OP2, OP8, L7] is answered with a welcome that contains identity, hub and limits', async () => {
    const world = await aWorld();
    const alice = await world.peer('alice');
    const { send } = wire(world);
    const [welcome] = await send({ ...HELLO, unknown_field: 'is ignored' });
    expect(welcome).toEqual({
      kind: 'welcome',
      name: 'alice',
      agent_id: alice.agentId,
      endpoint_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      hub_id: world.hub.health().hub_id,
      hub_time: '2026-01-01T00:00:00.000Z',
      limits: {
        max_frame_bytes: 1_048_576,
        max_event_bytes: 262_144,
        window: 256,
        max_open_requests: 64,
        max_subscriptions: 256,
        ping_ms: null,
      },
      features: ['deltas', 'observe', 'stream_starts'],
    });
  });

  it('[OP2, L7] is rejected for another version, an unknown name or a wrong credential', async () => {
    const world = await aWorld();
    await world.peer('alice');
    const { send, state } = wire(world);
    const errorOf = async (frame: unknown) => {
      const [answer, ...rest] = await send(frame);
      expect(rest).toEqual([]);
      return answer?.kind === 'error' ? answer.error : answer;
    };
    expect(await errorOf({ ...HELLO, protocol: 2 })).toEqual({
      code: 'unsupported_version',
      message: 'frame.protocol: this hub speaks 1, got 2',
      details: { field: 'frame.protocol', name: 'alice' },
    });
    const unknown = await errorOf({ ...HELLO, name: 'nobody' });
    const wrong = await errorOf({ ...HELLO, auth: { scheme: 'token', token: 'x' } });
    expect(unknown).toMatchObject({ code: 'unauthenticated', details: { name: 'nobody' } });
    expect(JSON.stringify(wrong).replaceAll('alice', 'nobody')).toBe(JSON.stringify(unknown));
    expect(await errorOf({ ...HELLO, name: 'hub' })).toMatchObject({ code: 'unauthenticated' });
    expect(await errorOf({ ...HELLO, auth: undefined })).toMatchObject({
      code: 'bad_frame',
      details: { field: 'frame.auth', received: 'nothing' },
    });
    expect(await errorOf({ ...HELLO, resume: { x: { seq: -1, epoch: 1 } } })).toMatchObject({ code: 'bad_frame' });
    expect([state.closed, world.hub.health().bound]).toEqual([false, 1]);
  });

  it('[BP7, DL15] slows a connection that repeats it; hellos of other names do not', async () => {
    const world = await aWorld();
    for (let n = 0; n < 20; n++) await world.peer(`a${n}`);
    const [ours, theirs] = linkPair();
    const pauses: number[] = [];
    world.hub.accept(Object.assign(ours, { slow: (ms: number) => void pauses.push(ms) }), LOCAL_PEER);
    const greet = async (name: string) => {
      theirs.send(JSON.stringify({ ...HELLO, name }));
      await world.settle();
    };
    for (let n = 0; n < 20; n++) await greet(`a${n}`);
    for (let n = 0; n < 15; n++) await greet('a0');
    expect(pauses).toEqual([]);
    await greet('a0');
    expect(pauses).toEqual([25]);
  });

  it('[DL5, OP6] repeated on the same connection binds again, without a goodbye', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'five');
    const unbound = recordEvents(world, 'agentUnbound', ({ name, reason }) => [name, reason]);
    bob.hello('bob');
    await world.settle();
    expect(bob.frames.filter(({ kind }) => kind === 'goodbye')).toEqual([]);
    expect(bob.seqs(id)).toEqual([4, 5, 5]);
    expect(unbound).toEqual([['bob', 'left']]);
    expect((await say(world, bob, id, 'still me')).seq).toBe(6);
  });
});

describe('several identities', () => {
  it('[OP6] share a connection, each with its own requests and deliveries', async () => {
    const world = await aWorld();
    const both = await world.peer('alice');
    const aliceId = both.agentId;
    const bob = await world.answer(both.call('register', { name: 'bob' }));
    const carol = await world.peer('carol');
    const asBob = { as: 'bob' };
    const create = { type: 'conversation', participants: ['carol'], wait: 'created' } as const;
    const mine = await world.answer(both.call('create_session', create, { as: 'alice' }));
    const his = await world.answer(both.call('create_session', create, { as: bob.agent_id }));
    expect([mine.session.creator_id, his.session.creator_id]).toEqual([aliceId, bob.agent_id]);
    for (const { session } of [mine, his]) {
      await world.answer(carol.call('ack_invite', { session_id: session.session_id }));
    }
    expect(both.notifies(his.session.session_id).map(({ recipient_id }) => recipient_id)).toEqual([
      bob.agent_id,
      bob.agent_id,
    ]);
    await refused(world, both.call('post', text(his.session.session_id, 'x'), { as: 'alice' }), 'not_found');
    expect((await world.answer(both.call('post', text(his.session.session_id, 'x'), asBob))).seq).toBe(5);
    const { sessions } = await world.answer(both.call('list_sessions', {}, asBob));
    expect(sessions.map(({ session_id }) => session_id)).toEqual([his.session.session_id]);
  });

  it('[OP6, DL6] stay bound when another one is replaced or unregistered', async () => {
    const world = await aWorld();
    const both = await world.peer('alice');
    await world.answer(both.call('register', { name: 'bob' }));
    await world.answer(both.call('register', { name: 'carol' }));
    await world.peer('bob');
    expect(both.frames.at(-1)).toMatchObject({ kind: 'goodbye', reason: 'replaced' });
    await world.answer(both.call('unregister', {}, { as: 'carol' }));
    expect(both.frames.at(-1)).toMatchObject({ kind: 'goodbye', reason: 'unregistered' });
    expect(both.closed).toBe(false);
    for (const as of ['bob', 'carol']) {
      await refused(world, both.call('list_sessions', {}, { as }), 'unauthenticated');
    }
    expect(await world.answer(both.call('list_sessions', {}, { as: 'alice' }))).toEqual({ sessions: [], next: null });
  });

  it('[OP6, L7] must be named in requests, even after the others have left', async () => {
    const world = await aWorld();
    const both = await world.peer('alice');
    expect((await world.answer(both.call('list_agents', {}))).agents).toHaveLength(1);
    await world.answer(both.call('register', { name: 'bob' }));
    const nameless = { code: 'bad_frame', details: { field: 'frame.as' } };
    expect(await refusal(world, both.call('list_agents', {}))).toMatchObject(nameless);
    await world.peer('bob');
    expect(await refusal(world, both.call('list_agents', {}))).toMatchObject(nameless);
    expect(await world.answer(both.call('health', {}))).toMatchObject({ ready: true });
    expect((await world.answer(both.call('list_agents', {}, { as: 'alice' }))).agents).toHaveLength(2);
  });

  it('[OP6, L8] are limited per connection', async () => {
    const world = await aWorld({ maxIdentities: 2 });
    const peer = await world.peer('alice');
    await world.answer(peer.call('register', { name: 'bob' }));
    await world.peer('carol');
    peer.hello('carol');
    await world.settle();
    expect(peer.frames.at(-1)).toMatchObject({
      kind: 'error',
      error: { code: 'too_large', details: { name: 'carol' } },
    });
    // An identity already bound here may say hello again.
    peer.hello('bob');
    await world.settle();
    expect(peer.frames.at(-1)).toMatchObject({ kind: 'welcome', name: 'bob' });
  });

  it('[OP6, EV3] all end with their connection', async () => {
    const world = await aWorld();
    const both = await world.peer('alice');
    await world.answer(both.call('register', { name: 'bob' }));
    const left = recordEvents(world, 'agentUnbound', ({ name, reason }) => `${name} ${reason}`);
    await leave(world, both);
    expect(left).toEqual(['alice left', 'bob left']);
    expect(world.hub.health()).toMatchObject({ bound: 0, connections: 0 });
  });
});

describe('the end of a connection', () => {
  it('[L5] at a stop of the hub follows a goodbye, and no connection is accepted after it', async () => {
    const { world, alice, bob } = await aConversation();
    await world.hub.stop();
    await world.settle();
    expect([alice, bob].map(({ frames, closed }) => [frames.at(-1), closed])).toEqual([
      [{ kind: 'goodbye', reason: 'shutdown' }, true],
      [{ kind: 'goodbye', reason: 'shutdown' }, true],
    ]);
    expect(() => world.hub.connect()).toThrow('the hub is not running');
    await world.hub.stop();
  });

  it('[L8] does not undo its open requests', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.hold = true;
    void alice.call('post', text(id, 'last words'));
    await world.settle();
    await leave(world, alice);
    await releaseHold(world);
    expect(bob.notifies(id).at(-1)?.envelope.event_data).toEqual({ text: 'last words' });
  });

  it('[L8] during its registration leaves the identity unbound', async () => {
    const world = await aWorld();
    world.hold = true;
    const peer = world.stranger();
    void peer.call('register', { name: 'alice' });
    await world.settle();
    await leave(world, peer);
    await releaseHold(world);
    expect(world.hub.health()).toMatchObject({ bound: 0, connections: 0 });
    const again = await world.peer('alice');
    expect(again.agentId).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('a connection that keeps asking', () => {
  it('[BP7, L8] is slowed while most of its requests are rejected', async () => {
    const world = await aWorld();
    const [near, far] = linkPair();
    const slowed: number[] = [];
    world.hub.accept(Object.assign(far, { slow: (ms: number) => void slowed.push(ms) }), LOCAL_PEER);
    const ask = async (op: string) => {
      for (let i = 0; i < 8; i++)
        near.send(JSON.stringify({ kind: 'request', request_id: `${op}-${i}`, op, params: {} }));
      await world.settle();
    };
    // Nobody is bound here: only health is allowed.
    for (let i = 0; i < 10; i++) {
      await ask('pending_turns');
      await ask('health');
    }
    expect(slowed).toEqual([]);
    for (let i = 0; i < 4; i++) await ask('pending_turns');
    expect(slowed).toEqual([25, 25]);
  });
});
