/** The schemas of tasks: what is asked of them, and what is answered. */

import { z } from 'zod';
import { word } from './identity-schemas.ts';
import type { Duration, Params } from './operations.ts';
import { agentRef, count, key, madeId, seq, sessionId, time } from './records/session/record-schemas.ts';
import { anyObject, oneOf, record, text, whole, words } from './lib/schema.ts';
import type { CancelAnswer, TaskAnswer } from './decisions/task-decisions.ts';
import type { ResumedTask, TaskPage, TaskWithData } from './task-operations.ts';
import type { CancelRequest, Task, TaskData, TaskState } from './records/work/tasks.ts';
import { DURATION, isDuration } from './time.ts';

export type TaskOperation =
  | 'start_task'
  | 'progress_task'
  | 'checkpoint_task'
  | 'resume_task'
  | 'complete_task'
  | 'fail_task'
  | 'cancel_task'
  | 'get_task'
  | 'list_tasks';

const SHARE = 'a number from 0 to 1, or null';
const share = z.number({ error: SHARE }).min(0, SHARE).max(1, SHARE);
const title = words(256);
const reason = text(1024);
const taskState = oneOf<TaskState>(
  { open: 1, running: 1, done: 1, failed: 1, cancelled: 1, expired: 1 },
  'open, running, done, failed, cancelled or expired',
);
const ref = {
  session_id: sessionId,
  task_id: z.string({ error: 'a task id' }).regex(/^[0-9a-f]{32}$/, 'a task id of 32 lower-case hex digits'),
};

/** How much data may be is the hub's to say: a limit that can be set. */
export const TASK_PARAMS: { readonly [Name in TaskOperation]: z.ZodType<Params<Name>> } = {
  start_task: z.object({
    session_id: sessionId,
    title,
    capability: word.optional(),
    requester: agentRef.optional(),
    ttl: z.custom<Duration>(isDuration, DURATION).optional(),
    idempotency_key: key.optional(),
  }),
  progress_task: z.object({ ...ref, progress: share.nullable(), note: reason.optional() }),
  checkpoint_task: z.object({ ...ref, data: anyObject() }),
  resume_task: z.object(ref),
  complete_task: z.object({ ...ref, result: anyObject().optional() }),
  fail_task: z.object({ ...ref, reason, result: anyObject().optional() }),
  cancel_task: z.object({ ...ref, reason: reason.optional() }),
  get_task: z.object(ref),
  list_tasks: z.object({
    session_id: sessionId.optional(),
    states: z.array(taskState).optional(),
    owner: agentRef.optional(),
    after: text(64).optional(),
    limit: whole(1, 1000).optional(),
  }),
};

const taskData = record<TaskData>({ seq, bytes: count });

const cancelRequest = record<CancelRequest>({ by: madeId, reason: reason.nullable(), at: time });

const task = record<Task>({
  task_id: madeId,
  session_id: sessionId,
  owner_id: madeId,
  requester_id: madeId,
  title,
  capability: word.nullable(),
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

const duplicate = z.literal(true).exactOptional();

export const taskAnswer: z.ZodType<TaskAnswer> = record<TaskAnswer>({ task, seq, duplicate });
export const cancelAnswer: z.ZodType<CancelAnswer> = record<CancelAnswer>({
  task,
  seq,
  duplicate,
  requested: z.boolean(),
});
export const resumedTask: z.ZodType<ResumedTask> = record<ResumedTask>({
  task,
  seq,
  duplicate,
  checkpoint: anyObject().nullable(),
});
export const taskWithData: z.ZodType<TaskWithData> = record<TaskWithData>({
  task,
  checkpoint: anyObject().nullable(),
  result: anyObject().nullable(),
});
export const taskPage: z.ZodType<TaskPage> = record<TaskPage>({ tasks: z.array(task), next: text(64).nullable() });
