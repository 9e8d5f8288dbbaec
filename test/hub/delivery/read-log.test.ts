import { describe, expect, it } from 'vitest';
import type { NotifyFrame } from '../../../src/core/protocol/frames/frames.ts';
import { aCast, aConversation, aPanel, invited, logOf, refused, say, sessionOf } from '../scene.ts';

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
      await refused(world, peer.call('read_log', { session_id: id }), 'forbidden', { status });
    }
    expect((await sessionOf(world, bob, id)).state).toBe('INVITED');
  });
});
