// How exactly `pending` is counted: over bursts, restarts, rebinds, time that runs out, and what a rule or an arbiter withholds.

import type { Arbiter, GapFrame, Rule } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { SkippedDeliveries } from '../../../src/hub/delivery/skipped-deliveries.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aWorld, foreignUnit, leave, opened, refusal, say, text } from '../scene.ts';

/** A panel in which bob acks nothing more, with such a rule of his. */
async function silentBob(rule: Partial<Rule['limits']['inbox']>, arbiter: Partial<Arbiter> = {}) {
  const world = await aWorld({}, { arbiter });
  const [alice, bob, carol] = [await world.peer('alice'), await world.peer('bob'), await world.peer('carol')];
  const id = await opened(world, alice, [bob, carol], { type: 'panel' });
  await world.answer(world.hub.grant('bob', ['rules']));
  await world.answer(bob.call('set_rule', { rule: { limits: { inbox: rule } } }));
  bob.acks = false;
  return { world, alice, bob, carol, id };
}

async function back(world: World, name: string, resume: object = {}): Promise<Peer> {
  const peer = world.stranger();
  peer.hello(name, resume as never);
  await world.settle();
  return peer;
}

async function fill(world: World, by: Peer, id: string, count: number, more: object = {}): Promise<readonly number[]> {
  const seqs: number[] = [];
  for (let i = 0; i < count; i++) seqs.push((await say(world, by, id, `m${i}`, more)).seq);
  return seqs;
}

function gone(peer: Peer): readonly (readonly [number, string])[] {
  return peer.frames
    .filter((frame): frame is GapFrame => frame.kind === 'gap')
    .map(({ from_seq, reason }) => [from_seq, reason] as const);
}

/** How many more that name bob are taken before he is full. */
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
  it('[RU8] in one turn fills an inbox to the brim and no further, over all sessions and senders', async () => {
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

  it('[RU8, AM9] that has to be judged again, for another writer was first, is counted once', async () => {
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

  it('[RU8] that is refused otherwise, or fails, takes no room', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 2 });
    const to = { audience: [bob.agentId], expected_seq: 1 };
    const calls = [1, 2, 3].map(() => alice.call('post', text(id, 'x', to)));
    await world.answer(Promise.allSettled(calls));
    expect(await room(world, alice, id, bob)).toBe(2);
  });
});

describe('drop_newest', () => {
  const DROPS = { max_pending: 2, overflow: 'drop_newest' } as const;

  it('[RU9, L5] what was skipped stays skipped and is told again until something after it is acked', async () => {
    const { world, alice, bob, id } = await silentBob(DROPS);
    const seqs = await fill(world, alice, id, 4);
    const again = await back(world, 'bob');
    expect(again.seqs(id)).toEqual(seqs.slice(0, 2));
    expect(gone(again)).toEqual([
      [seqs[2], 'overflow'],
      [seqs[3], 'overflow'],
    ]);
    // Two were kept, and no more than two are counted: both acked, there is room for two.
    for (const seq of seqs.slice(0, 2)) again.receipt(id, seq);
    await world.settle();
    const next = await fill(world, alice, id, 3);
    expect(again.seqs(id)).toEqual([...seqs.slice(0, 2), ...next.slice(0, 2)]);
    expect(gone(again).at(-1)).toEqual([next[2], 'overflow']);
    expect(bob.agentId).toBe(again.agentId);
  });

  it.each(['bound', 'away'] as const)(
    '[RU9, L5] after a restart nothing was skipped: all that is not acked is delivered, and counts (%s)',
    async (where) => {
      const { world, alice, bob, id } = await silentBob(DROPS);
      if (where === 'away') await leave(world, bob);
      const seqs = await fill(world, alice, id, 5);
      if (where === 'bound') bob.receipt(id, seqs[0] ?? 0);
      await world.settle();
      await world.pass(2000);
      await world.restart();
      const [again, bobAgain] = [await world.peer('alice'), await back(world, 'bob')];
      const owed = where === 'bound' ? seqs.slice(1) : seqs;
      expect(bobAgain.seqs(id)).toEqual(owed);
      expect(gone(bobAgain)).toEqual([]);
      // It is fuller than it may be: what comes now is skipped until it has acked enough.
      const [skipped] = await fill(world, again, id, 1);
      expect(gone(bobAgain)).toEqual([[skipped, 'overflow']]);
      for (const seq of owed) bobAgain.receipt(id, seq);
      await world.settle();
      const next = await fill(world, again, id, 2);
      expect(bobAgain.seqs(id)).toEqual([...owed, ...next]);
      expect(gone(bobAgain)).toHaveLength(1);
    },
  );

  it('[RU9, L5] every envelope is delivered or told as gone, whoever comes and goes', async () => {
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
      if (round % 4 === 3) peer = await back(world, 'bob');
    }
    peer = await back(world, 'bob');
    note();
    expect(all.filter((seq) => !heard.has(seq))).toEqual([]);
  });

  it('[RU9] what the hub says passes, also between what is skipped, and is acked as what it is', async () => {
    const { world, alice, bob, carol, id } = await silentBob(DROPS);
    await fill(world, alice, id, 3);
    await world.answer(world.hub.hideParticipant(id, 'carol'));
    await fill(world, alice, id, 1);
    expect(bob.notifies(id).at(-1)?.envelope.event_type).toBe('session.participant.hidden');
    for (const seq of bob.seqs(id)) bob.receipt(id, seq);
    await world.settle();
    const next = await fill(world, alice, id, 3);
    expect(bob.seqs(id).slice(-2)).toEqual(next.slice(0, 2));
    expect(carol.agentId).not.toBe('');
  });
});

describe('drop_oldest', () => {
  const DROPS = { max_pending: 2, overflow: 'drop_oldest' } as const;

  it('[RU9] holds after a restart for who comes back, and what was dropped is told again', async () => {
    const { world, alice, bob, id } = await silentBob(DROPS);
    await leave(world, bob);
    const seqs = await fill(world, alice, id, 6);
    await world.pass(2000);
    await world.restart();
    for (let i = 0; i < 2; i++) {
      const again = await back(world, 'bob');
      expect(again.seqs(id)).toEqual(seqs.slice(-2));
      expect(gone(again)).toEqual(seqs.slice(0, 4).map((seq) => [seq, 'overflow']));
    }
  });
});

describe('time', () => {
  it('[RU8, DL10] what ran out of it leaves room, within a second, for who is away and for who is not', async () => {
    for (const where of ['here', 'away'] as const) {
      const { world, alice, bob, id } = await silentBob({ max_pending: 3 });
      if (where === 'away') await leave(world, bob);
      await fill(world, alice, id, 2, { ttl_seconds: 5 });
      expect(await room(world, alice, id, bob)).toBe(1);
      await world.pass(6001);
      expect(await room(world, alice, id, bob)).toBe(2);
      const again = await back(world, 'bob');
      expect(gone(again)).toHaveLength(2);
      for (const seq of again.seqs(id)) again.receipt(id, seq);
      await world.settle();
      // Neither the expired nor the acked were counted off twice.
      expect(await room(world, alice, id, bob)).toBe(3);
    }
  });

  it('[RU8] what is acked after its time was counted off once', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 2 });
    const seqs = await fill(world, alice, id, 2, { ttl_seconds: 5 });
    await world.pass(6001);
    expect(await room(world, alice, id, bob)).toBe(2);
    for (const seq of seqs) bob.receipt(id, seq);
    await world.settle();
    expect(await room(world, alice, id, bob)).toBe(0);
  });
});

describe('what is withheld', () => {
  it.each(['here', 'away'] as const)(
    '[RU8, AR4, L8] by a rule fills no inbox: nobody else is refused for it (%s)',
    async (where) => {
      const { world, alice, bob, carol, id } = await silentBob({ max_pending: 3 });
      await world.answer(bob.call('set_rule', { rule: { access: { inbound_from: ['carol'] } } }));
      if (where === 'away') await leave(world, bob);
      await fill(world, alice, id, 10);
      expect(await room(world, carol, id, bob)).toBe(3);
      const again = await back(world, 'bob');
      expect(again.seqs(id)).toHaveLength(3);
      for (const seq of again.seqs(id)) again.receipt(id, seq);
      await world.settle();
      expect(await room(world, carol, id, bob)).toBe(3);
      await world.pass(2000);
      await world.restart();
      expect(await room(world, await world.peer('carol'), id, bob)).toBe(0);
    },
  );

  it('[RU8, AR4] by an arbiter that takes its time is counted off when it would matter', async () => {
    const arbiter: Partial<Arbiter> = { authorizeDelivery: async ({ from }) => from.name !== 'alice' };
    const { world, alice, bob, carol, id } = await silentBob({ max_pending: 3 }, arbiter);
    await leave(world, bob);
    await fill(world, alice, id, 10);
    await world.pass(2000);
    expect(await room(world, carol, id, bob)).toBe(3);
    expect((await refusal(world, say(world, carol, id, 'x', { audience: [bob.agentId] }))).code).toBe('inbox_full');
  });
});

describe('high water', () => {
  it('[RU10] is told after a restart too, as soon as somebody posts', async () => {
    const { world, alice, bob, id } = await silentBob({ max_pending: 10, high_water: 3 });
    await leave(world, bob);
    await fill(world, alice, id, 2);
    await world.pass(2000);
    await world.restart();
    const heard: unknown[] = [];
    world.hub.on('inboxHighWater', (event) => heard.push(event));
    const [again, carol] = [await world.peer('alice'), await world.peer('carol')];
    await fill(world, again, id, 1);
    await fill(world, carol, id, 1);
    expect(heard).toEqual([{ agent_id: bob.agentId, pending: expect.any(Number), max_pending: 10 }]);
  });
});

it('[RU9] no more streams with something skipped are remembered than there may be', () => {
  const skipped = new SkippedDeliveries();
  const envelope = (session: number, seq: number) => ({ session_id: `${session}`, seq, sender_id: 'x' }) as never;
  for (let session = 0; session < 10_001; session++) skipped.addNewest('bob', envelope(session, 5));
  skipped.addNewest('bob', envelope(0, 9));
  expect(skipped.excess()).toEqual({ agentId: 'bob', most: 5 });
  expect(skipped.excess()).toBeNull();
  expect([0, 1].map((session) => skipped.has('bob', envelope(session, 5)))).toEqual([false, true]);
});
