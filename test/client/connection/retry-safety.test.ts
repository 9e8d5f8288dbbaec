// Requests a client repeats after a lost link: a real hub answers the second like the first, without effect.

import type { OperationName, Params } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { isSafeToRetry, RETRY_SAFETY } from '../../../src/client/connection/retry-safety.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { goodParams } from '../../hub/every-operation.ts';
import { aPanel, invited, logOf, say, VIEWS } from '../../hub/scene.ts';
import { scheduled, theSchedule } from '../../hub/schedules/schedule-scene.ts';

const names = Object.keys(RETRY_SAFETY) as OperationName[];
const always = names.filter((op) => RETRY_SAFETY[op] === 'always');
const keyed = names.filter((op) => RETRY_SAFETY[op] === 'with a key');

async function scene() {
  const { world, alice, bob, carol, id } = await aPanel();
  for (const view of VIEWS) world.hub.registerView(view);
  for (const name of ['alice', 'carol']) await world.answer(world.hub.grant(name, ['observe', 'operate']));
  const pending = await invited(world, alice, [bob], { type: 'panel', participants: [bob.agentId, carol.agentId] });
  const { task } = await world.answer(alice.call('start_task', { session_id: id, title: 'x' }));
  const { seq } = await say(world, alice, id, 'hello');
  return { world, alice, bob, carol, id, pending, task_id: task.task_id, seq };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** Who asks for what; otherwise alice, with valid parameters. */
const asked: { readonly [Name in OperationName]?: (scene: Scene) => readonly [Peer, Params<Name>] } = {
  ack_invite: ({ bob, pending }) => [bob, { session_id: pending }],
  reject_invite: ({ bob, pending }) => [bob, { session_id: pending }],
  progress_task: ({ alice, id, task_id }) => [alice, { session_id: id, task_id, progress: 0.5 }],
  complete_task: ({ alice, id, task_id }) => [alice, { session_id: id, task_id, result: { a: 1 } }],
  fail_task: ({ alice, id, task_id }) => [alice, { session_id: id, task_id, reason: 'no' }],
  get_task: ({ alice, id, task_id }) => [alice, { session_id: id, task_id }],
  redact: ({ alice, id, seq }) => [alice, { session_id: id, seq }],
  leave_session: ({ bob, id }) => [bob, { session_id: id }],
};

describe('safe retries', () => {
  /** A hub whose types have no graphs checks none. */
  const mayRefuse: readonly OperationName[] = [
    'get_schedule',
    'list_tokens',
    'return_to_session',
    'report_progress',
    'check_graph',
  ];

  it.each(always)('[CB3] %s has no effect the second time and gets the same answer', async (op) => {
    const all = await scene();
    const { world, alice, id, pending } = all;
    const [by, params] = asked[op]?.(all as never) ?? [alice, goodParams(id)[op]];
    const first = await world.answer(by.ask(op, params));
    if (!mayRefuse.includes(op)) expect(first.ok).toBe(true);
    const logs = [logOf(world.store, id), logOf(world.store, pending)];
    const second = await world.answer(by.ask(op, params));
    expect(second.ok).toBe(first.ok);
    expect([logOf(world.store, id), logOf(world.store, pending)]).toEqual(logs);
  });

  it('[CB3] is safe with an idempotency key only', () => {
    expect(keyed).toEqual(['create_session', 'delegate', 'post', 'start_task']);
    for (const op of keyed) {
      expect([isSafeToRetry(op, { idempotency_key: 'k' }), isSafeToRetry(op, {})]).toEqual([true, false]);
    }
  });
});

describe('[CB4] unsafe requests would take effect twice, or fail the second time:', () => {
  it('tasks: checkpoint, resume, cancel', async () => {
    const { world, alice, bob, id, task_id } = await scene();
    const twice = async (call: () => Promise<unknown>): Promise<number> => {
      const before = logOf(world.store, id).length;
      for (let i = 0; i < 2; i++) await world.answer(call());
      return logOf(world.store, id).length - before;
    };
    expect(await twice(() => alice.call('checkpoint_task', { session_id: id, task_id, data: {} }))).toBe(2);
    expect(await twice(() => alice.call('resume_task', { session_id: id, task_id }))).toBe(2);
    expect(await twice(() => bob.call('cancel_task', { session_id: id, task_id }))).toBe(2);
    for (const op of ['checkpoint_task', 'resume_task', 'cancel_task'] as const) expect(RETRY_SAFETY[op]).toBe('never');
  });

  it('schedules: create and delete', async () => {
    const { world, alice } = await scheduled();
    const { schedule_id } = await theSchedule(world, alice);
    const made = () => theSchedule(world, alice);
    await expect(made()).rejects.toMatchObject({ code: 'conflict' });
    const gone = () => world.answer(alice.call('delete_schedule', { schedule_id }));
    await gone();
    await expect(gone()).rejects.toMatchObject({ code: 'not_found' });
    for (const op of ['create_schedule', 'delete_schedule'] as const) expect(RETRY_SAFETY[op]).toBe('never');
  });
});
