// The order of checks through the whole hub: a post that fails two neighbouring checks gets the error of the earlier one, and
// once that is fixed, of the later one. Neither changes the log, and both are observable.

import { discussion } from 'parley-hub/adapters/discussion';
import type { PostParams, RuleChange } from 'parley-hub/core';
import { expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { ADAPTERS, aCast, invited, logOf, opened, refusal, refused, say, text } from '../scene.ts';

interface Scene {
  readonly world: World;
  readonly alice: Peer;
  readonly bob: Peer;
  readonly carol: Peer;
  /** alice, bob and carol take turns; alice has the turn. */
  readonly id: string;
}

/** A post, and how its first fault is fixed: by another sender or post, or by an action. */
interface Send {
  readonly by: Peer;
  readonly post: PostParams;
  readonly mended?: { readonly by?: Peer; readonly post?: PostParams };
  readonly mend?: () => Promise<unknown>;
}

interface Answer {
  readonly code: string;
  readonly details?: object;
}

interface Pair {
  readonly first: string;
  readonly second: string;
  readonly arrange: (scene: Scene) => Promise<Send>;
  readonly answers: readonly [Answer, Answer];
}

/** A discussion in which some types require a grant; one of them is a hub type. */
const guarded: typeof discussion = {
  ...discussion,
  manifest: {
    ...discussion.manifest,
    type: 'guarded',
    grants: { 'vote.cast': 'approve', 'session.opened': 'approve' },
  },
};

function aGuarded({ world, alice, bob, carol }: Scene): Promise<string> {
  return opened(world, alice, [bob, carol], { type: 'guarded' });
}

async function aScene(): Promise<Scene> {
  const { world, alice, bob, carol } = await aCast(
    ['alice', 'bob', 'carol'],
    {},
    { adapters: [...ADAPTERS, discussion, guarded] },
  );
  const id = await opened(world, alice, [bob, carol], { type: 'discussion' });
  for (const peer of [alice, bob, carol]) await world.answer(world.hub.grant(peer.agentId, ['rules']));
  return { world, alice, bob, carol, id };
}

function rule({ world }: Scene, peer: Peer, change: RuleChange): Promise<unknown> {
  return world.answer(peer.call('set_rule', { rule: change }));
}

const MUTE: RuleChange = { access: { outbound_to: [] } };
const FREE: RuleChange = { access: { outbound_to: ['*'] } };

/** Fills the inbox of bob. */
async function fillBob(scene: Scene): Promise<void> {
  const { world, bob, carol } = scene;
  bob.acks = false;
  await rule(scene, bob, { limits: { inbox: { max_pending: 1 } } });
  const pair = await opened(world, carol, [bob]);
  await refused(world, say(world, carol, pair, 'x'), 'inbox_full');
}

/** Uses up the rate of alice for an hour. */
async function spendRate(scene: Scene): Promise<void> {
  const { world, alice, carol } = scene;
  await rule(scene, alice, { limits: { rate: { per_minute: 1, burst: 1 } } });
  const pair = await opened(world, alice, [carol]);
  await say(world, alice, pair, 'x');
}

const PAIRS: readonly Pair[] = [
  {
    first: 'sender bound',
    second: 'session known',
    async arrange({ world, id }) {
      const [old, mallory] = [await world.peer('mallory'), await world.peer('mallory')];
      return { by: old, post: text(id, 'x'), mended: { by: mallory } };
    },
    answers: [{ code: 'unauthenticated' }, { code: 'not_found' }],
  },
  {
    first: 'session known',
    second: 'repeat of a key',
    async arrange({ world, alice, id }) {
      const mallory = await world.peer('mallory');
      await say(world, alice, id, 'one', { idempotency_key: 'k' });
      return { by: mallory, post: text(id, 'two', { idempotency_key: 'k' }), mended: { by: alice } };
    },
    answers: [{ code: 'not_found' }, { code: 'duplicate' }],
  },
  {
    first: 'repeat of a key',
    second: 'outbound access',
    async arrange(scene) {
      const { world, alice, id } = scene;
      await say(world, alice, id, 'one', { idempotency_key: 'k' });
      await rule(scene, alice, MUTE);
      const post = text(id, 'two', { idempotency_key: 'k' });
      return { by: alice, post, mended: { post: text(id, 'two') } };
    },
    answers: [
      { code: 'duplicate' },
      { code: 'forbidden', details: { reason: expect.stringContaining('outbound_to') } },
    ],
  },
  {
    first: 'repeat of a key',
    second: 'depth',
    async arrange(scene) {
      const { world, alice, bob, carol, id } = scene;
      const child = await opened(world, alice, [bob, carol], { type: 'discussion', parent_session_id: id });
      await say(world, alice, child, 'one', { idempotency_key: 'k' });
      await rule(scene, alice, { limits: { delegation_depth: 0 } });
      const post = text(child, 'two', { idempotency_key: 'k' });
      return { by: alice, post, mended: { post: text(child, 'two') } };
    },
    answers: [
      { code: 'duplicate' },
      { code: 'forbidden', details: { reason: expect.stringContaining('delegation_depth') } },
    ],
  },
  {
    first: 'outbound access',
    second: 'not ended',
    async arrange(scene) {
      const { world, alice, id } = scene;
      await rule(scene, alice, MUTE);
      await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
      return { by: alice, post: text(id, 'x'), mend: () => rule(scene, alice, FREE) };
    },
    answers: [{ code: 'forbidden' }, { code: 'session_closed' }],
  },
  {
    first: 'not ended',
    second: 'active session',
    async arrange({ world, alice, bob, carol }) {
      const ended = await invited(world, alice, [bob, carol], { type: 'discussion' });
      const open = await invited(world, alice, [bob, carol], { type: 'discussion' });
      await world.answer(alice.call('close_session', { session_id: ended }));
      return {
        by: alice,
        post: text(ended, 'x'),
        mended: { post: text(open, 'x') },
      };
    },
    answers: [{ code: 'session_closed' }, { code: 'protocol_error', details: { state: 'INVITED' } }],
  },
  {
    first: 'active session',
    second: 'active sender',
    async arrange({ world, alice, bob, carol }) {
      const id = await invited(world, alice, [bob, carol], { type: 'discussion', required_acks: 1 });
      const mend = () => world.answer(bob.call('ack_invite', { session_id: id }));
      return { by: carol, post: text(id, 'x'), mend };
    },
    answers: [
      { code: 'protocol_error', details: { state: 'INVITED' } },
      { code: 'protocol_error', details: { status: 'invited' } },
    ],
  },
  {
    first: 'active sender',
    second: 'expected seq',
    async arrange({ world, alice, id }) {
      await world.answer(world.hub.hideParticipant(id, 'alice'));
      const mend = () => world.answer(alice.call('return_to_session', { session_id: id }));
      return { by: alice, post: text(id, 'x', { expected_seq: 1 }), mend };
    },
    answers: [{ code: 'not_your_turn', details: { turn_passed_at_seq: expect.any(Number) } }, { code: 'conflict' }],
  },
  {
    first: 'expected seq',
    second: 'rate',
    async arrange(scene) {
      await spendRate(scene);
      const { alice, id } = scene;
      return {
        by: alice,
        post: text(id, 'x', { expected_seq: 1 }),
        mended: { post: text(id, 'x') },
      };
    },
    answers: [{ code: 'conflict' }, { code: 'rate_limited' }],
  },
  {
    first: 'rate',
    second: 'inbox',
    async arrange(scene) {
      await spendRate(scene);
      await fillBob(scene);
      const { alice, bob, id } = scene;
      const mend = () => rule(scene, alice, { limits: { rate: null } });
      return { by: alice, post: text(id, 'x', { audience: [bob.agentId] }), mend };
    },
    answers: [{ code: 'rate_limited' }, { code: 'inbox_full' }],
  },
  {
    first: 'inbox',
    second: 'type',
    async arrange(scene) {
      await fillBob(scene);
      const { alice, bob, id } = scene;
      const post = text(id, 'x', { audience: [bob.agentId], event_type: 'session.opened' });
      return { by: alice, post, mend: () => rule(scene, bob, { limits: { inbox: { max_pending: 9 } } }) };
    },
    answers: [{ code: 'inbox_full' }, { code: 'protocol_error', details: { event_type: 'session.opened' } }],
  },
  {
    first: 'inbox',
    second: 'validateSend',
    async arrange(scene) {
      await fillBob(scene);
      const { bob, carol, id } = scene;
      const post = text(id, 'x', { audience: [bob.agentId] });
      return { by: carol, post, mend: () => rule(scene, bob, { limits: { inbox: { max_pending: 9 } } }) };
    },
    answers: [{ code: 'inbox_full' }, { code: 'not_your_turn' }],
  },
  {
    first: 'type',
    second: 'grant',
    async arrange(scene) {
      const { alice } = scene;
      const id = await aGuarded(scene);
      return {
        by: alice,
        post: text(id, 'x', { event_type: 'session.opened' }),
        mended: { post: text(id, 'x', { event_type: 'vote.cast' }) },
      };
    },
    answers: [
      { code: 'protocol_error', details: { event_type: 'session.opened' } },
      { code: 'forbidden', details: { grant: 'approve' } },
    ],
  },
  {
    first: 'grant',
    second: 'audience',
    async arrange(scene) {
      const { world, alice } = scene;
      const id = await aGuarded(scene);
      return {
        by: alice,
        post: text(id, 'x', { event_type: 'vote.cast', audience: ['f'.repeat(32)] }),
        mend: () => world.answer(world.hub.grant('alice', ['approve'])),
      };
    },
    answers: [
      { code: 'forbidden', details: { grant: 'approve' } },
      { code: 'protocol_error', details: { field: 'audience' } },
    ],
  },
  {
    first: 'type',
    second: 'audience',
    async arrange({ alice, id }) {
      const audience = ['f'.repeat(32)];
      return {
        by: alice,
        post: text(id, 'x', { audience, event_type: 'session.opened' }),
        mended: { post: text(id, 'x', { audience }) },
      };
    },
    answers: [
      { code: 'protocol_error', details: { event_type: 'session.opened' } },
      { code: 'protocol_error', details: { field: 'audience' } },
    ],
  },
  {
    first: 'audience',
    second: 'validateSend',
    async arrange({ carol, id }) {
      return {
        by: carol,
        post: text(id, 'x', { audience: ['f'.repeat(32)] }),
        mended: { post: text(id, 'x') },
      };
    },
    answers: [{ code: 'protocol_error', details: { field: 'audience' } }, { code: 'not_your_turn' }],
  },
];

it('[AM1] has a pair for every two neighbouring checks', () => {
  const order =
    `sender bound, session known, repeat of a key, outbound access, not ended, active session, active sender,
    expected seq, rate, inbox, type, grant, audience, validateSend`.split(/,\s+/);
  const pairs = PAIRS.map(({ first, second }) => `${first} → ${second}`);
  for (let i = 1; i < order.length; i++) expect(pairs).toContain(`${order[i - 1]} → ${order[i]}`);
});

it.each(PAIRS)('[AM1, AM8] checks $first before $second', async ({ arrange, answers }) => {
  const scene = await aScene();
  const { world } = scene;
  const { mended, mend, ...first } = await arrange(scene);
  const refused: unknown[] = [];
  world.hub.on('operationRefused', ({ op, error }) => void (op === 'post' && refused.push(error.code)));
  for (const [i, { by, post }] of [first, { ...first, ...mended }].entries()) {
    if (i === 1) await mend?.();
    const before = logOf(world.store, post.session_id);
    expect(await refusal(world, by.call('post', post))).toMatchObject(answers[i] ?? {});
    expect(logOf(world.store, post.session_id)).toEqual(before);
    expect(refused).toEqual(answers.slice(0, i + 1).map(({ code }) => code));
  }
});

it('[AM1, AM3] answers a repeat with the same content whatever else is wrong', async () => {
  const scene = await aScene();
  const { world, alice, id } = scene;
  const first = await say(world, alice, id, 'one', { idempotency_key: 'k' });
  await rule(scene, alice, { ...MUTE, limits: { rate: { per_minute: 1, burst: 1 } } });
  await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
  expect(await say(world, alice, id, 'one', { idempotency_key: 'k', expected_seq: 1 })).toMatchObject({
    seq: first.seq,
    duplicate: true,
  });
});
