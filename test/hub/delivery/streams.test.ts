import { describe, expect, it } from 'vitest';
import {
  aCast,
  aConversation,
  ack,
  aPanel,
  foreignUnit,
  gapsOf,
  invited,
  leave,
  logOf,
  opened,
  openGate,
  rebind,
  SECOND,
  say,
  text,
} from '../scene.ts';
import { slowLink } from '../slow-link.ts';
import { SlowReads } from '../slow-stores.ts';
import { chain, wordsOf } from './scene.ts';

describe('a stream', () => {
  it('[BP1, DL1] pauses under backpressure and continues where it stopped', async () => {
    const { world, alice, id } = await aConversation({ maxUnsentBytes: 1000 });
    const slow = slowLink(world);
    slow.peer.hello('bob');
    await world.settle();
    slow.unsent = 2000;
    for (const words of ['five', 'six', 'seven']) await say(world, alice, id, words);
    expect(slow.peer.seqs(id)).toEqual([5]);
    slow.drain();
    await world.settle();
    expect(slow.peer.seqs(id)).toEqual([5, 6, 7]);
  });

  it('[DL1, L2] names the preceding seq of each recipient in prev_seq', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await say(world, alice, id, 'all'); // 7
    await say(world, bob, id, 'to carol', { audience: [carol.agentId] }); // 8
    await say(world, carol, id, 'to bob', { audience: [bob.agentId, carol.agentId] }); // 9
    await say(world, bob, id, 'all'); // 10
    await say(world, alice, id, 'to bob', { audience: [bob.agentId] }); // 11
    await say(world, carol, id, 'all'); // 12
    expect(chain(alice, id)).toEqual(['0→4', '4→5', '5→6', '6→10', '10→12']);
    expect(chain(bob, id)).toEqual(['null→2', '0→6', '6→7', '7→9', '9→11', '11→12']);
    expect(chain(carol, id)).toEqual(['null→3', '0→6', '6→7', '7→8', '8→10']);
  });

  it('[DL1, DL11, L3] replays the same envelopes, prev_seq and turns as live', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await opened(world, alice, [bob], { type: 'consulting' });
    await say(world, alice, id, 'question');
    const [first, second] = [alice, bob].map((peer) => peer.notifies(id).filter(({ prev_seq }) => prev_seq !== null));
    expect(first?.map(({ turn }) => turn)).toEqual([null, { agent_id: alice.agentId, since_seq: 4 }]);
    expect(second?.map(({ turn }) => turn)).toEqual([
      { agent_id: alice.agentId, since_seq: 4 },
      { agent_id: bob.agentId, since_seq: 5 },
    ]);
    // Without the cursors everything is delivered again.
    await world.crash();
    world.hub.evictIdle();
    expect((await rebind(world, 'alice')).notifies(id)).toEqual(first);
    expect((await rebind(world, 'bob')).notifies(id)).toEqual(second);
  });

  it('[DL1] does not deliver a sender’s own envelopes', async () => {
    const { world, alice, bob, id } = await aConversation();
    for (const words of ['a', 'b']) await say(world, alice, id, words);
    await say(world, bob, id, 'c');
    expect([wordsOf(alice, id), wordsOf(bob, id)]).toEqual([['c'], ['a', 'b']]);
  });

  it('[LC3, DL1, DL8] starts at the beginning of the log for a late joiner', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    for (const words of ['a', 'b', 'c']) await say(world, alice, id, words);
    await say(world, alice, id, 'for bob', { audience: [bob.agentId] });
    await say(world, alice, id, 'for carol', { audience: [carol.agentId] });
    expect(chain(carol, id)).toEqual(['null→3']);
    await world.answer(carol.call('ack_invite', { session_id: id }));
    expect(wordsOf(carol, id)).toEqual(['a', 'b', 'c', 'for carol']);
    expect(chain(carol, id)).toEqual(['null→3', '0→5', '5→6', '6→7', '7→8', '8→10', '10→12']);
    expect(chain(bob, id).at(-1)).toBe('9→12');
  });

  it('[L5, DL1] replays more than the tail in memory and more than one read', async () => {
    const { world, alice, bob, id } = await aConversation({ tailLength: 4 });
    await leave(world, bob);
    for (let i = 0; i < 300; i += 50) {
      const calls = Array.from({ length: 50 }, (_, j) => alice.call('post', text(id, `m${i + j}`)));
      await world.answer(Promise.all(calls));
    }
    for (const evict of [false, true]) {
      if (evict) world.hub.evictIdle();
      const reads = world.store.counts.read;
      const again = await world.peer('bob');
      expect(wordsOf(again, id)).toEqual(Array.from({ length: 300 }, (_, i) => `m${i}`));
      const posts = again.notifies(id).filter(({ envelope }) => envelope.event_type === 'msg.text');
      expect(posts.every(({ prev_seq, envelope }) => prev_seq === envelope.seq - 1)).toBe(true);
      expect(world.store.counts.read).toBeGreaterThan(reads + 2);
      // The crash drops its acks, so the second round replays everything.
      await world.crash();
    }
  });

  it('[DL12] ends with the removal, live and replayed, while the session continues', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await say(world, alice, id, 'before'); // 7
    const removed = { event_type: 'session.participant.removed', event_data: { agent_id: bob.agentId, reason: 'x' } };
    world.store.foreignAppend(id, foreignUnit(world, id, removed)); // 8
    await say(world, alice, id, 'after'); // 9
    await say(world, carol, id, 'after that', { audience: [alice.agentId, bob.agentId] }); // 10
    expect([bob.seqs(id), carol.seqs(id)]).toEqual([
      [6, 7, 8],
      [6, 7, 8, 9],
    ]);
    expect(logOf(world.store, id).at(-1)?.audience).toEqual([alice.agentId]);
    await world.crash();
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([6, 7, 8]);
    const again = await world.peer('bob');
    const { envelopes, next } = await world.answer(again.call('read_log', { session_id: id }));
    expect([envelopes.map(({ seq }) => seq), next]).toEqual([[6, 7, 8], null]);
    const last = await world.answer(again.call('read_log', { session_id: id, from_seq: 8, limit: 1 }));
    expect([last.envelopes.length, last.next]).toEqual([1, null]);
  });

  it('[DL12, LC12] delivers its removal to an agent that unregisters, then goodbye', async () => {
    const { world, bob, id } = await aPanel();
    await world.answer(bob.call('unregister', {}));
    expect(bob.frames.slice(-2)).toMatchObject([
      { kind: 'notify', envelope: { session_id: id, event_type: 'session.participant.removed' } },
      { kind: 'goodbye', reason: 'unregistered', recipient_id: bob.agentId },
    ]);
  });
});

describe('the window', () => {
  it('[DL4, L8] bounds unacked deliveries; an ack makes room for the next', async () => {
    const { world, alice, bob, id } = await aConversation({ window: 3 });
    bob.acks = false;
    bob.receipt(id, 4);
    for (const words of ['a', 'b', 'c', 'd', 'e', 'f']) await say(world, alice, id, words);
    expect(bob.seqs(id)).toEqual([4, 5, 6, 7]);
    await ack(world, bob, id, 6);
    expect(bob.seqs(id)).toEqual([4, 5, 6, 7, 8]);
    await ack(world, bob, id, 5, 7);
    expect(bob.seqs(id)).toEqual([4, 5, 6, 7, 8, 9, 10]);
    const again = await rebind(world, 'bob');
    expect(again.seqs(id)).toEqual([8, 9, 10]);
    // Nobody waits for the silent recipient.
    expect((await say(world, alice, id, 'still')).seq).toBe(11);
  });

  it('[DL4] is announced in the welcome and applies to replay', async () => {
    const { world, alice, bob, id } = await aConversation({ window: 5, tailLength: 2 });
    await leave(world, bob);
    for (let i = 0; i < 20; i++) await say(world, alice, id, `m${i}`);
    const again = await rebind(world, 'bob');
    expect(again.frames[0]).toMatchObject({ kind: 'welcome', limits: { window: 5 } });
    expect(again.seqs(id)).toEqual([5, 6, 7, 8, 9]);
    again.acks = true;
    await ack(world, again, id, ...again.seqs(id));
    expect(again.seqs(id)).toEqual(Array.from({ length: 20 }, (_, i) => 5 + i));
  });
});

describe('ttl', () => {
  it('[DL10, L5] reports an expired envelope as a gap in its place', async () => {
    const { world, alice, bob, id } = await aConversation();
    await leave(world, bob);
    await say(world, alice, id, 'for now', { ttl_seconds: 1 }); // 5
    await say(world, alice, id, 'for long', { ttl_seconds: 60 }); // 6
    await world.pass(SECOND);
    const inTime = await rebind(world, 'bob');
    expect(inTime.seqs(id)).toEqual([5, 6]);
    await world.pass(1);
    const late = await rebind(world, 'bob');
    expect(late.seqs(id)).toEqual([6]);
    expect(gapsOf(late)).toEqual([
      { kind: 'gap', recipient_id: bob.agentId, session_id: id, epoch: 1, from_seq: 5, to_seq: 5, reason: 'expired' },
    ]);
    expect(late.frames.map(({ kind }) => kind)).toEqual(['welcome', 'gap', 'notify']);
    expect(chain(late, id)).toEqual(['5→6']);
    await ack(world, late, id, 6);
    const after = await rebind(world, 'bob');
    expect([after.seqs(id), gapsOf(after)]).toEqual([[], []]);
  });

  it('[DL10, DL2] repeats a gap until a later envelope is acked', async () => {
    const { world, alice, bob, id } = await aConversation();
    await leave(world, bob);
    await say(world, alice, id, 'for long'); // 5
    await say(world, alice, id, 'for now', { ttl_seconds: 1 }); // 6
    await world.pass(2 * SECOND);
    for (let times = 0; times < 2; times++) {
      const again = await rebind(world, 'bob');
      expect(gapsOf(again)).toMatchObject([{ from_seq: 6, to_seq: 6 }]);
      await ack(world, again, id, 5);
    }
  });

  it('[DL10, RU9] repeats an expired gap after the clock was set back', async () => {
    const { world, alice, bob, id } = await aConversation();
    await leave(world, bob);
    await say(world, alice, id, 'for now', { ttl_seconds: 1 }); // 5
    await world.pass(2 * SECOND);
    const gap = { session_id: id, from_seq: 5, to_seq: 5, reason: 'expired' };
    expect(gapsOf(await rebind(world, 'bob'))).toMatchObject([gap]);
    world.clock.jump(-2 * SECOND);
    expect(gapsOf(await rebind(world, 'bob'))).toMatchObject([gap]);
  });

  it('[DL10, DL13] limits delivery only: the log keeps the envelope', async () => {
    const { world, alice, bob, id } = await aConversation();
    await say(world, alice, id, 'for now', { ttl_seconds: 1 });
    await world.pass(5 * SECOND);
    const { envelopes } = await world.answer(bob.call('read_log', { session_id: id, from_seq: 5 }));
    expect(envelopes).toHaveLength(1);
  });
});

describe('a stream that is behind', () => {
  it('[DL1, L5] does not send new envelopes before those it could not read yet', async () => {
    const store = new SlowReads();
    const { world, alice, bob, id } = await aConversation({ tailLength: 1 }, { store });
    await leave(world, bob);
    for (const words of ['five', 'six', 'seven']) await say(world, alice, id, words);
    world.hub.evictIdle();
    await world.answer(alice.call('get_session', { session_id: id }));
    store.failures = 1;
    const again = await rebind(world, 'bob');
    expect(again.seqs(id)).toEqual([]);
    await say(world, alice, id, 'eight');
    await world.pass(SECOND);
    expect(chain(again, id)).toEqual(['4→5', '5→6', '6→7', '7→8']);
  });

  it('[DL2, DL5] does not ack unread envelopes before an old ack', async () => {
    const store = new SlowReads();
    const limits = { tailLength: 1, window: 400, maxOpenRequests: 1000 };
    const { world, alice, bob, id } = await aConversation(limits, { store });
    bob.acks = false;
    for (let i = 5; i <= 300; i++) void alice.call('post', text(id, `m${i}`));
    await world.settle();
    for (let seq = 5; seq <= 300; seq++) if (seq !== 5 && seq !== 250) bob.receipt(id, seq);
    await leave(world, bob);
    world.hub.evictIdle();
    store.closeAfter(1);
    const again = await rebind(world, 'bob');
    expect(again.seqs(id)).toEqual([5]);
    await ack(world, again, id, 5);
    await leave(world, again);
    await openGate(world, store);
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([250]);
  });
});
