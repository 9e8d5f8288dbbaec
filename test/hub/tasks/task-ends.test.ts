import { conversation } from 'parley-hub/adapters/conversation';
import { createHub } from 'parley-hub/node';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { World } from '../../../src/testing/doubles/world.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { aConversation, aPanel, EXPECTATIONS, HOUR, leap, logOf, MINUTE, refused, SECOND, types } from '../scene.ts';

async function started(world: World, peer: Peer, session_id: string, more: object = {}) {
  return (await world.answer(peer.call('start_task', { session_id, title: 'look into it', ...more }))).task;
}

/** The units appended to a session from now on, each as a line of types. */
function units({ store }: World, id: string): readonly string[] {
  const lines: string[] = [];
  const append = store.append.bind(store);
  store.append = (log, expected, unit) => {
    if (log === id) lines.push(types(unit.entries.map(({ envelope }) => envelope)).join(' '));
    return append(log, expected, unit);
  };
  return lines;
}

function expired(world: World, id: string): readonly (readonly [string | null, unknown, string])[] {
  return logOf(world.store, id)
    .filter(({ event_type }) => event_type === 'task.expired')
    .map(({ task_id, event_data, created_at }) => [task_id, event_data.reason, created_at] as const);
}

describe('the ttl of a task', () => {
  it('[TK9] ends in the first sweep after it, and not a millisecond before', async () => {
    const { world, alice, bob, id } = await aConversation();
    const task = await started(world, alice, id, { ttl: 10 });
    await leap(world, 10 * SECOND - 1);
    expect(expired(world, id)).toEqual([]);
    await leap(world, 1);
    expect(expired(world, id)).toEqual([[task.task_id, 'ttl', '2026-01-01T00:00:10.000Z']]);
    expect(bob.notifies(id).at(-1)?.envelope).toMatchObject({
      event_type: 'task.expired',
      sender_id: 'hub',
      audience: null,
      task_id: task.task_id,
      event_data: { owner_id: alice.agentId },
    });
    await leap(world, MINUTE);
    expect(expired(world, id)).toHaveLength(1);
    await refused(world, alice.call('complete_task', { session_id: id, task_id: task.task_id }), 'conflict');
  });

  it('[TK9] expires all due tasks in one unit, and keeps the others', async () => {
    const { world, alice, bob, id } = await aConversation();
    const [one, two, three] = [
      await started(world, alice, id, { ttl: 10 }),
      await started(world, bob, id, { ttl: 5 }),
      await started(world, bob, id, { ttl: 60 }),
    ];
    const appended = units(world, id);
    await leap(world, 20 * SECOND);
    expect(appended).toEqual(['task.expired task.expired']);
    expect(expired(world, id).map(([task_id]) => task_id)).toEqual([one?.task_id, two?.task_id]);
    await leap(world, 40 * SECOND);
    expect(expired(world, id)).toHaveLength(3);
    expect(expired(world, id).at(-1)).toEqual([three?.task_id, 'ttl', '2026-01-01T00:01:00.000Z']);
  });

  it('[TK9] leaves a task with one millisecond left', async () => {
    const { world, alice, id } = await aConversation();
    await started(world, alice, id, { ttl: 10 });
    const later = await started(world, alice, id, { ttl: 10.001 });
    await leap(world, 10 * SECOND);
    expect(expired(world, id)).toHaveLength(1);
    await leap(world, 1);
    expect(expired(world, id).at(-1)).toEqual([later.task_id, 'ttl', '2026-01-01T00:00:10.001Z']);
  });

  it('[TK9] expires nothing in the 30 s after a start, then everything due in one unit', async () => {
    const { world, alice, id } = await aConversation();
    const old = await started(world, alice, id, { ttl: 60 });
    await world.hub.stop();
    world.clock.advance(50 * SECOND);
    await world.restart();
    const again = await world.peer('alice');
    const fresh = await started(world, again, id, { ttl: 15 });
    const appended = units(world, id);
    await leap(world, 15 * SECOND);
    await leap(world, 15 * SECOND - 1);
    expect(expired(world, id)).toEqual([]);
    await leap(world, 1);
    expect(appended).toEqual(['task.expired task.expired']);
    expect(expired(world, id).map(([task_id]) => task_id)).toEqual([old.task_id, fresh.task_id]);
  });

  it('[TK9] expires nothing for 30 s after a clock jump, then what is due', async () => {
    const { world, alice, id } = await aConversation();
    const short = await started(world, alice, id, { ttl: 60 });
    world.clock.jump(2 * MINUTE);
    await leap(world, 0);
    await leap(world, 30 * SECOND - 1);
    expect(expired(world, id)).toEqual([]);
    await leap(world, 1);
    expect(expired(world, id)).toEqual([[short.task_id, 'ttl', '2026-01-01T00:02:30.000Z']]);
  });

  it('[TK9, LC13] in an unavailable session neither starts nor expires tasks, but lets them end', async () => {
    const { world: before, alice, id } = await aConversation();
    const one = await started(before, alice, id, { ttl: 10 });
    const two = await started(before, alice, id, { ttl: 10 });
    const world = await World.start({ adapters: [], store: before.store.crash(), clock: before.clock, seed: 9 });
    const again = await world.peer('alice');
    await world.pass(2 * MINUTE);
    await refused(world, again.call('start_task', { session_id: id, title: 'x' }), 'unavailable', {
      outcome: 'refused',
    });
    await world.answer(again.call('complete_task', { session_id: id, task_id: one.task_id }));
    expect(expired(world, id)).toEqual([]);
    for (const evaluator of EXPECTATIONS.evaluators ?? []) world.hub.registerEvaluator(evaluator);
    for (const handler of EXPECTATIONS.handlers ?? []) world.hub.registerHandler(handler);
    world.hub.register(conversation);
    await world.pass(29 * SECOND);
    expect(expired(world, id)).toEqual([]);
    await world.pass(2 * SECOND);
    expect(expired(world, id).map(([task_id]) => task_id)).toEqual([two.task_id]);
  });

  it('[TK9] of 0 lasts as long as the session; by default the rule of the owner applies', async () => {
    const { world, alice, bob, id } = await aConversation({}, {}, { ttl: '1d' });
    await world.answer(bob.call('set_rule', { rule: { limits: { task_ttl_default: '5m' } } }));
    await started(world, alice, id, { ttl: 0 });
    const byRule = await started(world, bob, id);
    expect(byRule.expires_at).toBe('2026-01-01T00:05:00.000Z');
    await leap(world, 12 * HOUR);
    expect(expired(world, id).map(([task_id]) => task_id)).toEqual([byRule.task_id]);
  });

  it('[TK9] survives a restart and eviction, and leaves the owner 30 s after a downtime', async () => {
    const { world, alice, id } = await aConversation();
    const short = await started(world, alice, id, { ttl: 60 });
    const long = await started(world, alice, id, { ttl: 300 });
    await world.hub.stop();
    world.clock.advance(90 * SECOND);
    await world.restart();
    await leap(world, 30 * SECOND - 1);
    expect(expired(world, id)).toEqual([]);
    await leap(world, 1);
    expect(expired(world, id)).toEqual([[short.task_id, 'ttl', '2026-01-01T00:02:00.000Z']]);
    world.hub.evictIdle();
    await leap(world, 180 * SECOND - 1);
    expect(expired(world, id)).toHaveLength(1);
    await leap(world, 1);
    expect(expired(world, id).at(-1)).toEqual([long.task_id, 'ttl', '2026-01-01T00:05:00.000Z']);
  });

  it('[TK9] lets an owner that is back within the 30 s complete an overdue task', async () => {
    const { world, alice, id } = await aConversation();
    const { task_id } = await started(world, alice, id, { ttl: 60 });
    await world.hub.stop();
    world.clock.advance(90 * SECOND);
    await world.restart();
    const again = await world.peer('alice');
    await world.answer(again.call('complete_task', { session_id: id, task_id }));
    await leap(world, MINUTE);
    expect(expired(world, id)).toEqual([]);
  });

  it('[TK9, L10] retries an expiry that cannot be written', async () => {
    const { world, alice, id } = await aConversation();
    await started(world, alice, id, { ttl: 10 });
    world.store.conflict(id);
    await leap(world, 10 * SECOND);
    expect(expired(world, id)).toHaveLength(1);
    await world.crash(() => false);
    await leap(world, MINUTE);
    expect(expired(world, id)).toHaveLength(1);
  });
});

describe('a task and its session', () => {
  it('[TK10] expires in the unit that closes the session, before the closing', async () => {
    const { world, alice, bob, id } = await aConversation();
    const one = await started(world, alice, id);
    const two = await started(world, bob, id);
    await world.answer(alice.call('complete_task', { session_id: id, task_id: one.task_id }));
    const three = await started(world, alice, id);
    const appended = units(world, id);
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(appended).toEqual(['task.expired task.expired session.closing', 'session.closed']);
    expect(expired(world, id).map(([task_id, reason]) => [task_id, reason])).toEqual([
      [two.task_id, 'session_ended'],
      [three.task_id, 'session_ended'],
    ]);
    const { tasks } = await world.answer(bob.call('list_tasks', { session_id: id }));
    expect(tasks.map(({ state }) => state)).toEqual(['done', 'expired', 'expired']);
  });

  it('[TK10] expires when the session’s ttl, its type or its full log ends it', async () => {
    const timed = await aConversation({}, {}, { ttl: 60 });
    await started(timed.world, timed.alice, timed.id);
    const byTime = units(timed.world, timed.id);
    await leap(timed.world, MINUTE);
    expect(byTime).toEqual(['task.expired session.expired']);

    const asked = await aConversation({}, {}, { type: 'consulting' });
    await started(asked.world, asked.bob, asked.id);
    const say = { session_id: asked.id, event_type: 'msg.text', event_data: { text: 'x' } };
    await asked.world.answer(asked.alice.call('post', say));
    const byType = units(asked.world, asked.id);
    await asked.world.answer(asked.bob.call('post', say));
    expect(byType).toEqual(['msg.text task.expired session.closing', 'session.closed']);

    const full = await aConversation({ maxEnvelopes: 5 });
    const byLength = units(full.world, full.id);
    const { task } = await full.world.answer(full.alice.call('start_task', { session_id: full.id, title: 'x' }));
    expect(byLength).toEqual(['task.started task.expired session.closing', 'session.closed']);
    expect(task).toMatchObject({ state: 'expired', reason: 'session_ended' });
  });

  it('[TK10, L1] is expired together with the closing after a crash, or not at all', async () => {
    for (const kept of [true, false]) {
      const { world, alice, id } = await aConversation();
      await started(world, alice, id);
      world.hold = true;
      const closing = alice.call('close_session', { session_id: id });
      closing.catch(() => {});
      await world.settle();
      world.hold = false;
      await world.crash(() => kept);
      const ends = types(logOf(world.store, id))
        .filter((type) => type !== 'session.closed')
        .slice(5);
      expect(ends).toEqual(kept ? ['task.expired', 'session.closing'] : []);
    }
  });

  it('[TK10] expires with its owner’s removal, and others keep theirs', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    const tasks = [];
    for (const peer of [alice, bob, carol]) tasks.push(await started(world, peer, id));
    const appended = units(world, id);
    await world.answer(world.hub.removeParticipant(id, 'carol'));
    expect(appended).toEqual(['task.expired session.participant.removed']);
    expect(expired(world, id)).toEqual([[tasks[2]?.task_id, 'owner_removed', expect.any(String)]]);
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    expect(expired(world, id)).toHaveLength(1);
    await world.answer(bob.call('unregister', {}));
    expect(expired(world, id)).toHaveLength(3);
    expect(types(logOf(world.store, id)).slice(-5).join(' ')).toBe(
      'task.expired session.participant.removed task.expired session.closing session.closed',
    );
  });
});

it('[TK1, TK9] keeps tasks and their data in a data folder over a restart', async () => {
  const data = tempFolder('tasks');
  const first = await createHub({ data });
  await first.agent('bob');
  const session = await (await first.agent('alice')).open('conversation', ['bob']);
  const task = await session.startTask('look', { capability: 'review', key: 'k' });
  await task.checkpoint({ page: 3 });
  const other = await session.startTask('other', { capability: 'review' });
  await other.complete({ ok: true });
  await first.stop();

  const second = await createHub({ data });
  const alice = await second.agent('alice');
  const again = alice.session(session.id);
  expect((await again.startTask('look', { capability: 'review', key: 'k' })).id).toBe(task.id);
  expect(await again.task(task.id).resume()).toMatchObject({ checkpoint: { page: 3 }, task: { state: 'running' } });
  expect((await again.task(other.id).info()).result).toEqual({ ok: true });
  expect((await alice.resume()).observed).toMatchObject({ review: { n: 1, completed: 1 } });
  await second.stop();
});
