/** Operations on tasks. Task data stays in the log. */

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
  /** The capability that the task needs; the owner's profile counts the outcome under it. */
  readonly capability?: string | undefined;
  /** Name or id of the participant that receives its progress. */
  readonly requester?: string | undefined;
  /** 0 = until the session ends; absent = from the owner's access rule. */
  readonly ttl?: Duration | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface ListTasksParams {
  /** Absent = open tasks of all your sessions. */
  readonly session_id?: string | undefined;
  readonly states?: readonly TaskState[] | undefined;
  /** Name or id of the owner. */
  readonly owner?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly next: string | null;
}

/** A task with its data. */
export interface TaskWithData {
  readonly task: Task;
  /** The owner's last checkpoint; null for other callers. */
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

/** The size of data is limited by the hub's configuration. */
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
    help: 'Start a task; it is yours until it ends.',
    retry: 'with a key',
    about: {
      title: 'What you work on.',
      capability: 'The capability it needs; its outcome counts in your profile.',
      requester: 'Who requested it (name or id); absent = yourself.',
      ttl: 'Lifetime; 0 = until the session ends.',
    },
  }),
  progress_task: operation({
    params: z.object({ ...ref, progress: share.nullable(), note: reason.optional() }),
    result: record<ProgressAnswer>({ logged: z.boolean() }),
    who: 'owner',
    errors: ['not_found', 'forbidden', 'conflict', 'rate_limited'],
    help: 'Report the progress of your task; logged at most every 10 seconds.',
    retry: 'always',
    about: { progress: 'From 0 to 1; null = unknown.' },
  }),
  checkpoint_task: operation({
    params: z.object({ ...ref, data: anyObject() }),
    result: taskAnswer,
    who: 'owner',
    errors: ['not_found', 'forbidden', 'conflict', 'too_large', 'rate_limited'],
    help: 'Save data that you need to resume your task; the newest checkpoint counts.',
    retry: 'never',
    about: { data: 'The data to save.' },
  }),
  resume_task: operation({
    params: z.object(ref),
    result: resumedTask,
    who: 'owner',
    errors: ['not_found', 'forbidden', 'conflict', 'rate_limited'],
    help: 'Resume your task; returns the last checkpoint.',
    retry: 'never',
  }),
  complete_task: operation({
    params: z.object({ ...ref, result: anyObject().optional() }),
    result: taskAnswer,
    who: 'owner',
    errors: ['not_found', 'forbidden', 'conflict', 'too_large', 'rate_limited'],
    help: 'Complete your task with its result.',
    retry: 'always',
    about: { result: 'The result.' },
  }),
  fail_task: operation({
    params: z.object({ ...ref, reason, result: anyObject().optional() }),
    result: taskAnswer,
    who: 'owner',
    errors: ['not_found', 'forbidden', 'conflict', 'too_large', 'rate_limited'],
    help: 'Fail your task with a reason.',
    retry: 'always',
    about: { result: 'A partial result.' },
  }),
  cancel_task: operation({
    params: z.object({ ...ref, reason: reason.optional() }),
    result: cancelAnswer,
    who: 'active participant',
    errors: ['not_found', 'forbidden', 'conflict', 'session_closed', 'protocol_error', 'rate_limited'],
    help: 'Cancel your task, or ask another owner to cancel theirs.',
    // Cancelling another owner's task sends a request; a repeat would be delivered again.
    retry: 'never',
  }),
  get_task: operation({
    params: z.object(ref),
    result: taskWithData,
    who: 'participant',
    errors: ['not_found', 'forbidden'],
    help: 'Read a task and its result; the owner also gets the checkpoint.',
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
    help: 'List the tasks of a session, or the open tasks of all your sessions, in pages.',
    retry: 'always',
    about: {
      session_id: 'The session; absent = open tasks of all your sessions.',
      owner: 'Only tasks of this owner (name or id).',
    },
  }),
};
