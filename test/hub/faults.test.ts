/** Single faults outside the hub: invalid answers of adapters, clocks set back, reads and writes that fail once. */

import { conversation } from 'parley-hub/adapters/conversation';
import type { SessionAdapter } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { panel } from './panel.ts';
import {
  ADAPTERS,
  aCast,
  aConversation,
  aPanel,
  aWorld,
  DAY,
  foreignUnit,
  HOUR,
  invited,
  logOf,
  MINUTE,
  opened,
  refused,
  SECOND,
  say,
  text,
  types,
  watch,
} from './scene.ts';
import { SlowReads } from './slow-stores.ts';

describe('an adapter with an invalid answer', () => {
  const nonsense: readonly (readonly [string, Partial<SessionAdapter>])[] = [
    ['a turn JSON cannot write', { expectedNext: () => ({ agent_id: 'x', since_seq: 1n }) as never }],
    ['a turn for a stranger', { expectedNext: () => ({ agent_id: 'nobody', since_seq: 1 }) }],
    [
      'a turn from the future',
      { expectedNext: ({ creator_id, head_seq }) => ({ agent_id: creator_id, since_seq: head_seq + 1 }) },
    ],
    ['a close reason that is no text', { onAccepted: () => ({ next_state: 'CLOSING', close_reason: 1n }) as never }],
    ['a close reason without end', { onAccepted: () => ({ next_state: 'CLOSING', close_reason: 'x'.repeat(257) }) }],
  ];

  it.each(nonsense)('[AM7, L6, L8] has that post rejected, and nobody else notices (%s)', async (_what, members) => {
    let odd = false;
    const adapter = panel as SessionAdapter;
    const sometimes: SessionAdapter = {
      ...adapter,
      manifest: { ...adapter.manifest, type: 'odd' },
      expectedNext: (...args) => (odd ? (members.expectedNext?.(...args) ?? null) : null),
      onAccepted: (...args) => (odd ? (members.onAccepted?.(...args) ?? {}) : {}),
    };
    const { world, alice, bob, id: healthy } = await aConversation({}, { adapters: [...ADAPTERS, sometimes] });
    const id = await opened(world, alice, [bob], { type: 'odd' });
    const before = logOf(world.store, id).length;
    odd = true;
    await refused(world, alice.call('post', text(id, 'x', { idempotency_key: 'k' })), 'internal');
    odd = false;
    expect(world.hub.health()).toMatchObject({ staged_units: 0, staged_bytes: 0 });
    await refused(world, alice.call('post', text(id, 'y', { expected_seq: 1 })), 'conflict');
    expect(await say(world, alice, id, 'z', { idempotency_key: 'k' })).toMatchObject({ seq: before + 1 });
    await world.pass(6 * SECOND);
    expect((await say(world, bob, healthy, 'all is well')).seq).toBe(5);
  });
});

it('[L8, AM7] rejects only the post whose append threw', async () => {
  const { world, alice, id } = await aConversation();
  const append = world.store.append.bind(world.store);
  world.store.append = () => {
    world.store.append = append;
    throw new TypeError('not now');
  };
  await refused(world, alice.call('post', text(id, 'x', { idempotency_key: 'k' })), 'internal');
  expect(world.hub.health()).toMatchObject({ staged_units: 0 });
  expect(await say(world, alice, id, 'x', { idempotency_key: 'k' })).toEqual(
    expect.not.objectContaining({ duplicate: true }),
  );
  const newcomer = await world.peer('carol');
  expect(newcomer.agentId).not.toBe('');
});

describe('a clock that is set back three hours', () => {
  it('[LC7, L6] does not keep a session in CLOSING', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'x');
    world.clock.jump(-3 * HOUR);
    await world.answer(alice.call('close_session', { session_id: id }));
    await world.pass(4 * SECOND);
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.closing');
    world.clock.jump(-3 * HOUR);
    await world.pass(2 * SECOND);
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.closed');
  });

  it('[DL3, L5] does not delay the redelivery of a nacked envelope', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'x');
    bob.receipt(id, 5, 'nack');
    await world.settle();
    world.clock.jump(-3 * HOUR);
    await world.pass(SECOND);
    expect(bob.seqs(id).slice(-2)).toEqual([5, 5]);
  });
});

it('[DL9, L5] reports a missed range however many own envelopes precede it', async () => {
  const { world, alice, bob, id } = await aConversation();
  for (let i = 0; i < 250; i++) await say(world, bob, id, `mine ${i}`);
  await world.pass(2 * SECOND);
  bob.link.close();
  await world.settle();
  await say(world, alice, id, 'important');
  await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
  world.clock.advance(8 * DAY);
  await world.pass(SECOND);
  const again = await world.peer('bob');
  expect(again.frames.filter(({ kind }) => kind === 'gap')).toMatchObject([
    { session_id: id, to_seq: 257, reason: 'retention' },
  ]);
});

it('[DL12, DL9] tells a removed participant nothing after its removal, however old', async () => {
  const { world, alice, bob, id } = await aPanel();
  const removed = { event_type: 'session.participant.removed', event_data: { agent_id: bob.agentId, reason: 'x' } };
  world.store.foreignAppend(id, foreignUnit(world, id, removed));
  await say(world, alice, id, 'after');
  await world.pass(SECOND);
  bob.link.close();
  await world.answer(alice.call('close_session', { session_id: id }));
  await world.pass(6 * SECOND);
  world.clock.advance(8 * DAY);
  await world.restart();
  const again = await world.peer('bob');
  expect(again.frames.filter(({ kind }) => kind !== 'welcome')).toEqual([]);
});

it('[AM10, AM12, L1] answers a repeated create like a repeated post when the store fails', async () => {
  const { world, alice, bob } = await aCast(['alice', 'bob']);
  world.hold = true;
  const params = { type: 'conversation', participants: [bob.agentId], wait: 'created', idempotency_key: 'k' } as const;
  const first = watch(alice.call('create_session', params));
  const other = watch(alice.call('create_session', { ...params, intent: 'other' }));
  const same = watch(alice.call('create_session', params));
  await world.settle();
  world.store.failSync(new Error('EIO'), () => true);
  await world.settle();
  expect(first.value).toMatchObject({ code: 'unavailable', details: { outcome: 'unknown' } });
  expect(other.value).toMatchObject({ code: 'unavailable', details: { outcome: 'refused' } });
  expect(same.value).toMatchObject({ code: 'unavailable', details: { outcome: 'unknown' } });
});

it('[LC12] leaves the identity unchanged if an unregister fails', async () => {
  const store = new SlowReads();
  const { world, alice, bob } = await aConversation({}, { store });
  world.hub.evictIdle();
  store.failures = 1;
  await refused(world, bob.call('unregister', {}), 'unavailable');
  const id = await opened(world, alice, [bob]);
  expect((await say(world, bob, id, 'still here')).seq).toBe(5);
});

it('[LC11] closes a child later if it cannot be read when its parent ends', async () => {
  const store = new SlowReads();
  const { world, alice, bob, id } = await aConversation({}, { store });
  const child = await opened(world, alice, [bob], { parent_session_id: id, ttl: 0 });
  world.hub.evictIdle();
  await say(world, alice, id, 'x');
  const read = store.read.bind(store);
  let failures = 2;
  store.read = (logId, range) =>
    logId === child && failures-- > 0 ? Promise.reject(new Error('bad sector')) : read(logId, range);
  await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
  await world.pass(10 * SECOND);
  expect(logOf(store, child).at(-1)).toMatchObject({
    event_type: 'session.closed',
    event_data: { reason: 'parent_closed' },
  });
});

it('[LC13] makes a session available if its adapter is registered while it loads', async () => {
  for (let turns = 0; turns < 40; turns++) {
    const adapters = ADAPTERS.filter(({ manifest }) => manifest.type !== 'conversation');
    const { world, id } = await aConversation();
    const store = world.store.crash();
    const without = await aWorld({}, { store, adapters, seed: 2 });
    const alice = await without.peer('alice');
    const first = alice.ask('post', text(id, 'x'));
    for (let i = 0; i < turns; i++) await Promise.resolve();
    without.hub.register(conversation);
    await without.settle();
    await first;
    expect((await say(without, alice, id, 'y')).seq).toBeGreaterThan(4);
  }
});

it('[OP1, L8] returns pending turns in pages', async () => {
  const { world, alice, bob } = await aCast(['alice', 'bob']);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push(await opened(world, alice, [bob], { type: 'consulting' }));
  const seen: string[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page: { turns: readonly { session_id: string }[]; next: string | null } = await world.answer(
      alice.call('pending_turns', { after: after ?? undefined, limit: 2 }),
    );
    expect(page.turns.length).toBeLessThanOrEqual(2);
    seen.push(...page.turns.map(({ session_id }) => session_id));
    after = page.next;
  }
  expect(seen).toEqual(ids.sort());
  expect((await world.answer(alice.call('pending_turns', { limit: 5 }))).next).toBeNull();
});

it('[OP1, L8] bounds a list of sessions by the answer size, and continues after it', async () => {
  const { world, alice, bob } = await aCast(['alice', 'bob'], { maxResponseBytes: 3000 });
  const ids: string[] = [];
  for (let i = 0; i < 8; i++) ids.unshift(await invited(world, alice, [bob], { labels: { note: 'x'.repeat(900) } }));
  const seen: string[] = [];
  let pages = 0;
  for (let after: string | null | undefined; after !== null; pages++) {
    const page: { sessions: readonly { session_id: string }[]; next: string | null } = await world.answer(
      alice.call('list_sessions', { after: after ?? undefined }),
    );
    expect(JSON.stringify(page.sessions).length).toBeLessThan(4500);
    seen.push(...page.sessions.map(({ session_id }) => session_id));
    after = page.next;
  }
  expect(seen).toEqual(ids);
  expect(pages).toBeGreaterThan(2);
  expect(await world.pass(MINUTE)).toBeUndefined();
});
