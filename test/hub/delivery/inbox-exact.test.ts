// How exactly the unread count is kept: over bursts, restarts, rebinds, expiry, rules and arbiters.

import type { Arbiter } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { SkippedDeliveries } from '../../../src/hub/delivery/skipped-deliveries.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { ack, aPanel, foreignUnit, gapsOf, leave, opened, rebind, recordEvents, refused, say, text } from '../scene.ts';
import { fill, type Inbox, silenced } from './scene.ts';

/** A panel in which bob acks nothing more and has this inbox rule. */
async function silentBob(inbox: Inbox, arbiter: Partial<Arbiter> = {}) {
  return silenced(await aPanel({}, {}, { arbiter }), inbox);
}

function gone(peer: Peer): readonly (readonly [number, string])[] {
  return gapsOf(peer).map(({ from_seq, reason }) => [from_seq, reason] as const);
}

/** How many posts addressed to bob are accepted before his inbox is full. */
async function room(world: World, by: Peer, id: string, bob: Peer): Promise<number> {
  for (let taken = 0; ; taken++) {
    const call = by.call('post', text(id, 'room?', { audience: [bob.agentId] }));
    const isTaken = await world.answer(call).then(
      () => true,
      ({ code }) => {
        expect(code).toBe('inbox_full');
        return false;
      },
    );
    if (!isTaken) return taken;
  }
}

describe('a burst', () => {
  it('[RU8] in one tick fills an inbox exactly, over all sessions and senders', async () => {
    const { world, alice, bob, carol, id } = await silentBob({ max_pending: 5 });
    const other = await opened(world, carol, [bob]);
    // The opening of the other session is unread too.
    const to = { audience: [bob.agentId] };
    const calls = [0, 1, 2, 3].flatMap(() => [
      alice.call('post', text(id, 'a', to)),
      carol.call('post', text(other, 'c')),
      carol.call('post', text(id, 'c', to)),
    ]);
    const outcomes = await world.answer(Promise.allSettled(calls));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    expect(bob.seqs(id).length + bob.seqs(other).length).toBeGreaterThan(0);
    expect(await room(world, alice, id, bob)).toBe(0);
  });

  it('[RU8, AM9] that is judged again after a conflict counts once', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 4 });
    world.hold = true;
    const to = { audience: [bob.agentId] };
    const calls = [1, 2].map(() => alice.call('post', text(id, 'x', to)));
    await world.settle();
    world.store.foreignAppend(id, foreignUnit(world, id, { sender_id: alice.agentId }));
    world.hold = false;
    await world.answer(Promise.all(calls));
    expect(await room(world, alice, id, bob)).toBe(1);
  });

  it('[RU8] that is rejected takes no room', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 2 });
    const to = { audience: [bob.agentId], expected_seq: 1 };
    const calls = [1, 2, 3].map(() => alice.call('post', text(id, 'x', to)));
    await world.answer(Promise.allSettled(calls));
    expect(await room(world, alice, id, bob)).toBe(2);
  });
});

describe('drop_newest', () => {
  const DROPS = { max_pending: 2, overflow: 'drop_newest' } as const;

  it('[RU9, L5] repeats skipped envelopes as gaps until a later one is acked', async () => {
    const { world, alice, bob, id } = await silentBob(DROPS);
    const seqs = await fill(world, alice, id, 4);
    const again = await rebind(world, 'bob');
    expect(again.seqs(id)).toEqual(seqs.slice(0, 2));
    expect(gone(again)).toEqual([
      [seqs[2], 'overflow'],
      [seqs[3], 'overflow'],
    ]);
    // Two were kept and counted: with both acked there is room for two.
    await ack(world, again, id, ...seqs.slice(0, 2));
    const next = await fill(world, alice, id, 3);
    expect(again.seqs(id)).toEqual([...seqs.slice(0, 2), ...next.slice(0, 2)]);
    expect(gone(again).at(-1)).toEqual([next[2], 'overflow']);
    expect(bob.agentId).toBe(again.agentId);
  });

  it.each(['bound', 'away'] as const)(
    '[RU9, L5] skips nothing after a restart: everything unacked is delivered and counted (%s)',
    async (where) => {
      const { world, alice, bob, id } = await silentBob(DROPS);
      if (where === 'away') await leave(world, bob);
      const seqs = await fill(world, alice, id, 5);
      if (where === 'bound') await ack(world, bob, id, seqs[0] ?? 0);
      await world.pass(2000);
      await world.restart();
      const [again, bobAgain] = [await world.peer('alice'), await rebind(world, 'bob')];
      const owed = where === 'bound' ? seqs.slice(1) : seqs;
      expect(bobAgain.seqs(id)).toEqual(owed);
      expect(gone(bobAgain)).toEqual([]);
      // It is over its limit: new envelopes are skipped until enough is acked.
      const [skipped] = await fill(world, again, id, 1);
      expect(gone(bobAgain)).toEqual([[skipped, 'overflow']]);
      await ack(world, bobAgain, id, ...owed);
      const next = await fill(world, again, id, 2);
      expect(bobAgain.seqs(id)).toEqual([...owed, ...next]);
      expect(gone(bobAgain)).toHaveLength(1);
    },
  );

  it('[RU9, L5] delivers every envelope or reports it as a gap, over reconnects', async () => {
    const { world, alice, bob, carol, id } = await silentBob(DROPS);
    const all: number[] = [];
    const heard = new Set<number>();
    let peer = bob;
    const note = (): void => {
      for (const seq of [...peer.seqs(id), ...gone(peer).map(([at]) => at)]) heard.add(seq);
    };
    for (let round = 0; round < 12; round++) {
      all.push(...(await fill(world, round % 2 === 0 ? alice : carol, id, 1 + (round % 4))));
      note();
      if (round % 3 === 0) for (const seq of peer.seqs(id).slice(-1)) peer.receipt(id, seq);
      if (round % 4 === 1) await leave(world, peer);
      if (round % 4 === 3) peer = await rebind(world, 'bob');
    }
    peer = await rebind(world, 'bob');
    note();
    expect(all.filter((seq) => !heard.has(seq))).toEqual([]);
  });

  it('[RU9] never skips hub envelopes, even between skipped ones', async () => {
    const { world, alice, bob, carol, id } = await silentBob(DROPS);
    await fill(world, alice, id, 3);
    await world.answer(world.hub.hideParticipant(id, 'carol'));
    await fill(world, alice, id, 1);
    expect(bob.notifies(id).at(-1)?.envelope.event_type).toBe('session.participant.hidden');
    await ack(world, bob, id, ...bob.seqs(id));
    const next = await fill(world, alice, id, 3);
    expect(bob.seqs(id).slice(-2)).toEqual(next.slice(0, 2));
    expect(carol.agentId).not.toBe('');
  });
});

describe('drop_oldest', () => {
  const DROPS = { max_pending: 2, overflow: 'drop_oldest' } as const;

  it('[RU9] applies after a restart to a recipient that returns, and repeats the gaps', async () => {
    const { world, alice, bob, id } = await silentBob(DROPS);
    await leave(world, bob);
    const seqs = await fill(world, alice, id, 6);
    await world.pass(2000);
    await world.restart();
    for (let i = 0; i < 2; i++) {
      const again = await rebind(world, 'bob');
      expect(again.seqs(id)).toEqual(seqs.slice(-2));
      expect(gone(again)).toEqual(seqs.slice(0, 4).map((seq) => [seq, 'overflow']));
    }
  });
});

describe('time', () => {
  it('[RU8, DL10] frees the room of expired envelopes within a second, bound or away', async () => {
    for (const where of ['here', 'away'] as const) {
      const { world, alice, bob, id } = await silentBob({ max_pending: 3 });
      if (where === 'away') await leave(world, bob);
      await fill(world, alice, id, 2, { ttl_seconds: 5 });
      expect(await room(world, alice, id, bob)).toBe(1);
      await world.pass(6001);
      expect(await room(world, alice, id, bob)).toBe(2);
      const again = await rebind(world, 'bob');
      expect(gone(again)).toHaveLength(2);
      await ack(world, again, id, ...again.seqs(id));
      // Neither the expired nor the acked were counted off twice.
      expect(await room(world, alice, id, bob)).toBe(3);
    }
  });

  it('[RU8] counts off only once an envelope acked after it expired', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 2 });
    const seqs = await fill(world, alice, id, 2, { ttl_seconds: 5 });
    await world.pass(6001);
    expect(await room(world, alice, id, bob)).toBe(2);
    await ack(world, bob, id, ...seqs);
    expect(await room(world, alice, id, bob)).toBe(0);
  });
});

describe('withheld envelopes', () => {
  it.each(['here', 'away'] as const)('[RU8, AR4, L8] fill no inbox if a rule withholds them (%s)', async (where) => {
    const { world, alice, bob, carol, id } = await silentBob({ max_pending: 3 });
    await world.answer(bob.call('set_rule', { rule: { access: { inbound_from: ['carol'] } } }));
    if (where === 'away') await leave(world, bob);
    await fill(world, alice, id, 10);
    expect(await room(world, carol, id, bob)).toBe(3);
    const again = await rebind(world, 'bob');
    expect(again.seqs(id)).toHaveLength(3);
    await ack(world, again, id, ...again.seqs(id));
    expect(await room(world, carol, id, bob)).toBe(3);
    await world.pass(2000);
    await world.restart();
    expect(await room(world, await world.peer('carol'), id, bob)).toBe(0);
  });

  it('[RU8, AR4] withheld by an asynchronous arbiter are counted off when it matters', async () => {
    const arbiter: Partial<Arbiter> = { authorizeDelivery: async ({ from }) => from.name !== 'alice' };
    const { world, alice, bob, carol, id } = await silentBob({ max_pending: 3 }, arbiter);
    await leave(world, bob);
    await fill(world, alice, id, 10);
    await world.pass(2000);
    expect(await room(world, carol, id, bob)).toBe(3);
    await refused(world, say(world, carol, id, 'x', { audience: [bob.agentId] }), 'inbox_full');
  });
});

describe('high water', () => {
  it('[RU10] is reported again after a restart, as soon as somebody posts', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 10, high_water: 3 });
    await leave(world, bob);
    await fill(world, alice, id, 2);
    await world.pass(2000);
    await world.restart();
    const heard = recordEvents(world, 'inboxHighWater');
    const [again, carol] = [await world.peer('alice'), await world.peer('carol')];
    await fill(world, again, id, 1);
    await fill(world, carol, id, 1);
    expect(heard).toEqual([{ agent_id: bob.agentId, pending: expect.any(Number), max_pending: 10 }]);
  });
});

it('[RU9] remembers a limited number of streams with skipped envelopes', () => {
  const skipped = new SkippedDeliveries();
  const envelope = (session: number, seq: number) => ({ session_id: `${session}`, seq, sender_id: 'x' }) as never;
  for (let session = 0; session < 10_001; session++) skipped.addNewest('bob', envelope(session, 5));
  skipped.addNewest('bob', envelope(0, 9));
  expect(skipped.excess()).toEqual({ agentId: 'bob', most: 5 });
  expect(skipped.excess()).toBeNull();
  expect([0, 1].map((session) => skipped.has('bob', envelope(session, 5)))).toEqual([false, true]);
});
