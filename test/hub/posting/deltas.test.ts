// Deltas: senders, recipients, limits; nothing is stored.

import { conversation } from 'parley-hub/adapters/conversation';
import { describe, expect, it } from 'vitest';
import type { ForwardedDelta } from '../../../src/core/protocol/frames/frames.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aCast, aConversation, aPanel, logOf, opened, say } from '../scene.ts';
import { slowLink } from '../slow-link.ts';

interface Shown {
  readonly turn_id?: string;
  readonly audience?: readonly string[] | null;
  readonly index?: number;
}

async function show(world: World, by: Peer, session_id: string, text: string, more: Shown = {}): Promise<void> {
  by.send({ kind: 'delta', session_id, sender_id: by.agentId, turn_id: 't1', audience: null, index: 0, text, ...more });
  await world.settle();
}

function deltas(peer: Peer): readonly ForwardedDelta[] {
  return peer.frames.filter((frame): frame is ForwardedDelta => frame.kind === 'delta');
}

function texts(peer: Peer): readonly string[] {
  return deltas(peer).map(({ text }) => text);
}

describe('a delta', () => {
  it('[DT1] is forwarded unchanged and not stored', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const before = logOf(world.store, id);
    await show(world, alice, id, 'Hel', { index: 0 });
    await show(world, alice, id, 'lo', { index: 1 });
    expect(deltas(bob)[0]).toEqual({
      kind: 'delta',
      recipient_id: bob.agentId,
      session_id: id,
      sender_id: alice.agentId,
      turn_id: 't1',
      audience: null,
      index: 0,
      text: 'Hel',
    });
    expect([texts(bob), texts(carol), texts(alice)]).toEqual([['Hel', 'lo'], ['Hel', 'lo'], []]);
    world.hub.sweep();
    await world.settle();
    expect(logOf(world.store, id)).toEqual(before);
    expect(world.store.stagedUnits()).toBe(0);
  });

  it('[DT2] is dropped silently from a sender that could not post now, and from non-participants', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await opened(world, alice, [bob], { type: 'consulting' });
    const heard = [alice, bob, carol].map(({ frames }) => frames.length);
    // alice asks first.
    await show(world, bob, id, 'not my turn');
    await show(world, carol, id, 'a stranger');
    await show(world, carol, 'e'.repeat(32), 'nowhere');
    expect([alice, bob, carol].map(({ frames }) => frames.length)).toEqual(heard);
    await show(world, alice, id, 'my turn');
    expect(texts(bob)).toEqual(['my turn']);
    await say(world, alice, id, 'question');
    await show(world, alice, id, 'no longer');
    await show(world, bob, id, 'now mine');
    expect([texts(alice), texts(bob)]).toEqual([['now mine'], ['my turn']]);
    await say(world, bob, id, 'answer');
    await show(world, bob, id, 'too late');
    expect(texts(alice)).toEqual(['now mine']);
  });

  it('[DT2, MB4] is neither sent by nor delivered to hidden and removed participants', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await show(world, alice, id, 'one');
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    await show(world, alice, id, 'two', { index: 1 });
    await show(world, bob, id, 'hidden');
    await world.answer(world.hub.returnParticipant(id, 'bob'));
    await show(world, alice, id, 'three', { index: 2 });
    await world.answer(world.hub.removeParticipant(id, 'carol'));
    await show(world, alice, id, 'four', { index: 3 });
    await show(world, carol, id, 'out');
    expect([texts(alice), texts(bob), texts(carol)]).toEqual([[], ['one', 'three', 'four'], ['one', 'two', 'three']]);
  });

  it('[DT3] goes to the audience of the first delta of its turn; the next turn has its own', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await show(world, alice, id, 'psst', { audience: [carol.agentId] });
    await show(world, alice, id, 'all?', { audience: null, index: 1 });
    expect([texts(bob), texts(carol)]).toEqual([[], ['psst', 'all?']]);
    expect(deltas(carol)[1]?.audience).toEqual([carol.agentId]);
    await show(world, alice, id, 'all!', { turn_id: 't2' });
    expect([texts(bob), texts(carol)]).toEqual([['all!'], ['psst', 'all?', 'all!']]);
    await show(world, alice, id, 'nobody', { turn_id: 't3', audience: ['x'] });
    expect([texts(bob).length, texts(carol).length]).toEqual([1, 3]);
  });

  it('[DT3, RU6] is withheld by the rule of a recipient, even if that changes in between', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await show(world, alice, id, 'one');
    await world.answer(bob.call('set_rule', { rule: { access: { inbound_from: ['carol'] } } }));
    await world.pass(1000);
    await show(world, alice, id, 'two', { index: 1 });
    await show(world, carol, id, 'three', { index: 2 });
    expect([texts(bob), texts(carol)]).toEqual([
      ['one', 'three'],
      ['one', 'two'],
    ]);
  });

  it('[DT3, AR4] goes to nobody if an arbiter decides deliveries', async () => {
    const { world, alice, bob, id } = await aConversation({}, { arbiter: { authorizeDelivery: () => true } });
    await show(world, alice, id, 'one');
    expect(texts(bob)).toEqual([]);
    await say(world, alice, id, 'said');
    expect(bob.notifies(id).at(-1)?.envelope.event_data).toEqual({ text: 'said' });
  });

  it('[DT2, AR2] waits for an asynchronous arbiter, and keeps its order', async () => {
    const answers: ((verdict: boolean) => void)[] = [];
    const authorizeSend = () => new Promise<boolean>((resolve) => answers.push(resolve));
    const { world, alice, bob, id } = await aConversation({}, { arbiter: { authorizeSend } });
    for (const index of [0, 1, 2]) await show(world, alice, id, `d${index}`, { index });
    expect([answers.length, texts(bob)]).toEqual([1, []]);
    answers[0]?.(true);
    await world.settle();
    expect(texts(bob)).toEqual(['d0', 'd1', 'd2']);
    await world.pass(1000);
    await show(world, alice, id, 'd3', { index: 3 });
    answers[1]?.(false);
    await world.settle();
    await show(world, alice, id, 'd4', { index: 4 });
    expect(texts(bob)).toHaveLength(3);
  });

  it('[DT4] is dropped beyond 64 KiB per second or 1 MiB per turn', async () => {
    const { world, alice, bob, id } = await aConversation();
    const half = 'x'.repeat(32 * 1024);
    for (let index = 0; index < 3; index++) await show(world, alice, id, half, { index });
    expect(deltas(bob).map(({ index }) => index)).toEqual([0, 1]);
    // Another turn does not avoid the limit.
    await show(world, alice, id, half, { turn_id: 't2' });
    expect(deltas(bob)).toHaveLength(2);
    world.clock.advance(499);
    await show(world, alice, id, half, { turn_id: 't3' });
    world.clock.advance(1);
    await show(world, alice, id, half, { turn_id: 't3', index: 1 });
    expect(deltas(bob).map(({ index }) => index)).toEqual([0, 1, 1]);
    for (let i = 0; i < 40; i++) {
      world.clock.advance(1000);
      await show(world, alice, id, half, { turn_id: 't4', index: i });
    }
    expect(deltas(bob).filter(({ turn_id }) => turn_id === 't4')).toHaveLength(32);
  });

  it('[DT4, BP1] is not sent to a peer under backpressure', async () => {
    const { world, alice, bob, carol, id } = await aPanel({ maxUnsentBytes: 1000 });
    const slow = slowLink(world);
    const late = slow.peer;
    late.acks = true;
    late.hello('bob');
    await world.settle();
    slow.unsent = 2000;
    await show(world, alice, id, 'one');
    await show(world, alice, id, 'two', { index: 1 });
    slow.drain();
    await show(world, alice, id, 'three', { index: 2 });
    expect([texts(late), texts(carol), texts(bob)]).toEqual([['one', 'three'], ['one', 'two', 'three'], []]);
  });

  it('[DT5] is sent to observers, marked', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const olga = await world.peer('olga');
    for (const name of ['olga', 'bob']) await world.answer(world.hub.grant(name, ['observe']));
    for (const peer of [olga, bob]) await world.answer(peer.call('subscribe', { session_id: id }));
    await show(world, alice, id, 'psst', { audience: [carol.agentId] });
    await show(world, alice, id, 'all', { turn_id: 't2' });
    await world.answer(world.hub.hideParticipant(id, 'carol'));
    await show(world, carol, id, 'hidden', { turn_id: 't3' });
    expect(deltas(olga)).toMatchObject([
      { recipient_id: olga.agentId, observed: true, text: 'psst' },
      { observed: true, text: 'all' },
    ]);
    expect(deltas(bob).map(({ observed = false, text }) => [observed, text])).toEqual([
      [true, 'psst'],
      [false, 'all'],
      [true, 'all'],
    ]);
  });

  it('[DT6, RE1] is a bad frame if malformed or not from an identity bound here', async () => {
    const { world, alice, bob, id } = await aConversation();
    const refusal = async (shown: object) => {
      const good = { kind: 'delta', session_id: id, sender_id: alice.agentId, turn_id: 't', audience: null, index: 0 };
      alice.send({ ...good, text: 'x', ...shown });
      await world.settle();
      const frame = alice.frames.at(-1);
      return frame?.kind === 'error' ? [frame.error.code, frame.error.details?.field] : frame;
    };
    expect(await refusal({ text: 5 })).toEqual(['bad_frame', 'frame.text']);
    expect(await refusal({ index: -1 })).toEqual(['bad_frame', 'frame.index']);
    expect(await refusal({ audience: [] })).toEqual(['bad_frame', 'frame.audience']);
    expect(await refusal({ session_id: 'S' })).toEqual(['bad_frame', 'frame.session_id']);
    expect(await refusal({ text: 'x'.repeat(65_537) })).toEqual(['bad_frame', 'frame.text']);
    expect(await refusal({ sender_id: bob.agentId })).toEqual(['bad_frame', 'frame.sender_id']);
    expect(texts(bob)).toEqual([]);
  });

  it('[DT6, BP3] is dropped without an error if its connection was replaced', async () => {
    const { world, alice, bob, id } = await aConversation();
    const bad: unknown[] = [];
    world.hub.on('badFrame', ({ error }) => bad.push(error));
    const second = await world.peer('alice');
    await show(world, alice, id, 'late');
    await show(world, second, id, 'mine');
    expect([bad, texts(bob)]).toEqual([[], ['mine']]);
  });

  it('[DT2] is judged once per head of the session, not once per delta', async () => {
    let judged = 0;
    const counting: typeof conversation = {
      ...conversation,
      validateSend: (...args) => {
        judged += 1;
        return conversation.validateSend(...args);
      },
    };
    const { world, alice, bob, id } = await aConversation({}, { adapters: [counting] });
    world.hub.evictIdle();
    for (let index = 0; index < 50; index++) await show(world, alice, id, `d${index}`, { index });
    expect([texts(bob).length, judged]).toEqual([50, 1]);
    await say(world, bob, id, 'in between');
    for (let index = 50; index < 60; index++) await show(world, alice, id, `d${index}`, { index });
    expect([texts(bob).length, judged]).toEqual([60, 3]);
  });

  it('[DT7, DT3] of an earlier turn keeps its audience', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await show(world, alice, id, 'psst', { turn_id: 'a', audience: [carol.agentId] });
    await show(world, alice, id, 'all', { turn_id: 'b' });
    await show(world, alice, id, 'still psst', { turn_id: 'a', audience: null, index: 1 });
    alice.hello('alice');
    await world.settle();
    await show(world, alice, id, 'and now', { turn_id: 'a', audience: null, index: 2 });
    expect([texts(bob), texts(carol)]).toEqual([['all'], ['psst', 'all', 'still psst', 'and now']]);
  });

  it('[DT7] of a forgotten turn starts a new one', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await show(world, alice, id, 'psst', { turn_id: 'a', audience: [carol.agentId] });
    for (let n = 0; n < 16; n++) await show(world, alice, id, 'x', { turn_id: `t${n}`, audience: [carol.agentId] });
    await show(world, alice, id, 'all', { turn_id: 'a' });
    expect(texts(bob)).toEqual(['all']);
  });

  it('[DT7, DT4] counts towards the same second and turn after another hello', async () => {
    const { world, alice, bob, id } = await aConversation({ maxTurnDeltaBytes: 96 * 1024 });
    const half = 'x'.repeat(32 * 1024);
    for (let index = 0; index < 4; index++) {
      await show(world, alice, id, half, { index });
      alice.hello('alice');
      await world.settle();
    }
    expect(deltas(bob).map(({ index }) => index)).toEqual([0, 1]);
    world.clock.advance(1000);
    for (const index of [4, 5]) await show(world, alice, id, half, { index });
    expect(deltas(bob).map(({ index }) => index)).toEqual([0, 1, 4]);
  });

  it('[DT2, DL6] is dropped if its connection was replaced while the arbiter decided, and the newer one is judged separately', async () => {
    const answers: ((verdict: boolean) => void)[] = [];
    const authorizeSend = () => new Promise<boolean>((resolve) => answers.push(resolve));
    const { world, alice, bob, id } = await aConversation({}, { arbiter: { authorizeSend } });
    await show(world, alice, id, 'mine');
    const second = await world.peer('alice');
    answers[0]?.(true);
    await world.settle();
    expect(texts(bob)).toEqual([]);
    await show(world, second, id, 'now mine', { index: 1 });
    answers[1]?.(true);
    await world.settle();
    expect(texts(bob)).toEqual(['now mine']);
  });
});
