import type { View } from 'parley-hub/core';
import { fullTranscript as wholeView } from 'parley-hub/views/full-transcript';
import { fullTranscript, windowedSummary } from 'parley-hub/views/refs';
import { describe, expect, it } from 'vitest';
import { World } from '../../../src/testing/doubles/world.ts';
import { panelOf } from '../panel.ts';
import { ADAPTERS, aConversation, EXPECTATIONS, opened, refused, say, sessionOf, VIEWS } from '../scene.ts';
import { DamagedStore } from '../watched-stores.ts';
import { aLatePanel, contents, type Shown, see } from './view-scene.ts';

describe('unusual sessions', () => {
  it('[VW1] show an ended session', async () => {
    const { world, alice, id } = await aLatePanel();
    await world.answer(alice.call('close_session', { session_id: id }));
    await world.pass(10_000);
    expect((await sessionOf(world, alice, id)).state).toBe('CLOSED');
    expect(await contents(world, alice, id)).toEqual(['> one', 'two']);
  });

  it('[VW1] show a session without its adapter as plain text, in the view of its manifest', async () => {
    const loud = {
      ...panelOf('loud', 1),
      render: () => 'HEY',
      defaultView: () => windowedSummary(1),
    };
    const before = await World.start({ adapters: [loud], ...EXPECTATIONS, views: VIEWS });
    const peer = await before.peer('alice');
    const id = await opened(before, peer, [], { type: 'loud', participants: ['alice'] });
    await say(before, peer, id, 'one');
    await say(before, peer, id, 'two');
    expect(await contents(before, peer, id)).toEqual(['Earlier in this session: 1 message from alice.', '> HEY']);
    const store = before.store.crash();
    const world = await World.start({
      adapters: ADAPTERS,
      ...EXPECTATIONS,
      views: VIEWS,
      store,
      clock: before.clock,
      seed: 9,
    });
    const alice = await world.peer('alice');
    expect(await contents(world, alice, id)).toEqual(['> one', '> two']);
    world.hub.register(loud);
    expect(await contents(world, alice, id)).toEqual(['Earlier in this session: 1 message from alice.', '> HEY']);
  });

  it('[VW1, RC6] show a damaged session up to the damage', async () => {
    const store = new DamagedStore();
    const { world, alice, bob, id } = await aConversation({}, { store, views: VIEWS });
    for (const words of ['five', 'six', 'seven', 'eight']) await say(world, alice, id, words);
    world.hub.evictIdle();
    store.damageFrom(id, 7);
    expect(await see(world, bob, id, windowedSummary(1))).toMatchObject({
      at_seq: 6,
      earlier: 1,
      messages: [{ content: 'Earlier in this session: 1 message from alice.' }, { content: 'six' }],
    });
    const beyond = bob.call('read_view', { session_id: id, at_seq: 7 });
    await refused(world, beyond, 'bad_frame', 'params.at_seq');
  });

  it('[VW1, RC6] reject a read that finds damage', async () => {
    const store = new DamagedStore();
    const { world, alice, id } = await aConversation({ snapshotLength: 8, tailLength: 2 }, { store, views: VIEWS });
    for (let i = 0; i < 40; i++) await say(world, alice, id, `m${i}`);
    world.hub.evictIdle();
    store.hideDamageFrom(id, 20);
    const look = alice.call('read_view', { session_id: id, view: fullTranscript() });
    await refused(world, look, 'unavailable', { outcome: 'refused' });
  });
});

describe('long answers', () => {
  const bytesOf = ({ messages }: Shown) => JSON.stringify(messages).length;

  it('[VW13] count what does not fit as earlier, and return the seq to continue at', async () => {
    const { world, alice, id } = await aLatePanel({ maxResponseBytes: 2000 });
    for (let i = 0; i < 60; i++) await say(world, alice, id, `${i} ${'x'.repeat(50)}`);
    const all: string[] = [];
    const pages: Shown[] = [];
    for (let at: number | null | undefined; at !== null; at = pages.at(-1)?.next) {
      pages.push(await see(world, alice, id, fullTranscript(), at));
      all.unshift(...(pages.at(-1)?.messages.map(({ content }) => content.split(' ')[0] ?? '') ?? []));
    }
    expect(all).toEqual(['one', 'two', ...Array.from({ length: 60 }, (_, i) => String(i))]);
    expect(pages.length).toBeGreaterThan(3);
    expect(Math.max(...pages.map(bytesOf))).toBeLessThanOrEqual(2000);
    let left = 62;
    for (const { earlier, messages } of pages) {
      left -= messages.length;
      expect(earlier).toBe(left);
    }
    const summed = await see(world, alice, id, windowedSummary(50));
    expect(summed.messages[0]?.content).toBe(`Earlier in this session: ${summed.earlier} messages from alice, bob.`);
    expect(summed.messages.length + summed.earlier).toBe(63);
  });

  it('[VW13] always contain the newest line', async () => {
    const { world, alice, id } = await aLatePanel({ maxResponseBytes: 100 });
    const { seq } = await say(world, alice, id, 'y'.repeat(1000));
    const shown = await see(world, alice, id, fullTranscript());
    expect(shown).toMatchObject({ earlier: 2, next: seq - 1, messages: [{ content: 'y'.repeat(1000) }] });
  });

  it('[VW13] bound the messages that a view makes longer', async () => {
    const { world, alice, id } = await aLatePanel({ maxResponseBytes: 3000 });
    for (let i = 0; i < 20; i++) await say(world, alice, id, '[\n'.repeat(10) + i);
    world.hub.registerView({
      ...wholeView,
      name: 'wide',
      show: (lines, earlier, params) =>
        wholeView.show(lines, earlier, params).map((message) => ({ ...message, content: message.content.padEnd(400) })),
    });
    const shown = await see(world, alice, id, { name: 'wide', params: {} });
    expect(bytesOf(shown)).toBeLessThanOrEqual(3000);
    expect(shown.messages.length).toBeGreaterThan(3);
    expect(shown.earlier).toBe(22 - shown.messages.length);
    expect(shown.next).toBe((shown.messages[0]?.seq ?? 0) - 1);
    const before = await see(world, alice, id, { name: 'wide', params: {} }, shown.next ?? 0);
    expect(before.messages.at(-1)?.seq).toBe(shown.next);
  });

  it('[VW13] tell a summarizing view the left out lines and their senders', async () => {
    const { world, alice, id } = await aLatePanel({ maxResponseBytes: 3000 });
    const summing: View = {
      ...wholeView,
      name: 'summing',
      show: (lines, { count, names }, params) => [
        { role: 'user', content: `${count} from ${names.join(', ')}`, seq: null, name: null },
        ...wholeView
          .show(lines, { count, names }, params)
          .map((message) => ({ ...message, content: message.content.padEnd(400) })),
      ],
    };
    world.hub.registerView(summing);
    world.hub.registerView({ ...summing, name: 'nothing', window: () => () => false });
    expect((await see(world, alice, id, { name: 'summing', params: {} })).messages[0]?.content).toBe('0 from ');
    expect(await contents(world, alice, id, { name: 'nothing', params: {} })).toEqual(['2 from alice, bob']);
    for (let i = 0; i < 20; i++) await say(world, alice, id, `m${i}`);
    const shown = await see(world, alice, id, { name: 'summing', params: {} });
    expect(shown.earlier).toBeGreaterThan(10);
    expect(shown.messages[0]?.content).toBe(`${shown.earlier} from alice, bob`);
  });
});
