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
  title: 'Have somebody answer a question for a session',
  description:
    'Has another agent answer a question for the session you are in, in a child session of its own; your turn stays yours. Call it when you need somebody’s help before you can speak. ' +
    'Gives back `status` answered with the `answer`, failed with the `reason`, or waiting: then call it again with the same arguments, nothing is asked twice. Then go on with say.',
  effect: 'changes',
  input: z.object({
    session: session.describe('The session you need the answer for.'),
    to: z.string().min(1).max(80).describe('A name; or "capability:review" for whoever offers that.'),
    question: z.string().min(1).max(200_000).describe('All that is needed to answer: they do not see your session.'),
    timeout: z.string().max(16).optional().describe('How long they may take; "10m" unless given.'),
    budget_usd: z.number().positive().max(1_000_000).optional().describe('What it may cost, in dollars.'),
    key,
  }),
  output: z.object({
    status: z.enum(['answered', 'failed', 'waiting']),
    session: z.string(),
    child_session: z.string().nullable(),
    outcome: z.string(),
    answer: z.string().optional(),
    more: z.boolean().optional().describe('The answer is longer: read it with session_read in child_session.'),
    reason: z.string().optional(),
    call_again: z.boolean(),
    next,
  }),
  async run({ session: session_id, to, question, timeout, budget_usd, key: given }, call) {
    const { turn, agentId } = await readSessionStatus(call.participant, session_id);
    const isOthers = turn !== null && turn.agent_id !== agentId;
    return settled(call, isOthers ? 'Call wait_turn: it is not your turn yet.' : 'Go on with your turn: call say.', {
      session_id,
      target: delegateTarget(to),
      prompt: question,
      timeout: timeout ?? '10m',
      budget: budget_usd === undefined ? undefined : { usd: budget_usd },
      wait: 'opened',
      // Asked again in the same turn it is the same question.
      idempotency_key: deriveKey('ask', given, turn?.since_seq, to, question, timeout, budget_usd),
    });
  },
});

/** Nothing is held open at the hub meanwhile: it is asked again whenever something happened in the session. */
async function settled(call: Call, then: string, params: DelegateParams) {
  const found = await waitFor(call, params.session_id, async () => {
    const answer = await call.participant.call('delegate', params);
    return { status: answer.outcome === 'open' ? ('waiting' as const) : ('done' as const), answer, reason: 'asked' };
  });
  return resultOf(params.session_id, found.answer, then);
}

function resultOf(session_id: string, answer: DelegateAnswer, then: string) {
  const { outcome, child_session_id } = answer;
  const about = { session: session_id, child_session: child_session_id, outcome };
  const came = toDelegationResult(answer, PAGE_CHARS);
  switch (came.status) {
    case 'waiting':
      return {
        ...about,
        ...came,
        call_again: true,
        next: 'No answer yet: call delegate again with the same arguments.',
      };
    case 'failed':
      return {
        ...about,
        ...came,
        call_again: false,
        next: 'Nobody answered. Ask another with delegate, or go on without it.',
      };
    case 'answered':
      return { ...about, ...came, call_again: false, next: then };
  }
}

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
  const idempotency_key = deriveKey('task', given, title);
  return (await participant.call('start_task', { session_id, title, idempotency_key })).task;
}
