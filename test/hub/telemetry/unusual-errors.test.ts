// Anything may be thrown, even values that cannot be shown: the hub contains it and continues.

import type { Arbiter } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { asError } from '../../../src/core/lib/errors.ts';
import { aCast, aWorld, opened, refused, releaseHold, say, text, watch } from '../scene.ts';

const ODD: Readonly<Record<string, () => unknown>> = {
  'an object without a text': () => Object.create(null),
  'an error whose message throws': () =>
    Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw new Error('not to be read');
      },
    }),
  'an error without a message': () => Object.defineProperty(new Error('x'), 'message', { value: 7 }),
  'a symbol': () => Symbol('odd'),
};

describe.each(Object.entries(ODD))('%s', (_, odd) => {
  it('[EV2] becomes an error that can be shown', () => {
    expect(typeof asError(odd()).message).toBe('string');
  });

  it('[EV2, L8] is contained when a listener throws it', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await opened(world, alice, [bob], { type: 'panel' });
    world.hub.on('envelopePosted', () => {
      throw odd();
    });
    const { seq } = await say(world, alice, id, 'x');
    expect(bob.seqs(id)).toContain(seq);
  });

  it.each(['authorizeSend', 'authorizeInbox'] as const)('[AR3] denies when %s throws it', async (member) => {
    const throwing = () => {
      throw odd();
    };
    for (const answer of [throwing, () => Promise.reject(odd())]) {
      const { world, alice, bob } = await aCast(
        ['alice', 'bob'],
        {},
        { arbiter: { [member]: answer } as Partial<Arbiter> },
      );
      const id = await opened(world, alice, [bob], { type: 'panel' });
      await refused(world, say(world, alice, id, 'x'), 'forbidden');
    }
  });
});

it('[EV2] an object with a message is shown by that message', () => {
  expect(asError({ message: 'no more', code: 5 }).message).toBe('no more');
  expect(asError({ message: 7 }).message).toBe('[object Object]');
});

it('[AR2] a participant that joins while the arbiter would be asked is not allowed without asking', async () => {
  const arbiter: Partial<Arbiter> = { authorizeSend: ({ from }) => from.name !== 'mallory' };
  const world = await aWorld({}, { arbiter });
  const [alice, bob, mallory] = [await world.peer('alice'), await world.peer('bob'), await world.peer('mallory')];
  const id = await opened(world, alice, [bob], { type: 'panel' });
  world.hold = true;
  watch(alice.call('add_participant', { session_id: id, participant: 'mallory' }));
  await world.settle();
  watch(mallory.call('ack_invite', { session_id: id }));
  await world.settle();
  const post = watch(mallory.call('post', text(id, 'unasked')));
  await world.settle();
  await releaseHold(world);
  expect(post).toMatchObject({ state: 'refused', value: { code: 'forbidden' } });
});

it('[AR2] posts of one connection keep their order, whichever the arbiter answers first', async () => {
  const answers: (() => void)[] = [];
  const slow = (): Promise<boolean> => new Promise((resolve) => answers.push(() => resolve(true)));
  const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { arbiter: { authorizeSend: slow } });
  const id = await opened(world, alice, [bob], { type: 'panel' });
  const posts = ['1', '2'].map((words) => watch(alice.call('post', text(id, words))));
  await world.settle();
  answers[0]?.();
  await world.settle();
  posts.push(watch(alice.call('post', text(id, '3'))));
  await world.settle();
  for (const n of [2, 1]) {
    answers[n]?.();
    await world.settle();
  }
  const seqs = posts.map(({ value }) => (value as { readonly seq: number }).seq);
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
});
