// The hub's side of a ping: it reports what is open, so that the client can detect lost frames.

import { expect, it } from 'vitest';
import type { HubFrame } from '../../../src/core/protocol/frames/frames.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aCast, aConversation, aWorld, invited, leap, rebind, SECOND, say } from '../scene.ts';

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
