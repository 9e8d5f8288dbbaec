import { OPERATIONS, type OperationName } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { HubFrame } from '../../../src/core/protocol/frames/frames.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { goodParams } from '../every-operation.ts';
import {
  aCast,
  aConversation,
  aWorld,
  invited,
  leap,
  logOf,
  opened,
  rebind,
  releaseHold,
  SECOND,
  say,
  text,
  VIEWS,
  watch,
} from '../scene.ts';
import { HELLO, wire } from './scene.ts';

describe('requests', () => {
  it('[OP10, OP9] with the same id are open until both are answered', async () => {
    const world = await aWorld();
    const [, bob] = [await world.peer('alice'), await world.peer('bob')];
    const { send } = wire(world);
    await send(HELLO);
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
    await send(HELLO);
    await send({ ...HELLO, name: 'bob' });
    const taken = await rebind(world, 'bob');
    expect(bob.agentId).toBe(taken.agentId);
    await send(HELLO);
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
    for (const name of ['bob', 'carol']) await send({ ...HELLO, name });
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
    await send(HELLO);
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

async function account(world: World, peer: Peer): Promise<HubFrame | undefined> {
  peer.send({ kind: 'ping', id: 'p1' });
  await world.settle();
  return peer.frames.findLast(({ kind }) => kind === 'pong');
}

it('[OP9] a ping with an id is answered with the open requests, one without is only answered', async () => {
  const world = await aWorld();
  const alice = await world.peer('alice');
  await world.peer('bob');
  expect(await account(world, alice)).toEqual({ kind: 'pong', id: 'p1', open: [], unacked: 0, invites: 0 });
  const params = { type: 'conversation', participants: ['bob'] };
  alice.send({ kind: 'request', request_id: 'r-open', op: 'create_session', params });
  expect(await account(world, alice)).toMatchObject({ open: ['r-open'] });
  alice.send({ kind: 'ping' });
  await world.settle();
  expect(alice.frames.at(-1)).toEqual({ kind: 'pong' });
});

it('[OP9] a pong counts unacked deliveries, without nacked ones until their retry', async () => {
  const { world, alice, bob, id } = await aConversation();
  bob.acks = false;
  await say(world, alice, id, 'one');
  await say(world, alice, id, 'two');
  expect(await account(world, bob)).toMatchObject({ unacked: 2 });
  const [first, second] = bob.notifies(id).slice(-2);
  bob.receipt(id, first?.envelope.seq ?? 0, 'nack');
  bob.receipt(id, second?.envelope.seq ?? 0, 'ack');
  expect(await account(world, bob)).toMatchObject({ unacked: 0 });
  await leap(world, SECOND);
  expect(await account(world, bob)).toMatchObject({ unacked: 1 });
});

it('[OP9] a pong counts invites until they are answered or the session ends', async () => {
  const { world, alice, bob } = await aCast(['alice', 'bob']);
  const [first, second] = [await invited(world, alice, [bob]), await invited(world, alice, [bob])];
  expect(await account(world, bob)).toMatchObject({ invites: 2 });
  await world.answer(bob.call('ack_invite', { session_id: first }));
  expect(await account(world, bob)).toMatchObject({ invites: 1 });
  await world.answer(alice.call('close_session', { session_id: second }));
  expect(await account(world, bob)).toMatchObject({ invites: 0 });
});

it('[DL14] marks the first delivery of a binding if the session was partly acked before', async () => {
  const { world, alice, bob, id } = await aConversation();
  await say(world, alice, id, 'one');
  const stranger = await rebind(world, 'bob');
  await say(world, alice, id, 'two');
  await say(world, alice, id, 'three');
  const marks = (peer: Peer): unknown[] => peer.notifies(id).map(({ prev_seq, starts }) => [prev_seq, starts]);
  expect(marks(bob).every((mark) => (mark as unknown[])[1] === undefined)).toBe(true);
  expect(marks(stranger).map((mark) => (mark as unknown[])[1])).toEqual([true, undefined]);
});
