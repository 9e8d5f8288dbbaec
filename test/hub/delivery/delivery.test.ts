import { describe, expect, it } from 'vitest';
import type { Cursor } from '../../../src/core/ports/store.ts';
import type { HubFrame, NotifyFrame } from '../../../src/core/protocol/frames/frames.ts';
import { FaultyStore } from '../../../src/testing/doubles/faulty-store.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import {
  aCast,
  aConversation,
  aPanel,
  aWorld,
  DAY,
  foreignUnit,
  gapsOf,
  invited,
  leap,
  leave,
  logOf,
  opened,
  rebind,
  refusal,
  SECOND,
  say,
  sessionOf,
  text,
} from '../scene.ts';
import { slowLink } from '../slow-link.ts';
import { SlowCursors, SlowLists, SlowReads } from '../slow-stores.ts';

const errorsOf = (peer: Peer) => peer.frames.filter(({ kind }) => kind === 'error');
/** `prev → seq` of a stream. */
const chain = (peer: Peer, id: string) =>
  peer.notifies(id).map(({ prev_seq, envelope }) => `${prev_seq}→${envelope.seq}`);
const wordsOf = (peer: Peer, id: string) =>
  peer.notifies(id).flatMap(({ envelope }) => (envelope.event_type === 'msg.text' ? [envelope.event_data.text] : []));

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

describe('acks', () => {
  async function withThree() {
    const all = await aConversation();
    const { world, alice, bob, id } = all;
    bob.acks = false;
    for (const words of ['five', 'six', 'seven']) await say(world, alice, id, words);
    return all;
  }

  it('[DL2, DL5, L5] do not cover an earlier loss', async () => {
    const { world, bob, id } = await withThree();
    bob.receipt(id, 7);
    bob.receipt(id, 5);
    await world.settle();
    const again = await rebind(world, 'bob');
    expect(again.seqs(id)).toEqual([6]);
    expect(chain(again, id)).toEqual(['5→6']);
  });

  it('[DL2, DL5] survive a restart, including those beyond a loss', async () => {
    const { world, alice, bob, id } = await withThree();
    bob.receipt(id, 7);
    bob.receipt(id, 5);
    await world.pass(SECOND);
    await world.restart();
    await say(world, await world.peer('alice'), id, 'eight');
    const again = await rebind(world, 'bob');
    expect(again.seqs(id)).toEqual([6, 8]);
    again.receipt(id, 6);
    await world.settle();
    // The cursor has moved over the acks beyond the loss.
    expect((await rebind(world, 'bob', {})).seqs(id)).toEqual([8]);
    expect(alice.closed).toBe(true);
  });

  it('[L5, DL5] lost in a crash only repeat the delivery', async () => {
    const { world, bob, id } = await withThree();
    for (const seq of [5, 6, 7]) bob.receipt(id, seq);
    await world.settle();
    await world.crash();
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([4, 5, 6, 7]);
  });

  it('[DL2] count once when repeated', async () => {
    const { world, bob, id } = await withThree();
    const acked: number[] = [];
    world.hub.on('deliveryAcked', ({ seq }) => acked.push(seq));
    for (const seq of [5, 5, 6, 5]) bob.receipt(id, seq);
    await world.settle();
    expect([acked, errorsOf(bob).length]).toEqual([[5, 6], 1]); // 1: the hello before it was registered
  });

  it('[DL2] are kept when writing the cursors fails once', async () => {
    class Stubborn extends FaultyStore {
      static failures = 1;
      override saveCursors(cursors: readonly Cursor[]): Promise<void> {
        if (Stubborn.failures-- > 0) return Promise.reject(new Error('cursor file is gone'));
        return super.saveCursors(cursors);
      }
    }
    const warnings: string[] = [];
    const log = { info() {}, error() {}, warn: (message: string) => void warnings.push(message) };
    const { world, alice, id } = await aConversation({}, { store: new Stubborn(), log });
    await say(world, alice, id, 'hello');
    await world.pass(SECOND);
    expect(warnings).toEqual(['cursors could not be written']);
    await world.pass(SECOND);
    await world.restart();
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([]);
  });

  it('[DL7] for envelopes that were not sent are bad frames without effect', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, bob, id, 'own'); // 5
    await say(world, alice, id, 'six'); // 6
    const other = await opened(world, alice, [await world.peer('carol')]);
    const errors = errorsOf(bob).length;
    const bad: readonly [string, number][] = [
      [id, 5],
      [id, 7],
      [other, 4],
      ['f'.repeat(32), 1],
    ];
    for (const [session_id, seq] of bad) bob.receipt(session_id, seq);
    bob.send({ kind: 'receipt', recipient_id: alice.agentId, session_id: id, seq: 6, status: 'ack' });
    await world.settle();
    expect(errorsOf(bob).slice(errors)).toMatchObject(
      [...bad.map(([, seq]) => seq), 6].map((seq) => ({
        error: { code: 'bad_frame', details: { field: 'frame.seq', received: String(seq) } },
      })),
    );
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([6]);
  });

  it('[DL7, L8] may be followed by seen, even after the session has ended', async () => {
    const { world, alice, bob, id } = await aConversation();
    const seen: number[] = [];
    world.hub.on('deliverySeen', ({ seq }) => seen.push(seq));
    await say(world, alice, id, 'hello');
    bob.receipt(id, 5, 'seen');
    await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
    await world.settle();
    const errors = errorsOf(bob).length;
    for (const seq of [5, 6, 7]) bob.receipt(id, seq, 'seen');
    bob.receipt(id, 7, 'ack');
    await world.pass(SECOND);
    bob.receipt(id, 5, 'seen');
    await world.settle();
    expect([seen, errorsOf(bob).length - errors]).toEqual([[5, 5, 6, 7, 5], 0]);
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([]);
  });

  it('[DL2] do not include seen', async () => {
    const { world, bob, id } = await withThree();
    for (const seq of [5, 6, 7]) bob.receipt(id, seq, 'seen');
    await world.settle();
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([5, 6, 7]);
  });
});

describe('nacks', () => {
  const attempts = (peer: Peer, seq: number) =>
    peer.notifies().flatMap(({ envelope, attempt }) => (envelope.seq === seq ? [attempt ?? 1] : []));

  async function nacking() {
    const all = await aConversation();
    const { world, alice, bob, id } = all;
    bob.acks = false;
    await say(world, bob, id, 'own'); // 5, so that 6 does not follow 5 in bob's stream
    await say(world, alice, id, 'try'); // 6
    await say(world, alice, id, 'next'); // 7
    const failed: unknown[] = [];
    world.hub.on('deliveryFailed', (event) => failed.push(event));
    return { ...all, failed };
  }

  it('[DL3] repeat the envelope after 1, 2, 4, 8 and 16 s with its attempt number, then give up', async () => {
    const { world, bob, id, failed } = await nacking();
    bob.receipt(id, 7);
    for (const delay of [1, 2, 4, 8, 16]) {
      const sent = attempts(bob, 6).length;
      bob.receipt(id, 6, 'nack', 'busy');
      await world.settle();
      await world.pass(delay * SECOND - 1);
      expect(attempts(bob, 6)).toHaveLength(sent);
      await world.pass(1);
      expect(attempts(bob, 6)).toHaveLength(sent + 1);
    }
    expect(attempts(bob, 6)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(failed).toEqual([]);
    bob.receipt(id, 6, 'nack', 'still busy');
    await world.settle();
    await world.pass(60 * SECOND);
    expect(attempts(bob, 6)).toHaveLength(6);
    expect(failed).toEqual([{ agent_id: bob.agentId, session_id: id, seq: 6, reason: 'still busy' }]);
    // It counts as acked.
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([]);
    expect((await world.hub.audit()).filter(({ kind }) => kind === 'delivery_failed')).toHaveLength(1);
  });

  it('[DL3, DL1] repeat the same envelope with the same prev_seq and turn, after later ones', async () => {
    const { world, bob, id } = await nacking();
    bob.receipt(id, 6, 'nack');
    await world.settle();
    await world.pass(SECOND);
    const [first, again] = bob.notifies(id).filter(({ envelope }) => envelope.seq === 6);
    expect(again).toEqual({ ...first, attempt: 2 });
    expect(chain(bob, id).slice(1)).toEqual(['0→4', '4→6', '6→7', '4→6']);
  });

  it('[DL3] stop repeating after an ack', async () => {
    const { world, bob, id, failed } = await nacking();
    bob.receipt(id, 6, 'nack');
    await world.settle();
    bob.receipt(id, 6);
    await world.pass(60 * SECOND);
    expect([attempts(bob, 6), failed]).toEqual([[1], []]);
  });

  it('[DL3, DL6] do not repeat on the old binding after a new one', async () => {
    const { world, bob, id } = await nacking();
    bob.receipt(id, 6, 'nack');
    await world.settle();
    const again = await rebind(world, 'bob');
    await world.pass(2 * SECOND);
    expect([attempts(bob, 6), attempts(again, 6)]).toEqual([[1], [1]]);
  });

  it('[DL3, DL10] report a gap instead of redelivering an envelope past its ttl', async () => {
    const { world, alice, bob, id } = await nacking();
    await say(world, alice, id, 'short', { ttl_seconds: 2 }); // 8
    for (const seconds of [1, 10]) {
      bob.receipt(id, 8, 'nack');
      await world.settle();
      await world.pass(seconds * SECOND);
    }
    expect(attempts(bob, 8)).toEqual([1, 2]);
    expect(gapsOf(bob)).toMatchObject([{ from_seq: 8, to_seq: 8, reason: 'expired' }]);
    await say(world, alice, id, 'nine');
    expect(chain(bob, id).at(-1)).toBe('8→9');
  });
});

describe('the window', () => {
  it('[DL4, L8] bounds unacked deliveries; an ack makes room for the next', async () => {
    const { world, alice, bob, id } = await aConversation({ window: 3 });
    bob.acks = false;
    bob.receipt(id, 4);
    for (const words of ['a', 'b', 'c', 'd', 'e', 'f']) await say(world, alice, id, words);
    expect(bob.seqs(id)).toEqual([4, 5, 6, 7]);
    bob.receipt(id, 6);
    await world.settle();
    expect(bob.seqs(id)).toEqual([4, 5, 6, 7, 8]);
    bob.receipt(id, 5);
    bob.receipt(id, 7);
    await world.settle();
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
    for (const seq of again.seqs(id)) again.receipt(id, seq);
    await world.settle();
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
    late.receipt(id, 6);
    await world.settle();
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
      again.receipt(id, 5);
      await world.settle();
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

describe('a new binding', () => {
  it('[DL5, L5] gets everything unacked from the cursor on, then new envelopes', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'five');
    await leave(world, bob);
    await say(world, alice, id, 'six');
    const again = await rebind(world, 'bob');
    await say(world, alice, id, 'seven');
    expect(chain(again, id)).toEqual(['4→5', '5→6', '6→7']);
  });

  it('[DL5] resumes after its resume point, which acks everything before', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    for (const words of ['five', 'six', 'seven']) await say(world, alice, id, words);
    const again = await rebind(world, 'bob', { [id]: { seq: 6, epoch: 1 } });
    expect(chain(again, id)).toEqual(['6→7']);
    await world.pass(SECOND);
    await world.restart();
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([7]);
  });

  it('[DL5] ignores a resume point above the head or below the cursor', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    for (const words of ['five', 'six', 'seven']) await say(world, alice, id, words);
    bob.receipt(id, 5);
    await world.settle();
    expect((await rebind(world, 'bob', { [id]: { seq: 8, epoch: 1 } })).seqs(id)).toEqual([6, 7]);
    expect((await rebind(world, 'bob', { [id]: { seq: 4, epoch: 1 } })).seqs(id)).toEqual([6, 7]);
    expect((await rebind(world, 'bob', { [id]: { seq: 7, epoch: 1 } })).seqs(id)).toEqual([]);
  });

  it('[DL5, L5] reports a resume point of another epoch as a gap and delivers from the cursor', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'five');
    const again = await rebind(world, 'bob', { [id]: { seq: 9, epoch: 2 } });
    expect(again.frames.slice(1)).toMatchObject([
      { kind: 'gap', recipient_id: bob.agentId, session_id: id, epoch: 1, from_seq: 1, to_seq: 9, reason: 'epoch' },
      { kind: 'notify', prev_seq: 4, envelope: { seq: 5 } },
    ]);
  });

  it('[DL5, AM2] ignores resume points of foreign or unknown sessions', async () => {
    const { world, alice, bob, id } = await aConversation();
    const carol = await world.peer('carol');
    const other = await opened(world, alice, [carol]);
    const resume = {
      [other]: { seq: 4, epoch: 7 },
      ['e'.repeat(32)]: { seq: 1, epoch: 1 },
      nonsense: { seq: 1, epoch: 1 },
    };
    const again = await rebind(world, 'bob', resume);
    expect(again.frames.map(({ kind }) => kind)).toEqual(['welcome']);
    expect(bob.closed).toBe(false);
    await say(world, alice, id, 'five');
    expect(again.seqs(id)).toEqual([5]);
  });

  it('[DL6, L7] replaces the older one, which gets goodbye and can do nothing more', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'five');
    const again = await rebind(world, 'bob');
    expect(bob.frames.at(-1)).toEqual({ kind: 'goodbye', reason: 'replaced', recipient_id: bob.agentId });
    const heard = bob.frames.length;
    expect(await refusal(world, bob.call('post', text(id, 'x')))).toMatchObject({ code: 'unauthenticated' });
    expect(await refusal(world, bob.call('post', text(id, 'x'), { as: 'bob' }))).toMatchObject({
      code: 'unauthenticated',
    });
    bob.receipt(id, 5);
    await world.settle();
    await say(world, alice, id, 'six');
    expect(again.seqs(id)).toEqual([5, 6]);
    // The old binding's late ack is ignored and is no bad frame.
    expect(bob.frames.slice(heard)).toEqual([]);
    expect(bob.closed).toBe(false);
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([5, 6]);
  });

  it('[DL6] rejects requests of the older binding that were not judged yet', async () => {
    const { world, alice, bob, id } = await aConversation();
    const pending = await invited(world, alice, [bob]);
    const calls = () => [
      bob.call('post', text(id, 'x')),
      bob.call('ack_invite', { session_id: pending }),
      bob.call('reject_invite', { session_id: pending }),
      bob.call('close_session', { session_id: id }),
    ];
    world.hub.evictIdle();
    const asked = calls();
    const usurper = world.stranger();
    usurper.hello('bob');
    for (const call of asked) call.catch(() => {});
    for (const call of asked) expect(await refusal(world, call)).toMatchObject({ code: 'unauthenticated' });
    expect([logOf(world.store, id).length, logOf(world.store, pending).length]).toEqual([4, 2]);
  });

  it('[DL6, AM9] rejects a request of the older binding that is judged again', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.hold = true;
    const post = bob.call('post', text(id, 'x'));
    await world.settle();
    world.store.foreignAppend(id, foreignUnit(world, id, { sender_id: alice.agentId }));
    await rebind(world, 'bob');
    world.hold = false;
    expect(await refusal(world, post)).toMatchObject({ code: 'unauthenticated' });
  });

  it('[DL6] is the only one served, however long the cursors take to load', async () => {
    const store = new SlowCursors();
    const { world, alice, bob, id } = await aConversation({}, { store });
    bob.acks = false;
    await say(world, alice, id, 'five');
    store.gate.close();
    const [first, second] = [await rebind(world, 'bob'), await rebind(world, 'bob')];
    await say(world, alice, id, 'six');
    const asked = first.frames.map(({ kind }) => kind);
    expect([asked, second.frames.map(({ kind }) => kind)]).toEqual([['welcome', 'goodbye'], ['welcome']]);
    store.gate.open();
    await world.settle();
    expect([first.seqs(id), chain(second, id)]).toEqual([[], ['4→5', '5→6']]);
  });

  it('[DL8, DL9, L5] loses nothing that happens while its cursors load', async () => {
    const store = new SlowCursors();
    const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { store });
    const [open, closes, declined] = [
      await opened(world, alice, [bob]),
      await opened(world, alice, [bob]),
      await invited(world, alice, [bob]),
    ];
    await leave(world, bob);
    store.gate.close();
    const again = await world.peer('bob');
    await say(world, alice, open, 'in the meantime');
    await world.answer(alice.call('close_session', { session_id: closes }));
    await world.pass(5 * SECOND);
    await world.answer(alice.call('close_session', { session_id: declined }));
    const late = await invited(world, alice, [bob]);
    expect(again.notifies()).toEqual([]);
    store.gate.open();
    await world.settle();
    expect([chain(again, open), chain(again, closes), chain(again, declined), chain(again, late)]).toEqual([
      ['4→5'],
      ['4→5', '5→6'],
      ['null→3'],
      ['null→2'],
    ]);
  });

  it('[DL9, DL8, L5] loses no end that follows the list of ended sessions', async () => {
    const store = new SlowLists();
    const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { store });
    const [closes, declined] = [await opened(world, alice, [bob]), await invited(world, alice, [bob])];
    await leave(world, bob);
    store.gate.close();
    const again = await rebind(world, 'bob');
    await world.answer(alice.call('close_session', { session_id: declined }));
    await world.answer(alice.call('close_session', { session_id: closes }));
    await world.pass(5 * SECOND);
    expect(again.notifies()).toEqual([]);
    store.gate.open();
    await world.settle();
    expect([chain(again, closes), chain(again, declined)]).toEqual([['4→5', '5→6'], ['null→3']]);
  });

  it('[DL8] does not send an invite after the session’s end', async () => {
    const store = new SlowReads();
    const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { store });
    const id = await invited(world, alice, [bob]);
    await leave(world, bob);
    store.gate.close();
    const again = await rebind(world, 'bob');
    await world.answer(alice.call('close_session', { session_id: id }));
    store.gate.open();
    await world.settle();
    expect(again.notifies(id).map(({ envelope }) => envelope.event_type)).toEqual(['session.closed']);
  });

  it('[DL5, L8] retries a failed read', async () => {
    const store = new SlowReads();
    const { world, alice, bob, id } = await aConversation({ tailLength: 1 }, { store });
    await leave(world, bob);
    for (const words of ['five', 'six', 'seven']) await say(world, alice, id, words);
    world.hub.evictIdle();
    store.failures = 1;
    const again = await rebind(world, 'bob');
    expect(again.seqs(id)).toEqual([]);
    await world.pass(SECOND);
    expect(again.seqs(id)).toEqual([5, 6, 7]);
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
    again.receipt(id, 5);
    await world.settle();
    await leave(world, again);
    store.gate.open();
    await world.settle();
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([250]);
  });
});

describe('invites', () => {
  it('[DL8] arrive immediately and at every bind, outside the stream, until answered', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await invited(world, alice, [bob], { invite_timeout: '1d' });
    expect(bob.notifies(id)).toMatchObject([
      { prev_seq: null, turn: null, envelope: { event_type: 'session.invite' } },
    ]);
    const again = await rebind(world, 'bob');
    expect(again.notifies(id)).toEqual(bob.notifies(id));
    await world.restart();
    const after = await rebind(world, 'bob');
    expect(after.notifies(id)).toEqual(bob.notifies(id));
    await world.answer(after.call('ack_invite', { session_id: id }));
    const joined = await rebind(world, 'bob');
    expect(chain(joined, id)).toEqual(['0→4']);
  });

  it('[DL7, DL8] have no receipt', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await invited(world, alice, [bob]);
    bob.receipt(id, 2);
    await world.settle();
    expect(bob.frames.at(-1)).toMatchObject({ kind: 'error', error: { code: 'bad_frame' } });
  });

  it('[DL8] reach only their invitee', async () => {
    const world = await aWorld();
    const names = ['bob', 'carol', 'dave'];
    const alice = await world.peer('alice');
    const peers = await Promise.all(names.map((name) => world.peer(name)));
    const id = await invited(world, alice, peers, { type: 'panel' });
    for (const [i, name] of names.entries()) {
      expect(chain(peers[i] as Peer, id)).toEqual([`null→${2 + i}`]);
      expect(chain(await rebind(world, name), id)).toEqual([`null→${2 + i}`]);
    }
  });

  it('[DL8] report the end of a session never joined, once, also to an absent invitee', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel' });
    await leave(world, carol);
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(chain(bob, id)).toEqual(['null→2', 'null→4']);
    const back = await rebind(world, 'carol');
    expect(back.notifies(id)).toMatchObject([{ prev_seq: null, envelope: { event_type: 'session.closed', seq: 4 } }]);
    await world.pass(SECOND);
    await world.restart();
    for (const name of ['bob', 'carol']) expect((await rebind(world, name)).notifies(id)).toEqual([]);
  });

  it('[DL8] stop after the invitee declined', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    await world.answer(bob.call('reject_invite', { session_id: id }));
    await world.answer(carol.call('ack_invite', { session_id: id }));
    await say(world, alice, id, 'psst');
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(chain(bob, id)).toEqual(['null→2']);
    expect((await rebind(world, 'bob')).notifies(id)).toEqual([]);
  });
});

describe('the end of a session', () => {
  it('[DL9, L5] reaches an absent participant with everything it missed, for 7 days', async () => {
    const { world, alice, bob, id } = await aConversation();
    await leave(world, bob);
    await say(world, alice, id, 'five');
    await world.answer(alice.call('close_session', { session_id: id }));
    await leap(world, 7 * DAY);
    const back = await world.peer('bob');
    expect(chain(back, id)).toEqual(['4→5', '5→6', '6→7']);
    await world.pass(SECOND);
    expect((await rebind(world, 'bob')).notifies(id)).toEqual([]);
  });

  it('[DL9, L5] is reported as a gap after that, once', async () => {
    const { world, alice, bob, id } = await aConversation();
    await world.pass(SECOND);
    await leave(world, bob);
    await say(world, alice, id, 'five');
    await world.answer(alice.call('close_session', { session_id: id }));
    await leap(world, 7 * DAY + 1);
    await world.restart();
    const back = await rebind(world, 'bob');
    expect(back.frames.slice(1)).toEqual([
      { kind: 'gap', recipient_id: bob.agentId, session_id: id, epoch: 1, from_seq: 5, to_seq: 7, reason: 'retention' },
    ]);
    await world.pass(SECOND);
    await world.restart();
    expect((await rebind(world, 'bob')).frames).toHaveLength(1);
  });

  it('[DL9, L5] is reported as a gap to a recipient that acked nothing', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    bob.acks = false;
    const id = await opened(world, alice, [bob]);
    await world.pass(SECOND);
    await leave(world, bob);
    await world.answer(alice.call('close_session', { session_id: id }));
    await leap(world, 8 * DAY);
    expect(gapsOf(await rebind(world, 'bob'))).toMatchObject([{ session_id: id, from_seq: 1, to_seq: 6 }]);
  });

  it('[DL9] is no gap for a recipient that acked everything', async () => {
    const { world, alice, id } = await aConversation();
    await world.answer(alice.call('close_session', { session_id: id }));
    await leap(world, 8 * DAY);
    await world.restart();
    expect((await rebind(world, 'bob')).frames).toHaveLength(1);
  });
});

describe('eviction', () => {
  /** Runs a full scenario, with `between` after each step. */
  async function life(between: (world: World) => Promise<void>): Promise<unknown> {
    const world = await aWorld({ tailLength: 3, window: 4 });
    const peers = [await world.peer('alice'), await world.peer('bob'), await world.peer('carol')];
    const [alice, bob, carol] = peers as [Peer, Peer, Peer];
    const answers: unknown[] = [];
    const step = async (call: Promise<unknown>) => {
      answers.push(
        await world.answer(call).catch(({ code, details }: { code: string; details: unknown }) => [code, details]),
      );
      await between(world);
    };
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1, idempotency_key: 'c' });
    await between(world);
    await step(bob.call('ack_invite', { session_id: id }));
    for (let i = 0; i < 8; i++) await step(alice.call('post', text(id, `m${i}`, { idempotency_key: `k${i}` })));
    await step(carol.call('ack_invite', { session_id: id }));
    await step(carol.call('post', text(id, 'psst', { audience: [bob.agentId] })));
    await step(alice.call('post', text(id, 'm0', { idempotency_key: 'k0' })));
    await step(alice.call('post', text(id, 'x', { expected_seq: 3 })));
    bob.acks = false;
    await step(alice.call('post', text(id, 'nack me')));
    bob.receipt(id, bob.seqs(id).at(-1) ?? 0, 'nack');
    await world.settle();
    await between(world);
    await world.pass(SECOND);
    await between(world);
    await step(bob.call('can_send', { session_id: id }));
    await step(bob.call('read_log', { session_id: id, reverse: true }));
    const again = await rebind(world, 'bob');
    await between(world);
    await step(carol.call('close_session', { session_id: id }));
    await world.pass(5 * SECOND);
    await between(world);
    await step(carol.call('get_session', { session_id: id }));
    await step(
      alice.call('create_session', {
        type: 'panel',
        participants: [bob.agentId, carol.agentId],
        required_acks: 1,
        idempotency_key: 'c',
        wait: 'created',
      }),
    );
    const frames = [...peers, again].map((peer): readonly HubFrame[] => peer.frames);
    return { answers, frames, log: logOf(world.store, id) };
  }

  it('[L3] between any two steps has no observable effect', async () => {
    const undisturbed = await life(async () => {});
    const evicted = await life(async (world) => {
      world.hub.evictIdle();
      expect(world.hub.health().sessions.loaded).toBe(0);
    });
    expect(evicted).toEqual(undisturbed);
  });

  it('[L8] keeps at most maxLoadedSessions, and no ended session', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob'], { maxLoadedSessions: 2 });
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await opened(world, alice, [bob]));
    expect(world.hub.health().sessions).toMatchObject({ live: 5, loaded: 5 });
    world.hub.sweep();
    expect(world.hub.health().sessions).toMatchObject({ live: 5, loaded: 2 });
    for (const id of ids) expect((await say(world, alice, id, 'x')).seq).toBe(5);
    await world.answer(alice.call('close_session', { session_id: ids[4] ?? '' }));
    world.hub.sweep();
    expect(world.hub.health().sessions).toMatchObject({ live: 4, loaded: 1 });
  });

  it('[L8] evicts an ended session that was idle for long', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const [id, other] = [await opened(world, alice, [bob]), await opened(world, alice, [bob])];
    for (let i = 0; i < 3; i++) world.hub.sweep();
    expect(world.hub.health().sessions).toMatchObject({ live: 2, loaded: 2 });
    await world.answer(alice.call('close_session', { session_id: id }));
    world.hub.sweep();
    expect(world.hub.health().sessions).toMatchObject({ live: 1, loaded: 1 });
    // Reading it loads it again until the next sweep.
    await world.answer(alice.call('get_session', { session_id: id }));
    expect(world.hub.health().sessions.loaded).toBe(2);
    world.hub.sweep();
    expect(world.hub.health().sessions.loaded).toBe(1);
    expect((await say(world, alice, other, 'x')).seq).toBe(5);
  });

  it('[L1] spares sessions with staged entries or waiting callers', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    world.hold = true;
    const post = alice.call('post', text(id, 'held'));
    await world.settle();
    world.hub.evictIdle();
    expect(world.hub.health().sessions.loaded).toBe(1);
    world.hold = false;
    expect((await world.answer(post)).seq).toBe(5);
    const closed = alice.call('close_session', { session_id: id, wait: 'closed' });
    await world.settle();
    world.hub.evictIdle();
    await world.pass(5 * SECOND);
    expect((await closed).state).toBe('CLOSED');
  });
});

describe('read_log', () => {
  async function aTalk() {
    const all = await aPanel();
    const { world, alice, bob, carol, id } = all;
    await say(world, alice, id, 'all'); // 7
    await say(world, alice, id, 'to bob', { audience: [bob.agentId] }); // 8
    await say(world, carol, id, 'to alice', { audience: [alice.agentId] }); // 9
    await say(world, bob, id, 'all'); // 10
    return all;
  }
  const seqs = (notifies: readonly NotifyFrame[]) => notifies.map(({ envelope }) => envelope.seq);

  it('[DL13] shows what delivery would, plus own envelopes', async () => {
    const { world, alice, bob, carol, id } = await aTalk();
    const own = { alice: [7, 8], bob: [10], carol: [9] };
    for (const [name, peer] of Object.entries({ alice, bob, carol })) {
      const { envelopes, next, head_seq } = await world.answer(peer.call('read_log', { session_id: id }));
      const stream = seqs(peer.notifies(id).filter(({ prev_seq }) => prev_seq !== null));
      const expected = [...stream, ...own[name as keyof typeof own]].sort((a, b) => a - b);
      expect([envelopes.map(({ seq }) => seq), next, head_seq]).toEqual([expected, null, 10]);
      expect(envelopes).toEqual(logOf(world.store, id).filter(({ seq }) => expected.includes(seq)));
    }
  });

  it('[DL13] pages forwards and backwards with every page size', async () => {
    const { world, bob, id } = await aTalk();
    for (const reverse of [false, true]) {
      for (let limit = 1; limit <= 11; limit++) {
        const read: number[] = [];
        let from_seq: number | null = null;
        do {
          const at: { from_seq?: number } = from_seq === null ? {} : { from_seq };
          const page = await world.answer(bob.call('read_log', { session_id: id, limit, reverse, ...at }));
          read.push(...page.envelopes.map(({ seq }) => seq));
          from_seq = page.next;
        } while (from_seq !== null);
        expect(read).toEqual(reverse ? [10, 8, 7, 6] : [6, 7, 8, 10]);
      }
    }
    const beyond = await world.answer(bob.call('read_log', { session_id: id, from_seq: 99 }));
    expect(beyond).toEqual({ envelopes: [], next: null, head_seq: 10 });
  });

  it('[DL13] keeps answers within their byte limit, with at least one envelope', async () => {
    const { world, alice, bob, id } = await aConversation({ maxResponseBytes: 3000 });
    for (let i = 0; i < 6; i++) await say(world, alice, id, 'x'.repeat(1000));
    const read: number[] = [];
    let from_seq: number | null = 1;
    while (from_seq !== null) {
      const page: { envelopes: readonly { seq: number }[]; next: number | null } = await world.answer(
        bob.call('read_log', { session_id: id, from_seq }),
      );
      expect(page.envelopes.length).toBeGreaterThan(0);
      expect(page.envelopes.length).toBeLessThan(4);
      read.push(...page.envelopes.map(({ seq }) => seq));
      from_seq = page.next;
    }
    expect(read).toEqual([4, 5, 6, 7, 8, 9, 10]);
  });

  it('[DL13] rejects invitees and agents that declined', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    await world.answer(carol.call('reject_invite', { session_id: id }));
    for (const [peer, status] of [
      [bob, 'invited'],
      [carol, 'rejected'],
    ] as const) {
      expect(await refusal(world, peer.call('read_log', { session_id: id }))).toMatchObject({
        code: 'forbidden',
        details: { status },
      });
    }
    expect((await sessionOf(world, bob, id)).state).toBe('INVITED');
  });
});
