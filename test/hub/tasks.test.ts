import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/core/tasks.ts';
import type { Peer } from '../../src/testing/peer.ts';
import type { World } from '../../src/testing/world.ts';
import { aConversation, logOf, MINUTE, types } from './scene.ts';

it('[TK1] works', async () => {
  const { world, alice, bob, id } = await aConversation();
  const { task } = await world.answer(alice.call('start_task', { session_id: id, title: 'look', requester: 'bob' }));
  console.log(task);
  const ref = { session_id: id, task_id: task.task_id };
  console.log(await world.answer(alice.call('progress_task', { ...ref, progress: 0.5 })));
  console.log(await world.answer(alice.call('checkpoint_task', { ...ref, data: { a: 1 } })));
  console.log(await world.answer(alice.call('resume_task', ref)));
  console.log(await world.answer(bob.call('cancel_task', ref)));
  console.log(await world.answer(alice.call('complete_task', { ...ref, result: { b: 1 } })));
  console.log(await world.answer(bob.call('get_task', ref)));
  console.log(
    types(logOf(world.store, id)),
    world.store.durableEntries(id).map((e) => e.due),
  );
  await world.answer(alice.call('start_task', { session_id: id, title: 'look' }));
  await world.pass(15 * MINUTE);
  console.log(types(logOf(world.store, id)));
  await world.answer(alice.call('start_task', { session_id: id, title: 'look' }));
  await world.answer(alice.call('close_session', { session_id: id }));
  console.log(types(logOf(world.store, id)));
});
