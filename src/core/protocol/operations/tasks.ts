/** Tasks: work a participant reports in a session. What they carry stays in the log. */

import { z } from 'zod';
import type { ProgressAnswer } from '../../decisions/progress.ts';
import type { CancelAnswer, TaskAnswer } from '../../decisions/task-decisions.ts';
import type { JsonObject } from '../../lib/json.ts';
import { anyObject, nonBlankText, oneOf, record, text } from '../../lib/schema.ts';
import { DURATION, isDuration } from '../../lib/time.ts';
import { agentRef, count, generatedId, key, keyword, seq, sessionId, time } from '../../records/fields.ts';
import type { Duration } from '../../records/session/create-params.ts';
import type { CancelRequest, Task, TaskData, TaskState } from '../../records/work/tasks.ts';
import { duplicate, limit, operation } from './define-operation.ts';
import type { Operations } from './operation.ts';

export interface TaskRef {
  readonly session_id: string;
  readonly task_id: string;
}

export interface StartTaskParams {
  readonly session_id: string;
  readonly title: string;
  /** What it takes; its outcome counts in the owner's resume. */
  readonly capability?: string | undefined;
  /** For whom, by name or id: who hears of its progress. */
  readonly requester?: string | undefined;
  /** 0 = as long as the session; left out = as the owner's rule says. */
  readonly ttl?: Duration | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface ListTasksParams {
  /** Left out = what is under way in all your sessions. */
  readonly session_id?: string | undefined;
  readonly states?: readonly TaskState[] | undefined;
  /** By name or id. */
  readonly owner?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly next: string | null;
}

/** A task with what it carries. */
export interface TaskWithData {
  readonly task: Task;
  /** What its owner kept last; null for everyone else. */
  readonly checkpoint: JsonObject | null;
  readonly result: JsonObject | null;
}

export interface ResumedTask extends TaskAnswer {
  readonly checkpoint: JsonObject | null;
}

export interface TaskOperations {
  start_task: { params: StartTaskParams; result: TaskAnswer };
  progress_task: {
    params: TaskRef & { readonly progress: number | null; readonly note?: string | undefined };
    result: ProgressAnswer;
  };
  checkpoint_task: { params: TaskRef & { readonly data: JsonObject }; result: TaskAnswer };
  resume_task: { params: TaskRef; result: ResumedTask };
  complete_task: { params: TaskRef & { readonly result?: JsonObject | undefined }; result: TaskAnswer };
  fail_task: {
    params: TaskRef & { readonly reason: string; readonly result?: JsonObject | undefined };
    result: TaskAnswer;
  };
  cancel_task: { params: TaskRef & { readonly reason?: string | undefined }; result: CancelAnswer };
  get_task: { params: TaskRef; result: TaskWithData };
  list_tasks: { params: ListTasksParams; result: TaskPage };
}

const SHARE = 'a number from 0 to 1, or null';
const share = z.number({ error: SHARE }).min(0, SHARE).max(1, SHARE);
const title = nonBlankText(256);
const reason = text(1024);
const taskState = oneOf<TaskState>(
  { open: 1, running: 1, done: 1, failed: 1, cancelled: 1, expired: 1 },
  'open, running, done, failed, cancelled or expired',
);
const ref = {
  session_id: sessionId,
  task_id: z.string({ error: 'a task id' }).regex(/^[0-9a-f]{32}$/, 'a task id of 32 lower-case hex digits'),
};

const taskData = record<TaskData>({ seq, bytes: count });

const cancelRequest = record<CancelRequest>({ by: generatedId, reason: reason.nullable(), at: time });

const task = record<Task>({
  task_id: generatedId,
  session_id: sessionId,
  owner_id: generatedId,
  requester_id: generatedId,
  title,
  capability: keyword.nullable(),
  state: taskState,
  progress: share.nullable(),
  checkpoint: taskData.nullable(),
  created_at: time,
  expires_at: time.nullable(),
  result: taskData.nullable(),
  reason: z.string().nullable(),
  cancel_requested: cancelRequest.nullable(),
  ended_at: time.nullable(),
  started_seq: seq,
  ended_seq: seq.nullable(),
});

const taskAnswer: z.ZodType<TaskAnswer> = record<TaskAnswer>({ task, seq, duplicate });
const cancelAnswer: z.ZodType<CancelAnswer> = record<CancelAnswer>({
  task,
  seq,
  duplicate,
  requested: z.boolean(),
});
const resumedTask: z.ZodType<ResumedTask> = record<ResumedTask>({
  task,
  seq,
  duplicate,
  checkpoint: anyObject().nullable(),
});
const taskWithData: z.ZodType<TaskWithData> = record<TaskWithData>({
  task,
  checkpoint: anyObject().nullable(),
  result: anyObject().nullable(),
});
const taskPage: z.ZodType<TaskPage> = record<TaskPage>({ tasks: z.array(task), next: text(64).nullable() });

/** How much data may be is the hub's to say: a limit that can be set. */
export const TASKS: Operations<TaskOperations> = {
  start_task: operation({
    params: z.object({
      session_id: sessionId,
      title,
      capability: keyword.optional(),
      requester: agentRef.optional(),
      ttl: z.custom<Duration>(isDuration, DURATION).optional(),
      idempotency_key: key.optional(),
    }),
    result: taskAnswer,
    who: 'active participant',
    errors: ['not_found', 'duplicate', 'session_closed', 'protocol_error', 'forbidden', 'rate_limited'],
    help: 'Say what you work on, for whom and for how long; it is your task until it ends.',
    retry: 'with a key',
    about: {
      title: 'What you work on.',
      capability: 'What the task takes; how it ends counts in your resume.',
      requester: 'For whom (name or id); absent = yourself.',
      ttl: 'How long it holds; 0 = without end.',
    },
  }),
  progress_task: operation({
    params: z.object({ ...ref, progress: share.nullable(), note: reason.optional() }),
    result: record<ProgressAnswer>({ logged: z.boolean() }),
    who: 'owner',
    errors: ['not_found', 'forbidden', 'conflict', 'rate_limited'],
    help: 'Say how far your task is; logged every 10 seconds at most.',
    retry: 'always',
    about: { progress: 'How much of it is done, from 0 to 1; null = who knows.' },
  }),
  checkpoint_task: operation({
    params: z.object({ ...ref, data: anyObject() }),
    result: taskAnswer,
    who: 'owner',
    errors: ['not_found', 'forbidden', 'conflict', 'too_large', 'rate_limited'],
    help: 'Keep what you need to go on with your task later; the newest counts.',
    retry: 'never',
    about: { data: 'What you need to go on later.' },
  }),
  resume_task: operation({
    params: z.object(ref),
    result: resumedTask,
    who: 'owner',
    errors: ['not_found', 'forbidden', 'conflict', 'rate_limited'],
    help: 'Go on with your task; gives back what you kept last.',
    retry: 'never',
  }),
  complete_task: operation({
    params: z.object({ ...ref, result: anyObject().optional() }),
    result: taskAnswer,
    who: 'owner',
    errors: ['not_found', 'forbidden', 'conflict', 'too_large', 'rate_limited'],
    help: 'End your task with its result.',
    retry: 'always',
    about: { result: 'What came of it.' },
  }),
  fail_task: operation({
    params: z.object({ ...ref, reason, result: anyObject().optional() }),
    result: taskAnswer,
    who: 'owner',
    errors: ['not_found', 'forbidden', 'conflict', 'too_large', 'rate_limited'],
    help: 'End your task without what was wanted, and say why.',
    retry: 'always',
    about: { result: 'What came of it.' },
  }),
  cancel_task: operation({
    params: z.object({ ...ref, reason: reason.optional() }),
    result: cancelAnswer,
    who: 'active participant',
    errors: ['not_found', 'forbidden', 'conflict', 'session_closed', 'protocol_error', 'rate_limited'],
    help: 'End your task unfinished, or ask the owner of another to.',
    // Of another's task it is a request, and a second one would be heard as such.
    retry: 'never',
  }),
  get_task: operation({
    params: z.object(ref),
    result: taskWithData,
    who: 'participant',
    errors: ['not_found', 'forbidden'],
    help: 'How a task stands, with its result and, for its owner, what it kept.',
    retry: 'always',
  }),
  list_tasks: operation({
    params: z.object({
      session_id: sessionId.optional(),
      states: z.array(taskState).optional(),
      owner: agentRef.optional(),
      after: text(64).optional(),
      limit,
    }),
    result: taskPage,
    who: 'participant',
    errors: ['not_found', 'forbidden'],
    help: 'The tasks of a session, or those under way in all of yours, a page at a time.',
    retry: 'always',
    about: {
      session_id: 'Only those of this session; absent = those under way in all of yours.',
      owner: 'Only those of this one (name or id).',
    },
  }),
};
