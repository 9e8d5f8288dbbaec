/** What the operations on tasks take and answer, as they travel. */

import type { JsonObject } from './lib/json.ts';
import type { Duration } from './operations.ts';
import type { TaskAnswer } from './decisions/task-decisions.ts';
import type { Task, TaskState } from './records/work/tasks.ts';

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
