/** Tasks, delegations and schedules. */

import { type Cast, opened, resultOf, said } from '../cast.ts';

export async function work({ book, alice, bob, carol, ops }: Cast): Promise<void> {
  const session_id = await opened(alice, 'conversation', { bob });
  const started = book.operation(
    await bob.ask('start_task', { session_id, title: 'read the log', requester: 'alice', ttl: '1h' }),
  );
  const task_id = taskOf(started);
  book.operation(await bob.ask('progress_task', { session_id, task_id, progress: 0.5, note: 'half' }));
  book.operation(await bob.ask('checkpoint_task', { session_id, task_id, data: { line: 120 } }));
  book.operation(await bob.ask('resume_task', { session_id, task_id }));
  book.operation(await bob.ask('get_task', { session_id, task_id }));
  book.operation(await alice.ask('list_tasks', { session_id }));
  book.operation(await bob.ask('complete_task', { session_id, task_id, result: { errors: 0 } }));
  const second = taskOf(await bob.ask('start_task', { session_id, title: 'read it again' }));
  book.operation(await bob.ask('fail_task', { session_id, task_id: second, reason: 'the log is gone' }));
  const third = taskOf(await bob.ask('start_task', { session_id, title: 'look for it' }));
  book.operation(await alice.ask('cancel_task', { session_id, task_id: third, reason: 'never mind' }));

  book.operation(
    await alice.ask('delegate', { session_id, target: 'carol', prompt: 'Is it done?', timeout: '5m', wait: 'opened' }),
  );
  await carol.event('session.invite');

  const template = { type: 'conversation', participants: ['bob'] };
  const nightly = { name: 'nightly', template, expression: '0 3 * * *', zone: 'Europe/Berlin' };
  const { schedule_id } = resultOf(book.operation(await alice.ask('create_schedule', nightly)));
  book.operation(await alice.ask('get_schedule', { schedule_id }));
  book.operation(await alice.ask('list_schedules', {}));
  book.operation(await alice.ask('update_schedule', { schedule_id, paused: true }));
  book.operation(await alice.ask('delete_schedule', { schedule_id }));

  const { seq } = resultOf(await alice.ask('post', said(session_id, 'My key is sk-123.', { idempotency_key: 'k9' })));
  await bob.event('msg.text');
  book.operation(await bob.ask('search_sessions', { query: 'SK-123', type: 'conversation' }));
  book.operation(await ops.ask('redact', { session_id, seq, reason: 'a key' }));
}

function taskOf(started: Parameters<typeof resultOf>[0]): string {
  return (resultOf(started) as unknown as { task: { task_id: string } }).task.task_id;
}
