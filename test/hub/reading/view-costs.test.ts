import { fullTranscript, windowedSummary } from 'parley-hub/views/refs';
import { describe, expect, it } from 'vitest';
import { removeParticipant } from '../../../src/core/decisions/membership.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { itDeep } from '../../support/size.ts';
import { roomsOf } from '../rooms-of.ts';
import { aCast, opened, text, VIEWS } from '../scene.ts';
import { CountingStore } from '../watched-stores.ts';
import { see } from './view-scene.ts';

/** alice, bob and carol in a panel, on a counting store. */
async function aCountedPanel() {
  const { world, alice, bob, carol } = await aCast(
    ['alice', 'bob', 'carol'],
    { maxOpenRequests: 1000 },
    { views: VIEWS, store: new CountingStore() },
  );
  const id = await opened(world, alice, [bob, carol], { type: 'panel' });
  return { world, alice, bob, carol, id };
}

/** `count` texts, quickly; with `to` as whispers. */
async function saySo(world: World, by: Peer, id: string, count: number, to?: Peer): Promise<void> {
  for (let i = 0; i < count; i++) {
    void by.call('post', text(id, `m${i}`, to === undefined ? {} : { audience: [to.agentId] }));
    if (i % 250 === 249) await world.settle();
  }
  await world.settle();
}

/** The entries read for a view, and the view. */
async function costOf(world: World, ...[peer, id, view, atSeq]: [Peer, string, Parameters<typeof see>[3], number?]) {
  const { asked } = world.store as CountingStore;
  asked.entries = 0;
  const shown = await see(world, peer, id, view, atSeq);
  return { entries: asked.entries, ...shown };
}

/** Entries of a page and the first entry of the log. */
const A_PAGE = 33;

describe('the cost of a view', () => {
  itDeep(
    '[VW11] reads few entries for the current view of 10,000 lines, in memory or not',
    async () => {
      const { world, alice, bob, id } = await aCountedPanel();
      const { asked } = world.store as CountingStore;
      asked.entries = 0;
      await saySo(world, alice, id, 10_000);
      expect(asked.entries).toBe(0);
      const hot = await costOf(world, bob, id, windowedSummary(10));
      expect(hot).toMatchObject({ earlier: 9_990, messages: { length: 11 } });
      expect(hot.entries).toBeLessThanOrEqual(1);
      await world.pass(3000);
      expect((await costOf(world, bob, id, windowedSummary(10))).entries).toBeLessThanOrEqual(A_PAGE);
      world.hub.evictIdle();
      const cold = await costOf(world, bob, id, windowedSummary(10));
      expect(cold.messages).toEqual(hot.messages);
      expect(cold.entries).toBeLessThanOrEqual(64 + A_PAGE);
    },
    30_000,
  );

  it('[VW11] is at most one interval more for a past view', async () => {
    const { world, alice, bob, id } = await aCountedPanel();
    await saySo(world, alice, id, 4000);
    for (const atSeq of [6, 1000, 1023, 1024, 1025, 2047, 2500, 3071, 4000]) {
      const past = await costOf(world, bob, id, windowedSummary(10), atSeq);
      const lines = atSeq - 6;
      expect(past).toMatchObject({ at_seq: atSeq, earlier: Math.max(0, lines - 10) });
      expect(past.entries).toBeLessThanOrEqual(1024 + A_PAGE);
    }
    const onInterval = await costOf(world, bob, id, windowedSummary(10), 2048);
    expect(onInterval.entries).toBeLessThanOrEqual(A_PAGE);
  }, 30_000);

  it('[VW11] without a named view is only the entries that changed the participants', async () => {
    const { world, alice, bob, carol, id } = await aCountedPanel();
    await saySo(world, alice, id, 1500);
    await world.answer(world.hub.hideParticipant(id, carol.agentId)); // 1507
    await saySo(world, alice, id, 1500);
    await world.answer(world.hub.returnParticipant(id, carol.agentId));
    await world.pass(3000);
    const past = await costOf(world, bob, id, undefined, 2048);
    expect(past.view.name).toBe('full_transcript');
    const named = await costOf(world, bob, id, past.view, 2048);
    expect(past.messages).toEqual(named.messages);
    expect(past.entries - named.entries).toBeLessThanOrEqual(7);
  }, 30_000);

  it('[VW11] reads pages of at most 512 entries', async () => {
    const { world, alice, bob, id } = await aCountedPanel();
    await saySo(world, alice, id, 3000);
    await world.pass(3000);
    const { asked } = world.store as CountingStore;
    asked.longest = 0;
    expect((await see(world, bob, id, fullTranscript())).messages).toHaveLength(3000);
    expect(asked.longest).toBe(512);
  }, 30_000);

  it('[VW11] does not include whispers to others', async () => {
    const { world, alice, bob, carol, id } = await aCountedPanel();
    await saySo(world, alice, id, 5);
    await saySo(world, alice, id, 4000, bob);
    const shown = await costOf(world, carol, id, windowedSummary(10));
    expect(shown).toMatchObject({ earlier: 0, messages: { length: 5 } });
    // The interval they are in, and none in between.
    expect(shown.entries).toBeLessThanOrEqual(1024 + A_PAGE);
    expect((await costOf(world, bob, id, windowedSummary(10))).earlier).toBe(3995);
  }, 30_000);

  it('[VW11] is at most one interval for a participant removed long ago', async () => {
    const { world, alice, carol, id } = await aCountedPanel();
    await saySo(world, alice, id, 2000);
    const remove = roomsOf(world.hub).sessions.use(id, (session) =>
      session.decide((state) => removeParticipant(state, carol.agentId, 'enough')),
    );
    await world.answer(remove);
    await saySo(world, alice, id, 2000);
    const shown = await costOf(world, carol, id, windowedSummary(10));
    expect(shown).toMatchObject({ at_seq: 2007, earlier: 1990 });
    expect(shown.entries).toBeLessThanOrEqual(1024 + A_PAGE);
  }, 30_000);

  it('[VW11, VW13] is only what fits into the answer for a transcript', async () => {
    const { world, alice, bob, id } = await aCountedPanel();
    for (let i = 0; i < 300; i++) {
      void alice.call('post', text(id, 'x'.repeat(20_000)));
      if (i % 50 === 49) await world.settle();
    }
    await world.settle();
    await world.pass(3000);
    const shown = await costOf(world, bob, id, fullTranscript());
    expect(shown.messages.length).toBeGreaterThan(30);
    expect(shown.entries).toBeLessThanOrEqual(2 * shown.messages.length + A_PAGE);
    expect(shown.messages.length + shown.earlier).toBe(300);
  });
});
