/** The tool `task_progress`. */

import { z } from 'zod';
import type { Task } from '../../core/records/work/tasks.ts';
import { derivedKey } from '../../node/mcp/derived-key.ts';
import { key, next, session } from '../../node/mcp/fields.ts';
import type { Participant } from '../../node/mcp/participant.ts';
import { type Tool, tool } from './tool.ts';

export const taskProgress: Tool = tool({
  name: 'task_progress',
  title: 'Say how far your work is',
  description:
    'Tells the others that you are at work, so that nobody takes you for gone and your turn lasts longer. Call it every minute or so while work for your turn takes long: with only a note for your turn; ' +
    'with a title to begin a task that outlasts a turn (gives back its `task`), then with that task, and once with done or failed to end it.',
  effect: 'changes',
  input: z.object({
    session,
    note: z.string().min(1).max(1024).optional().describe('What you are doing, in a sentence.'),
    title: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Begins a task of that title; the same title again is the same task.'),
    task: z.string().min(1).max(64).optional().describe('The task that an earlier call gave you.'),
    progress: z.number().min(0).max(1).optional().describe('How far it is, from 0 to 1.'),
    state: z.enum(['working', 'done', 'failed']).optional().describe('working unless given.'),
    result: z.string().min(1).max(100_000).optional().describe('With done or failed: what came of it, or why.'),
    key,
  }),
  output: z.object({
    session: z.string(),
    task: z.string().nullable(),
    state: z.string(),
    logged: z.boolean().describe('Others heard of it; they hear of progress every 10 seconds at most.'),
    cancel_requested: z.string().nullable().describe('Somebody wants it stopped: why.'),
    next,
  }),
  async run(args, { participant }) {
    const { session: session_id, note } = args;
    if (args.task === undefined && args.title === undefined) {
      const { logged } = await participant.call('report_progress', { session_id, note });
      return { session: session_id, task: null, state: 'your turn', logged, cancel_requested: null, next: GO_ON };
    }
    const { task, logged } = await worked(participant, args);
    const asked = task.cancel_requested;
    const hint =
      asked !== null && task.ended_at === null ? 'Somebody wants it stopped: end it with state failed.' : GO_ON;
    return {
      session: session_id,
      task: task.task_id,
      state: task.state,
      logged,
      cancel_requested: asked === null ? null : (asked.reason ?? 'no reason given'),
      next: task.ended_at === null ? hint : 'The task has ended.',
    };
  },
});

const GO_ON = 'Go on with your work; call it again in a minute, or call say when you are done.';

interface Work {
  readonly session: string;
  readonly title?: string | undefined;
  readonly task?: string | undefined;
  readonly note?: string | undefined;
  readonly progress?: number | undefined;
  readonly state?: 'working' | 'done' | 'failed' | undefined;
  readonly result?: string | undefined;
  readonly key?: string | undefined;
}

async function worked(participant: Participant, work: Work): Promise<{ task: Task; logged: boolean }> {
  const { session: session_id, note, progress, state = 'working', result } = work;
  const task_id = work.task ?? (await begun(participant, work)).task_id;
  const ref = { session_id, task_id };
  if (state === 'done') {
    const data = result === undefined ? undefined : { text: result };
    const { task } = await participant.call('complete_task', { ...ref, result: data });
    return { task, logged: true };
  }
  if (state === 'failed') {
    const reason = (result ?? note ?? 'failed').slice(0, 1024);
    const { task } = await participant.call('fail_task', { ...ref, reason });
    return { task, logged: true };
  }
  const isNews = work.task !== undefined || note !== undefined || progress !== undefined;
  const logged =
    isNews && (await participant.call('progress_task', { ...ref, progress: progress ?? null, note })).logged;
  const { task } = await participant.call('get_task', ref);
  return { task, logged };
}

async function begun(participant: Participant, { session: session_id, title = '', key: given }: Work): Promise<Task> {
  const idempotency_key = derivedKey('task', given, title);
  return (await participant.call('start_task', { session_id, title, idempotency_key })).task;
}
