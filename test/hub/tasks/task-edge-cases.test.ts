import type { Task } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aConversation, refused, SECOND } from '../scene.ts';

async function started(world: World, peer: Peer, session_id: string, more: object = {}): Promise<Task> {
  return (await world.answer(peer.call('start_task', { session_id, title: 'look into it', ...more }))).task;
}

describe('edge cases of tasks', () => {
  it('[TK2, TK3] repeats the end of an ended task to its owner only', async () => {
    const { world, alice, bob, id } = await aConversation();
    const { task_id } = await started(world, alice, id);
    const ref = { session_id: id, task_id };
    await world.answer(alice.call('complete_task', ref));
    await refused(world, bob.call('complete_task', ref), 'forbidden');
    expect(await world.answer(alice.call('complete_task', ref))).toMatchObject({ duplicate: true });
    await refused(world, bob.call('cancel_task', ref), 'conflict');
  });

  it('[TK3] compares a repeated start by the requested ttl, not by the rule', async () => {
    const { world, alice, id } = await aConversation();
    const asked = { session_id: id, title: 'x', idempotency_key: 'k' };
    const { task } = await world.answer(alice.call('start_task', asked));
    await world.answer(alice.call('set_rule', { rule: { limits: { task_ttl_default: '1m' } } }));
    expect(await world.answer(alice.call('start_task', asked))).toMatchObject({
      duplicate: true,
      task: { task_id: task.task_id, expires_at: task.expires_at },
    });
    await refused(world, alice.call('start_task', { ...asked, ttl: '1m' }), 'duplicate');
    expect(await world.answer(alice.call('start_task', { ...asked, ttl: '15m' }))).toMatchObject({ duplicate: true });
  });

  it('[TK9] expires a task with a ttl below one millisecond', async () => {
    const { world, alice, id } = await aConversation({}, {}, { ttl: 0 });
    const task = await started(world, alice, id, { ttl: 0.0001 });
    expect(task.expires_at).toBe('2026-01-01T00:00:00.001Z');
    await world.pass(2 * SECOND);
    const { task: now } = await world.answer(alice.call('get_task', { session_id: id, task_id: task.task_id }));
    expect(now.state).toBe('expired');
  });

  it('[TK8] lists the open tasks of a session to a hidden participant, and not to a removed one', async () => {
    const { world, alice, bob, id } = await aConversation();
    const { task_id } = await started(world, alice, id);
    const seen = async () => (await world.answer(bob.call('list_tasks', {}))).tasks.map((task) => task.task_id);
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    expect(await seen()).toEqual([task_id]);
    await world.answer(world.hub.removeParticipant(id, 'bob'));
    expect(await seen()).toEqual([]);
  });
});
