import { OPERATIONS, type OperationName } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { linkPair } from '../../../src/core/lib/link.ts';
import type { HubFrame } from '../../../src/core/protocol/frames/frames.ts';
import { LOCAL_PEER } from '../../../src/hub/registry/handshake.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { type Random, seededRandom } from '../../../src/testing/lib/random.ts';
import { goodParams } from '../every-operation.ts';
import {
  aCast,
  aConversation,
  aWorld,
  invited,
  leave,
  logOf,
  opened,
  rebind,
  recordEvents,
  refusal,
  refused,
  releaseHold,
  SECOND,
  say,
  text,
  VIEWS,
  watch,
} from '../scene.ts';

/** A raw connection: sends and receives text. */
function wire(world: World) {
  const link = world.hub.connect();
  const heard: HubFrame[] = [];
  const state = { closed: false };
  link.onMessage((message) => heard.push(JSON.parse(message)));
  link.onClose(() => {
    state.closed = true;
  });
  const send = async (message: unknown) => {
    link.send(typeof message === 'string' ? message : JSON.stringify(message));
    await world.settle();
    return heard.splice(0);
  };
  return { send, heard, state, link };
}

const hello = { kind: 'hello', protocol: 1, name: 'alice', auth: { scheme: 'none' } };

describe('hello', () => {
  it('[OP2, OP8, L7] is answered with a welcome that contains identity, hub and limits', async () => {
    const world = await aWorld();
    const alice = await world.peer('alice');
    const { send } = wire(world);
    const [welcome] = await send({ ...hello, unknown_field: 'is ignored' });
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
    expect(await errorOf({ ...hello, protocol: 2 })).toEqual({
      code: 'unsupported_version',
      message: 'frame.protocol: this hub speaks 1, got 2',
      details: { field: 'frame.protocol', name: 'alice' },
    });
    const unknown = await errorOf({ ...hello, name: 'nobody' });
    const wrong = await errorOf({ ...hello, auth: { scheme: 'token', token: 'x' } });
    expect(unknown).toMatchObject({ code: 'unauthenticated', details: { name: 'nobody' } });
    expect(JSON.stringify(wrong).replaceAll('alice', 'nobody')).toBe(JSON.stringify(unknown));
    expect(await errorOf({ ...hello, name: 'hub' })).toMatchObject({ code: 'unauthenticated' });
    expect(await errorOf({ ...hello, auth: undefined })).toMatchObject({
      code: 'bad_frame',
      details: { field: 'frame.auth', received: 'nothing' },
    });
    expect(await errorOf({ ...hello, resume: { x: { seq: -1, epoch: 1 } } })).toMatchObject({ code: 'bad_frame' });
    expect([state.closed, world.hub.health().bound]).toEqual([false, 1]);
  });

  it('[BP7, DL15] slows a connection that repeats it; hellos of other names do not', async () => {
    const world = await aWorld();
    for (let n = 0; n < 20; n++) await world.peer(`a${n}`);
    const [ours, theirs] = linkPair();
    const pauses: number[] = [];
    world.hub.accept(Object.assign(ours, { slow: (ms: number) => void pauses.push(ms) }), LOCAL_PEER);
    const greet = async (name: string) => {
      theirs.send(JSON.stringify({ ...hello, name }));
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

describe('requests', () => {
  it('[OP10, OP9] with the same id are open until both are answered', async () => {
    const world = await aWorld();
    const [, bob] = [await world.peer('alice'), await world.peer('bob')];
    const { send } = wire(world);
    await send(hello);
    const request = { kind: 'request', request_id: 'r' };
    const params = { type: 'conversation', participants: [bob.agentId] };
    await send({ ...request, op: 'create_session', params });
    const ping = { kind: 'ping', id: 'p' };
    expect(await send(ping)).toMatchObject([{ kind: 'pong', open: ['r'] }]);
    expect(await send({ ...request, op: 'health', params: {} })).toMatchObject([{ request_id: 'r', ok: true }]);
    expect(await send(ping)).toMatchObject([{ kind: 'pong', open: ['r'] }]);
    for (let n = 0; n < 2; n++) await send({ ...request, op: 'health', params: {} });
    expect(await send(ping)).toMatchObject([{ kind: 'pong', open: ['r'] }]);
    const session_id = bob.notifies()[0]?.envelope.session_id ?? '';
    await world.answer(bob.call('ack_invite', { session_id }));
    expect((await send(ping)).at(-1)).toMatchObject({ kind: 'pong', open: [] });
  });

  it('[OP4, OP3] past their deadline stay open until they are done', async () => {
    const { world, alice, id } = await aConversation({ maxOpenRequests: 1 });
    world.hold = true;
    const late = alice.ask('post', text(id, 'slow'), { deadline_ms: 100 });
    await world.settle();
    world.clock.advance(100);
    expect(await late).toMatchObject({ error: { code: 'timeout' } });
    expect(await alice.ask('health', {})).toMatchObject({ error: { code: 'rate_limited' } });
    await releaseHold(world);
    expect(await alice.ask('health', {})).toMatchObject({ ok: true });
  });

  it('[OP6] must name their identity on a connection that once had several', async () => {
    const world = await aWorld();
    const [, bob] = [await world.peer('alice'), await world.peer('bob')];
    const { send } = wire(world);
    await send(hello);
    await send({ ...hello, name: 'bob' });
    const taken = await rebind(world, 'bob');
    expect(bob.agentId).toBe(taken.agentId);
    await send(hello);
    const request = { kind: 'request', request_id: 'r', op: 'list_agents', params: {} };
    expect((await send(request)).at(-1)).toMatchObject({
      error: { code: 'bad_frame', details: { field: 'frame.as' } },
    });
    expect(await send({ ...request, as: 'alice' })).toMatchObject([{ ok: true }]);
  });

  it('[OP9, OP6] are not needed for a ping to count the unacked deliveries of all identities', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    for (const other of [bob, carol]) {
      const id = await opened(world, alice, [other]);
      other.acks = false;
      await say(world, alice, id, 'one');
    }
    const { send } = wire(world);
    for (const name of ['bob', 'carol']) await send({ ...hello, name });
    expect(await send({ kind: 'ping', id: 'p' })).toMatchObject([{ kind: 'pong', unacked: 2 }]);
  });

  it('[OP1, RE1] with unknown operations or invalid parameters are rejected by name', async () => {
    const world = await aWorld();
    const alice = await world.peer('alice');
    const error = async (op: string, params: unknown) => {
      const frame = await world.answer(alice.ask(op, params));
      return frame.ok ? frame.result : frame.error;
    };
    expect(await error('shout', {})).toMatchObject({
      code: 'bad_frame',
      message: expect.stringMatching(/^frame\.op: no operation "shout"; expected one of register, /),
      details: { field: 'frame.op', received: 'shout' },
    });
    expect(await error('__proto__', {})).toMatchObject({ code: 'bad_frame' });
    expect(await error('constructor', {})).toMatchObject({ code: 'bad_frame' });
    expect(await error('get_session', { session_id: 'S1' })).toEqual({
      code: 'bad_frame',
      message: 'params.session_id: expected a session id of 32 lower-case hex digits, got "S1"',
      details: { field: 'params.session_id', expected: 'a session id of 32 lower-case hex digits', received: '"S1"' },
    });
    expect(await error('list_agents', { limit: 1001 })).toMatchObject({ details: { field: 'params.limit' } });
    expect(await error('post', { session_id: 'a'.repeat(32) })).toMatchObject({
      details: { field: 'params.event_type', received: 'nothing' },
    });
  });

  it('[OP1] with valid parameters get a result, or one of the errors of the operation', async () => {
    const { world, alice, id } = await aConversation({}, { views: VIEWS });
    for (const op of Object.keys(OPERATIONS) as OperationName[]) {
      if (op === 'unregister') continue;
      const frame = await world.answer(alice.ask(op, goodParams(id)[op], { as: 'alice' }));
      if (!frame.ok) expect([op, OPERATIONS[op].errors.includes(frame.error.code)]).toEqual([op, true]);
    }
  });

  const needIdentity = (Object.keys(OPERATIONS) as OperationName[]).filter((op) => OPERATIONS[op].who !== 'anyone');

  it.each(needIdentity)('[OP2, L7] %s requires an identity', async (op) => {
    const { world, id } = await aConversation();
    const before = logOf(world.store, id);
    const frame = await world.answer(world.stranger().ask(op, goodParams(id)[op]));
    expect(frame).toMatchObject({ ok: false, error: { code: 'unauthenticated' } });
    expect(logOf(world.store, id)).toEqual(before);
  });

  it.each(needIdentity)('[OP6, L7] %s is rejected for an identity not bound here', async (op) => {
    const { world, alice, bob, id } = await aConversation();
    const before = logOf(world.store, id);
    for (const as of ['bob', bob.agentId, 'nobody']) {
      const frame = await world.answer(alice.ask(op, goodParams(id)[op], { as }));
      expect(frame).toMatchObject({ ok: false, error: { code: 'unauthenticated' } });
    }
    expect(logOf(world.store, id)).toEqual(before);
  });

  it('[OP2] without a binding may be health and register', async () => {
    const world = await aWorld();
    const peer = world.stranger();
    expect(await world.answer(peer.call('health', {}))).toMatchObject({ ready: true });
    expect(await world.answer(peer.call('register', { name: 'alice' }))).toMatchObject({ name: 'alice' });
    expect(peer.frames.map(({ kind }) => kind)).toEqual(['welcome']);
  });

  it('[OP3] run concurrently: a waiting one does not block the next', async () => {
    const world = await aWorld();
    const both = await world.peer('alice');
    await world.answer(both.call('register', { name: 'bob' }));
    const create = both.call('create_session', { type: 'conversation', participants: ['bob'] }, { as: 'alice' });
    await world.settle();
    const session_id = both.notifies()[0]?.envelope.session_id ?? '';
    await world.answer(both.call('ack_invite', { session_id }, { as: 'bob' }));
    expect((await create).session.state).toBe('ACTIVE');
  });

  it('[OP3, L8] are limited to 64 open ones per connection, without affecting others', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.hold = true;
    const calls = Array.from({ length: 65 }, (_, i) => watch(alice.call('post', text(id, `m${i}`))));
    await world.settle();
    expect(calls.slice(0, 64).every(({ state }) => state === 'open')).toBe(true);
    expect(calls[64]).toEqual({ state: 'refused', value: { code: 'rate_limited', details: { retry_after_ms: 100 } } });
    const other = watch(bob.call('post', text(id, 'me')));
    await releaseHold(world);
    expect([...calls.slice(0, 64), other].every(({ state }) => state === 'answered')).toBe(true);
    expect((await say(world, alice, id, 'again')).seq).toBe(70);
  });

  it('[OP4] with deadline_ms have a bounded answer, not effect, and only one answer', async () => {
    const { world, bob, id } = await aConversation();
    const { send, heard } = wire(world);
    await send(hello);
    world.hold = true;
    const request = (request_id: string, deadline_ms: number) => ({
      kind: 'request',
      request_id,
      op: 'post',
      params: text(id, request_id),
      deadline_ms,
    });
    await send(request('short', 100));
    await send(request('long', 1000));
    world.clock.advance(99);
    await world.settle();
    expect(heard).toEqual([]);
    world.clock.advance(1);
    await world.settle();
    const message = 'post took longer than 100 ms; it may still take effect';
    expect(heard.splice(0)).toEqual([
      {
        kind: 'response',
        request_id: 'short',
        ok: false,
        error: { code: 'timeout', message, details: { session_id: id } },
      },
    ]);
    await releaseHold(world);
    world.clock.advance(5000);
    await world.settle();
    expect(heard).toMatchObject([{ kind: 'response', request_id: 'long', ok: true }]);
    expect(bob.seqs(id)).toEqual([4, 5, 6]);
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

describe('frames', () => {
  it('[OP7, RE1, L8] that do not parse are rejected by name; too many close only that connection', async () => {
    const { world, alice, bob, id } = await aConversation({ maxBadFrames: 4 });
    const bad = recordEvents(world, 'badFrame', ({ agent_id, error }) => `${agent_id === bob.agentId} ${error.code}`);
    const frames = ['no json', '[]', '{"kind":"shout"}'];
    for (const frame of frames) bob.send(frame);
    await world.settle();
    expect(bob.closed).toBe(false);
    expect(bob.frames.slice(-3)).toMatchObject([
      { kind: 'error', error: { code: 'bad_frame', details: { field: 'frame', received: '7 characters' } } },
      { kind: 'error', error: { code: 'bad_frame', details: { field: 'frame', received: 'an array of 0' } } },
      {
        kind: 'error',
        error: {
          code: 'bad_frame',
          details: {
            field: 'frame.kind',
            expected: 'one of hello, request, receipt, delta, ping, pong',
            received: '"shout"',
          },
        },
      },
    ]);
    // A valid frame resets the count.
    expect((await say(world, bob, id, 'still here')).seq).toBe(5);
    for (const frame of frames) bob.send(frame);
    bob.send({ kind: 'request' });
    void bob.ask('post', text(id, 'too late'));
    await world.settle();
    expect(bob.frames.slice(-2)).toMatchObject([
      { kind: 'error', error: { details: { field: 'frame.request_id' } } },
      { kind: 'goodbye', reason: 'bad_frames' },
    ]);
    expect(bob.closed).toBe(true);
    expect(bad).toEqual(Array(7).fill('true bad_frame'));
    expect((await say(world, alice, id, 'still open')).seq).toBe(6);
    expect(world.hub.health()).toMatchObject({ bound: 1, connections: 1 });
  });

  it('[OP7] with invalid parameters are answered, and are no bad frames', async () => {
    const { world, bob } = await aConversation({ maxBadFrames: 2 });
    for (let i = 0; i < 5; i++) await world.answer(bob.ask('post', { i }));
    expect(bob.closed).toBe(false);
  });

  it('[RE1, L8] that are too large are rejected before they are parsed', async () => {
    const { world, bob, id } = await aConversation({ maxFrameBytes: 1000 });
    const frame = (filler: string) => `{"kind":"ping","filler":"${filler}"}`;
    const overhead = frame('').length;
    bob.send(frame('x'.repeat(1000 - overhead)));
    bob.send(frame('x'.repeat(1001 - overhead)));
    bob.send(frame('é'.repeat((1002 - overhead) / 2)));
    await world.settle();
    expect(bob.frames.slice(-3)).toMatchObject([
      { kind: 'pong' },
      { kind: 'error', error: { code: 'too_large', details: { field: 'frame', expected: 'at most 1000 bytes' } } },
      { kind: 'error', error: { code: 'too_large' } },
    ]);
    expect((await say(world, bob, id, 'still here')).seq).toBe(5);
  });

  it('[OP1] of kind ping are answered, pongs are not', async () => {
    const world = await aWorld();
    const { send } = wire(world);
    expect(await send({ kind: 'ping' })).toEqual([{ kind: 'pong' }]);
    expect(await send({ kind: 'pong' })).toEqual([]);
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

describe('a peer that sends arbitrary frames', () => {
  it.each([1, 2, 3, 4])('[L8, RE1, OP7] harms neither hub nor logs (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const { world, alice, bob, id } = await aConversation({ maxBadFrames: 100_000 });
    const pending = await invited(world, alice, [bob], { invite_timeout: '1d' });
    const theirs = await opened(world, alice, [await world.peer('carol')]);
    const before = logOf(world.store, theirs);
    const internal: string[] = [];
    world.hub.on('operationRefused', ({ op, error }) => {
      if (error.code === 'internal') internal.push(`${op}: ${error.message}`);
    });
    world.hub.on('badFrame', ({ error }) => {
      if (error.code === 'internal') internal.push(error.message);
    });
    const mallory = await world.peer('mallory');
    for (let i = 0; i < 400; i++) {
      const peer = random.pick([bob, mallory, world.stranger()]);
      peer.send(strangeFrame(random, [id, pending, theirs], [alice.agentId, bob.agentId, mallory.agentId]));
      if (random.chance(0.1)) await world.settle();
      if (random.chance(0.02)) world.hub.evictIdle();
    }
    await world.pass(2 * SECOND);
    expect(internal).toEqual([]);
    expect(logOf(world.store, theirs)).toEqual(before);
    for (const logId of world.store.logIds()) {
      const log = logOf(world.store, logId);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
    }
    const erin = await world.peer('erin');
    const dave = await world.peer('dave');
    const own = await opened(world, erin, [dave]);
    expect((await say(world, erin, own, 'unharmed')).seq).toBe(5);
    const live = await world.answer(erin.call('get_session', { session_id: own }));
    await world.restart();
    const again = await world.peer('erin');
    expect(await world.answer(again.call('get_session', { session_id: own }))).toEqual(live);
  });
});

/** A valid frame, damaged in one to three ways, or no frame at all. */
function strangeFrame(random: Random, sessions: readonly string[], agents: readonly string[]): string {
  const session_id = random.pick(sessions);
  const op = random.pick(Object.keys(OPERATIONS).filter((name) => name !== 'unregister')) as OperationName;
  const frames: readonly unknown[] = [
    { kind: 'hello', protocol: 1, name: random.pick(['mallory', 'nobody']), auth: { scheme: 'none' } },
    { ...hello, name: 'mallory', resume: { [session_id]: { seq: 3, epoch: 1 } } },
    { kind: 'request', request_id: 'r', op, params: goodParams(session_id)[op], as: random.pick(['bob', 'mallory']) },
    { kind: 'request', request_id: 'r', op, params: goodParams(session_id)[op], deadline_ms: 5 },
    { kind: 'receipt', recipient_id: random.pick(agents), session_id, seq: random.below(9), status: 'ack' },
    {
      kind: 'receipt',
      recipient_id: random.pick(agents),
      session_id,
      seq: random.below(9),
      status: 'nack',
      reason: '',
    },
    { kind: 'ping' },
  ];
  let message = JSON.stringify(random.chance(0.7) ? spoil(random, random.pick(frames)) : random.pick(frames));
  for (let left = random.below(3); left > 0 && random.chance(0.3); left--) {
    const at = random.below(message.length);
    const junk = random.pick(['', '"', '{', '\u0000', '\ud800', 'e9999', '[', 'null', '__proto__']);
    message = message.slice(0, at) + junk + message.slice(at + random.below(4));
  }
  return message;
}

/** The value with one member replaced, removed or added, at any depth. */
function spoil(random: Random, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.2)) return strangeValue(random);
  const entries = Object.entries(value);
  const at = random.below(entries.length + 1);
  const [key, member] = entries[at] ?? [
    random.pick(['__proto__', 'constructor', 'as', 'resume', 'ttl', 'seq', '']),
    null,
  ];
  const rest = entries.filter(([other]) => other !== key);
  if (random.chance(0.15)) return Object.fromEntries(rest);
  return Object.fromEntries([...rest, [key, spoil(random, member)]]);
}

function strangeValue(random: Random): unknown {
  let deep: unknown = 0;
  for (let i = 0; i < 200; i++) deep = [deep];
  const numbers = [0, -1, 1.5, 1e308, 2 ** 53];
  const texts = ['', 'x', '\ud800', 'a'.repeat(300), 'f'.repeat(32), 'msg.text', '30s'];
  const objects = [null, [], {}, [[]], deep, { toString: 1 }, ['alice', 'alice'], { seq: 1, epoch: 1 }];
  return random.pick<unknown>([true, ...numbers, ...texts, ...objects]);
}

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
