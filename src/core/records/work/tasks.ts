/** Tasks: units of work that participants report, folded from the log. Their data stays in the log. */

import type { JsonObject } from '../../lib/json.ts';
import { isoFromMs, msFromIso } from '../../lib/time.ts';
import { type Envelope, isTaskType } from '../session/envelope.ts';

export type TaskState = 'open' | 'running' | 'done' | 'failed' | 'cancelled' | 'expired';

/** The location and size of task data in the log, so that the state does not grow with it. */
export interface TaskData {
  readonly seq: number;
  readonly bytes: number;
}

export interface CancelRequest {
  readonly by: string;
  readonly reason: string | null;
  readonly at: string;
}

export interface Task {
  readonly task_id: string;
  readonly session_id: string;
  readonly owner_id: string;
  /** The agent that requested the task; the owner itself if no other agent did. */
  readonly requester_id: string;
  readonly title: string;
  readonly capability: string | null;
  readonly state: TaskState;
  /** From 0 to 1; null = not reported. */
  readonly progress: number | null;
  readonly checkpoint: TaskData | null;
  readonly created_at: string;
  /** null if the task lasts until the session ends. */
  readonly expires_at: string | null;
  readonly result: TaskData | null;
  /** Why it failed, was cancelled or expired. */
  readonly reason: string | null;
  /** The latest request; null = none. */
  readonly cancel_requested: CancelRequest | null;
  readonly ended_at: string | null;
  readonly started_seq: number;
  readonly ended_seq: number | null;
}

export interface Tasks {
  /** Open tasks, in the order they were started. */
  readonly live: readonly Task[];
  /** The most recently ended tasks, in order; older ones are only in the log. */
  readonly ended: readonly Task[];
  /** The earliest expiry of a live task in milliseconds; null = none expires. */
  readonly due_at: number | null;
}

/** Shared by every session without tasks. */
export const NO_TASKS: Tasks = Object.freeze({ live: [], ended: [], due_at: null });

/** Ended tasks kept in the state. */
export const RETAINED_TASKS = 256;

/** The state of a task after each ending event type. */
const ENDS: ReadonlyMap<string, TaskState> = new Map([
  ['task.completed', 'done'],
  ['task.failed', 'failed'],
  ['task.cancelled', 'cancelled'],
  ['task.expired', 'expired'],
]);

/** The final state of the task that this envelope ends; undefined if it ends none, such as for a failed turn. */
export function endOfTask({ task_id, event_type }: Envelope): TaskState | undefined {
  return task_id === null ? undefined : ENDS.get(event_type);
}

/** Data of an envelope that ends a task, so that readers do not need the state before it. */
export interface EndedData {
  readonly owner_id: string;
  readonly started_at: string;
  readonly capability: string | null;
}

export function findTask({ live, ended }: Tasks, taskId: string): Task | undefined {
  return live.find(({ task_id }) => task_id === taskId) ?? ended.find(({ task_id }) => task_id === taskId);
}

export function hasEnded({ ended_seq }: Task): boolean {
  return ended_seq !== null;
}

/** Only task envelopes change a task; other envelopes that name it do not. */
export function foldTasks(before: Tasks, envelope: Envelope): Tasks {
  const { task_id, event_type } = envelope;
  if (task_id === null || !isTaskType(event_type)) return before;
  const { live, ended } = before;
  if (event_type === 'task.started') return tasksOf([...live, startedTask(envelope, task_id)], ended);
  const at = live.findIndex((one) => one.task_id === task_id);
  const task = live[at];
  if (task === undefined) return before;
  const next = stepped(task, envelope);
  if (next === task) return before;
  if (!hasEnded(next)) return tasksOf(live.with(at, next), ended);
  return tasksOf(live.toSpliced(at, 1), [...ended, next].slice(-RETAINED_TASKS));
}

function tasksOf(live: readonly Task[], ended: readonly Task[]): Tasks {
  let due_at: number | null = null;
  for (const { expires_at } of live) {
    const due = expires_at === null ? null : msFromIso(expires_at);
    if (due !== null && (due_at === null || due < due_at)) due_at = due;
  }
  return { live, ended, due_at };
}

function startedTask({ session_id, sender_id, event_data, created_at, seq }: Envelope, task_id: string): Task {
  // The hub made this data from parsed parameters, so it needs no schema check.
  const { requester_id, title, capability, ttl_ms } = event_data as unknown as {
    requester_id: string;
    title: string;
    capability: string | null;
    ttl_ms: number;
  };
  return {
    task_id,
    session_id,
    owner_id: sender_id,
    requester_id,
    title,
    capability,
    state: 'open',
    progress: null,
    checkpoint: null,
    created_at,
    expires_at: ttl_ms === 0 ? null : isoFromMs(msFromIso(created_at) + ttl_ms),
    result: null,
    reason: null,
    cancel_requested: null,
    ended_at: null,
    started_seq: seq,
    ended_seq: null,
  };
}

export function cancelRequestFrom({ sender_id: by, event_data, created_at: at }: Envelope): CancelRequest {
  const { reason }: Partial<JsonObject> = event_data;
  return { by, reason: typeof reason === 'string' ? reason : null, at };
}

function stepped(task: Task, envelope: Envelope): Task {
  const { event_type, event_data, seq, created_at } = envelope;
  switch (event_type) {
    case 'task.progress': {
      const { progress } = event_data;
      return { ...task, state: 'running', progress: typeof progress === 'number' ? progress : null };
    }
    case 'task.checkpoint':
      return { ...task, state: 'running', checkpoint: { seq, bytes: Number(event_data.bytes) } };
    case 'task.resumed':
      return { ...task, state: 'running' };
    case 'task.cancel_request':
      return { ...task, cancel_requested: cancelRequestFrom(envelope) };
  }
  const state = endOfTask(envelope);
  if (state === undefined) return task;
  const { reason, result_bytes } = event_data;
  return {
    ...task,
    state,
    reason: typeof reason === 'string' ? reason : null,
    result: typeof result_bytes === 'number' ? { seq, bytes: result_bytes } : null,
    ended_at: created_at,
    ended_seq: seq,
  };
}
