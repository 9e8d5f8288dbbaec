import type { Arbiter } from 'parley-hub/core';
import { fullTranscript, windowedSummary } from 'parley-hub/views/refs';
import { describe, expect, it } from 'vitest';
import { FaultyStore } from '../../../src/testing/doubles/faulty-store.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { contents, see } from '../reading/view-scene.ts';
import { aPanel, recordEvents, say, VIEWS } from '../scene.ts';
import { CountingStore } from '../watched-stores.ts';

const NO_SECRETS = (words: unknown): boolean => !String(words).includes('secret');

/** Deliveries are allowed or withheld synchronously, or later. */
const arbiters: readonly (readonly [string, Partial<Arbiter>])[] = [
  ['synchronously', { authorizeDelivery: ({ envelope }) => NO_SECRETS(envelope.event_data.text) }],
  ['later', { authorizeDelivery: async ({ envelope }) => NO_SECRETS(envelope.event_data.text) }],
];

const aTalk = (arbiter: Partial<Arbiter> = {}, store = new FaultyStore()) =>
  aPanel({}, {}, { views: VIEWS, arbiter, store });

async function textsIn(world: World, peer: Peer, session_id: string, more: object = {}): Promise<readonly unknown[]> {
  const { envelopes } = await world.answer(peer.call('read_log', { session_id, ...more }));
  return envelopes.flatMap(({ event_data }) => (event_data.text === undefined ? [] : [event_data.text]));
}

describe('withheld envelopes', () => {
  it.each(arbiters)('[AR5, DL13] are missing from read_log, except for their sender (%s)', async (_when, arbiter) => {
    const { world, alice, bob, id } = await aTalk(arbiter);
    for (const words of ['one', 'a secret', 'two', 'more secrets', 'three']) await say(world, alice, id, words);
    expect(await textsIn(world, bob, id)).toEqual(['one', 'two', 'three']);
    expect(await textsIn(world, bob, id, { reverse: true })).toEqual(['three', 'two', 'one']);
    expect(await textsIn(world, alice, id)).toHaveLength(5);
    const heard = bob.notifies(id).map(({ envelope }) => envelope.seq);
    const { envelopes } = await world.answer(bob.call('read_log', { session_id: id }));
    const ownOrInvite = ['session.invite', 'session.created'];
    expect(envelopes.filter(({ event_type }) => !ownOrInvite.includes(event_type)).map(({ seq }) => seq)).toEqual(
      heard.filter((seq) => seq > 3),
    );
  });

  it.each(arbiters)('[AR5] do not hide later pages of the log (%s)', async (_when, arbiter) => {
    const { world, alice, bob, id } = await aTalk(arbiter);
    for (const words of ['secret 1', 'secret 2', 'secret 3', 'end']) await say(world, alice, id, words);
    const found: unknown[] = [];
    for (let from: number | null = 1; from !== null; ) {
      const page: { envelopes: readonly { event_data: { text?: unknown } }[]; next: number | null } =
        await world.answer(bob.call('read_log', { session_id: id, from_seq: from, limit: 2 }));
      found.push(
        ...page.envelopes.flatMap(({ event_data }) => (event_data.text === undefined ? [] : [event_data.text])),
      );
      from = page.next;
    }
    expect(found).toEqual(['end']);
  });

  it.each(arbiters)('[AR5, VW6] are not shown, counted or named in views (%s)', async (_when, arbiter) => {
    const { world, alice, bob, carol, id } = await aTalk(arbiter);
    await say(world, carol, id, 'a secret');
    for (const words of ['one', 'my secret', 'two']) await say(world, alice, id, words);
    await say(world, bob, id, 'mine');
    expect(await contents(world, bob, id, fullTranscript())).toEqual(['one', 'two', '> mine']);
    expect(await contents(world, bob, id, windowedSummary(1))).toEqual([
      'Earlier in this session: 2 messages from alice.',
      '> mine',
    ]);
    expect((await see(world, bob, id, windowedSummary(2))).earlier).toBe(1);
    expect((await contents(world, alice, id, windowedSummary(1)))[0]).toBe(
      'Earlier in this session: 3 messages from alice.',
    );
    expect(await contents(world, carol, id, fullTranscript())).toEqual(['> a secret', 'one', 'two', 'mine']);
  });

  it('[AR5, RU6] cannot be read while the rule withholds them', async () => {
    const { world, alice, bob, carol, id } = await aTalk();
    await say(world, alice, id, 'a');
    await say(world, carol, id, 'c');
    await world.answer(world.hub.grant('bob', ['rules']));
    const takeFrom = (inbound_from: readonly string[]) =>
      world.answer(bob.call('set_rule', { rule: { access: { inbound_from } } }));
    await takeFrom(['carol']);
    expect(await textsIn(world, bob, id)).toEqual(['c']);
    expect(await contents(world, bob, id, fullTranscript())).toEqual(['c']);
    expect(await contents(world, bob, id, windowedSummary(1))).toEqual(['c']);
    await takeFrom(['*']);
    expect(await textsIn(world, bob, id)).toEqual(['a', 'c']);
    expect(await contents(world, bob, id, windowedSummary(1))).toEqual([
      'Earlier in this session: 1 message from alice.',
      'c',
    ]);
  });

  it('[AR3, AR5] show nothing if the arbiter fails, which is reported', async () => {
    let isBroken = false;
    const authorizeDelivery = (): boolean => {
      if (isBroken) throw new Error('oops');
      return true;
    };
    const { world, alice, bob, id } = await aTalk({ authorizeDelivery });
    await say(world, alice, id, 'one');
    const failed = recordEvents(world, 'arbiterFailed', ({ member }) => member);
    isBroken = true;
    expect(await textsIn(world, bob, id)).toEqual([]);
    expect(await contents(world, bob, id, fullTranscript())).toEqual([]);
    expect(failed).toEqual(['authorizeDelivery', 'authorizeDelivery']);
  });

  it('[AR5, VW11] cost nothing for a rule that withholds nothing', async () => {
    const store = new CountingStore();
    const { world, alice, bob, id } = await aTalk({}, store);
    for (let i = 0; i < 200; i++) await say(world, alice, id, `${i}`);
    const costs = async (): Promise<number> => {
      world.hub.evictIdle();
      await see(world, bob, id, windowedSummary(1));
      const before = store.asked.entries;
      await see(world, bob, id, windowedSummary(1));
      return store.asked.entries - before;
    };
    const open = await costs();
    await world.answer(bob.call('set_rule', { rule: { limits: { delegation_depth: 2 } } }));
    expect(await costs()).toBe(open);
    await world.answer(bob.call('set_rule', { rule: { access: { inbound_from: ['alice'] } } }));
    expect(await costs()).toBeGreaterThan(open);
  });
});
