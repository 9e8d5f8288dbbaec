/** Tools for work inside a turn: `delegate`, `task_progress`. */

import { z } from 'zod';
import type { DelegateAnswer, DelegateParams } from '../../core/records/work/delegation.ts';
import type { Task } from '../../core/records/work/tasks.ts';
import { delegateTarget, toDelegationResult } from '../../participants/tools/lib/hub-rows.ts';
import type { Participant } from '../session/participant.ts';
import { readSessionStatus } from '../session/session-status.ts';
import { PAGE_CHARS } from '../session/transcript-page.ts';
import { type Call, deriveKey, key, next, session, type Tool, tool } from './tool.ts';
import { waitFor } from './wait-for.ts';

export const delegate: Tool = tool({
  name: 'delegate',
  title: 'Delegate a question',
  description:
    'Has another agent answer a question for your session in a separate child session; you keep your turn. Call it when you need help before you can speak. ' +
    'Returns `status` answered with the `answer`, failed with the `reason`, or waiting: then call it again with the same arguments, nothing is asked twice. Then continue with say.',
  effect: 'changes',
  input: z.object({
    session: session.describe('The session you need the answer for.'),
    to: z.string().min(1).max(80).describe('A name; or "capability:review" for any agent with that capability.'),
    question: z.string().min(1).max(200_000).describe('The question with all context: they do not see your session.'),
    timeout: z.string().max(16).optional().describe('Time limit (default: "10m").'),
    budget_usd: z.number().positive().max(1_000_000).optional().describe('Maximum cost in US dollars.'),
    key,
  }),
  output: z.object({
    status: z.enum(['answered', 'failed', 'waiting']),
    session: z.string(),
    child_session: z.string().nullable(),
    outcome: z.string(),
    answer: z.string().optional(),
    more: z.boolean().optional().describe('The answer is cut: read all of it with session_read in child_session.'),
    reason: z.string().optional(),
    call_again: z.boolean(),
    next,
  }),
  async run({ session: session_id, to, question, timeout, budget_usd, key: given }, call) {
    const { turn, agentId } = await readSessionStatus(call.participant, session_id);
    const isOthers = turn !== null && turn.agent_id !== agentId;
    return settled(call, isOthers ? 'Call wait_turn: it is not your turn yet.' : 'Continue your turn: call say.', {
      session_id,
      target: delegateTarget(to),
      prompt: question,
      timeout: timeout ?? '10m',
      budget: budget_usd === undefined ? undefined : { usd: budget_usd },
      wait: 'opened',
      // The same question in the same turn gets the same key.
      idempotency_key: deriveKey('ask', given, turn?.since_seq, to, question, timeout, budget_usd),
    });
  },
});

/** Keeps no request open at the hub: repeats the operation after each change in the session. */
async function settled(call: Call, then: string, params: DelegateParams) {
  const found = await waitFor(call, params.session_id, async () => {
    const answer = await call.participant.call('delegate', params);
    return { status: answer.outcome === 'open' ? ('waiting' as const) : ('done' as const), answer, reason: 'asked' };
  });
  return resultOf(params.session_id, found.answer, then);
}

function resultOf(session_id: string, answer: DelegateAnswer, then: string) {
  const { outcome, child_session_id } = answer;
  const result = toDelegationResult(answer, PAGE_CHARS);
  const hints = {
    waiting: 'No answer yet: call delegate again with the same arguments.',
    failed: 'No answer came. Ask another agent with delegate, or continue without it.',
    answered: then,
  };
  const about = { session: session_id, child_session: child_session_id, outcome };
  return { ...about, ...result, call_again: result.status === 'waiting', next: hints[result.status] };
}

export const taskProgress: Tool = tool({
  name: 'task_progress',
  title: 'Report progress',
  description:
    'Shows the others that you are working, which keeps your turn from timing out. Call it about every minute during long work: with only a note for your turn; ' +
    'with a title to begin a task that outlasts the turn (returns its `task`), then with that task, and once with done or failed to end it.',
  effect: 'changes',
  input: z.object({
    session,
    note: z.string().min(1).max(1024).optional().describe('Your current work in one sentence.'),
    title: z.string().min(1).max(256).optional().describe('Begins a task; the same title again is the same task.'),
    task: z.string().min(1).max(64).optional().describe('The task of an earlier call.'),
    progress: z.number().min(0).max(1).optional().describe('From 0 to 1.'),
    state: z.enum(['working', 'done', 'failed']).optional().describe('Default: working.'),
    result: z.string().min(1).max(100_000).optional().describe('With done or failed: the result or the reason.'),
    key,
  }),
  output: z.object({
    session: z.string(),
    task: z.string().nullable(),
    state: z.string(),
    logged: z.boolean().describe('The others were notified, which happens at most every 10 seconds.'),
    cancel_requested: z.string().nullable().describe('The reason of a cancellation request.'),
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
      asked !== null && task.ended_at === null
        ? 'A participant requested cancellation: end it with state failed.'
        : GO_ON;
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

const GO_ON = 'Continue your work; call this again in a minute, or call say when you are done.';

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
  const idempotency_key = deriveKey('task', given, title);
  return (await participant.call('start_task', { session_id, title, idempotency_key })).task;
}
