import { describe, expect, it } from 'vitest';
import type { Cursor } from '../../../src/core/ports/store.ts';
import { FaultyStore } from '../../../src/testing/doubles/faulty-store.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { aConversation, ack, gapsOf, opened, rebind, recordEvents, SECOND, say } from '../scene.ts';
import { chain, errorsOf } from './scene.ts';

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
    await ack(world, bob, id, 7, 5);
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
    await ack(world, again, id, 6);
    // The cursor has moved over the acks beyond the loss.
    expect((await rebind(world, 'bob', {})).seqs(id)).toEqual([8]);
    expect(alice.closed).toBe(true);
  });

  it('[L5, DL5] lost in a crash only repeat the delivery', async () => {
    const { world, bob, id } = await withThree();
    await ack(world, bob, id, 5, 6, 7);
    await world.crash();
    expect((await rebind(world, 'bob')).seqs(id)).toEqual([4, 5, 6, 7]);
  });

  it('[DL2] count once when repeated', async () => {
    const { world, bob, id } = await withThree();
    const acked = recordEvents(world, 'deliveryAcked', ({ seq }) => seq);
    await ack(world, bob, id, 5, 5, 6, 5);
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
    const seen = recordEvents(world, 'deliverySeen', ({ seq }) => seq);
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
    const failed = recordEvents(world, 'deliveryFailed');
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
