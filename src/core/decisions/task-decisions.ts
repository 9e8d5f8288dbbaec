/** Decisions about tasks: only the owner moves a task; any active participant may request its cancellation. */

import { ProtocolError, WireError } from '../lib/errors.ts';
import { type JsonObject, jsonBytes } from '../lib/json.ts';
import { msFromIso } from '../lib/time.ts';
import { type Draft, PLAIN } from '../records/session/envelope.ts';
import type { KeyRecord } from '../records/session/keys.ts';
import { isTerminal, nameOf, participantOf } from '../records/session/session.ts';
import { findTask, hasEnded, RETAINED_TASKS, type Task, type TaskState } from '../records/work/tasks.ts';
import type { SessionState } from '../state/state.ts';
import { sessionClosedError, sessionNotFoundError } from './admit.ts';
import { type AppliedUnit, type Decision, refuse } from './decision.ts';
import { requireParticipant } from './membership.ts';
import { isLoggedNow, type ProgressAnswer } from './progress.ts';
import { toEndedData } from './task-ends.ts';

export interface TaskAnswer {
  readonly task: Task;
  /** The seq of the entry that this request, or an earlier identical one, wrote. */
  readonly seq: number;
  readonly duplicate?: true;
}

export interface CancelAnswer extends TaskAnswer {
  /** true if the owner was asked to cancel the task. */
  readonly requested: boolean;
}

/** The task to start, with the values the hub assigned. */
export interface NewTask {
  readonly task_id: string;
  readonly title: string;
  readonly capability: string | null;
  /** The name or id of a participant; undefined if the owner is the requester. */
  readonly requester: string | undefined;
  readonly ttl_ms: number;
  /** true if the request set the TTL; false if the access rule did. */
  readonly ttlGiven: boolean;
  readonly idempotency_key: string | null;
}

export interface StartFacts {
  /** The record of the task's idempotency key; undefined if the key is new. */
  readonly repeat: KeyRecord | undefined;
  readonly maxTasks: number;
  /** Why the owner may not have more tasks; null if it may. */
  readonly full: WireError | null;
}

export function startTask(
  state: SessionState,
  agentId: string,
  asked: NewTask,
  { repeat, maxTasks, full }: StartFacts,
): Decision<TaskAnswer> {
  const { metadata, tasks } = state;
  if (participantOf(metadata, agentId) === undefined) return refuse(sessionNotFoundError(metadata.session_id));
  if (repeat !== undefined) return repeated(state, agentId, asked, repeat);
  const refusal = mayNotWork(state, agentId, 'start a task') ?? full;
  if (refusal !== null) return refuse(refusal);
  if (tasks.live.length >= maxTasks) {
    const message = `session ${metadata.session_id} has ${tasks.live.length} open tasks; at most ${maxTasks} are allowed`;
    return refuse(new ProtocolError(message, { max: maxTasks }));
  }
  const { task_id, title, capability, ttl_ms, idempotency_key } = asked;
  const requester_id = requesterOf(state, agentId, asked);
  const gone = goneRequester(state, requester_id);
  if (gone !== null) return refuse(gone);
  const data = { requester_id, title, capability, ttl_ms };
  const draft = { ...taskDraft(state, agentId, task_id, 'task.started', data, null), idempotency_key };
  return appended(draft);
}

export function progressTask(
  state: SessionState,
  agentId: string,
  taskId: string,
  { progress, note }: { readonly progress: number | null; readonly note?: string | undefined },
  nowMs: number,
): Decision<ProgressAnswer> {
  const task = ownTask(state, agentId, taskId, 'report on');
  if (task instanceof WireError) return refuse(task);
  if (!isLoggedNow(state, agentId, nowMs)) return { kind: 'nothing', answer: { logged: false } };
  const audience = task.requester_id === agentId ? [] : [task.requester_id];
  const data = { agent_id: agentId, progress, ...(note === undefined ? {} : { note }) };
  const draft = taskDraft(state, agentId, taskId, 'task.progress', data, audience);
  return { kind: 'append', drafts: [draft], answer: () => ({ logged: true }) };
}

export function checkpointTask(
  state: SessionState,
  agentId: string,
  taskId: string,
  data: JsonObject,
): Decision<TaskAnswer> {
  const task = ownTask(state, agentId, taskId, 'save');
  if (task instanceof WireError) return refuse(task);
  return appended(taskDraft(state, agentId, taskId, 'task.checkpoint', { data, bytes: jsonBytes(data) }, []));
}

export function resumeTask(state: SessionState, agentId: string, taskId: string): Decision<TaskAnswer> {
  const task = ownTask(state, agentId, taskId, 'resume');
  if (task instanceof WireError) return refuse(task);
  return appended(taskDraft(state, agentId, taskId, 'task.resumed', {}, []));
}

export interface Outcome {
  readonly reason?: string | undefined;
  readonly result?: JsonObject | undefined;
}

/** The ends an owner can choose. */
export type OwnEnd = Exclude<TaskState, 'open' | 'running' | 'expired'>;

const ENDING: Readonly<Record<OwnEnd, { readonly type: string; readonly doing: string }>> = {
  done: { type: 'task.completed', doing: 'complete' },
  failed: { type: 'task.failed', doing: 'fail' },
  cancelled: { type: 'task.cancelled', doing: 'cancel' },
};

/** Repeating the same end is a no-op; a different one is rejected. */
export function endTask(
  state: SessionState,
  agentId: string,
  taskId: string,
  end: OwnEnd,
  { reason, result }: Outcome,
): Decision<TaskAnswer> {
  const { type, doing } = ENDING[end];
  const known = findTask(state.tasks, taskId);
  if (known?.owner_id === agentId && known.state === end) {
    return { kind: 'nothing', answer: { task: known, seq: known.ended_seq ?? 0, duplicate: true } };
  }
  const task = ownTask(state, agentId, taskId, doing);
  if (task instanceof WireError) return refuse(task);
  const data: JsonObject = {
    ...toEndedData(task),
    ...(reason === undefined ? {} : { reason }),
    ...(result === undefined ? {} : { result, result_bytes: jsonBytes(result) }),
  };
  return appended(taskDraft(state, agentId, taskId, type, data, null));
}

/** The owner cancels its task; another active participant only asks the owner to. */
export function cancelTask(
  state: SessionState,
  agentId: string,
  taskId: string,
  reason: string | undefined,
): Decision<CancelAnswer> {
  const { metadata, tasks } = state;
  const task = findTask(tasks, taskId);
  const isIn = participantOf(metadata, agentId) !== undefined;
  if (!isIn || task === undefined || task.owner_id === agentId) {
    return withMore(endTask(state, agentId, taskId, 'cancelled', { reason }), { requested: false });
  }
  const refusal = hasEnded(task) ? taskEnded(task, 'cancel') : mayNotWork(state, agentId, 'request a cancellation');
  if (refusal !== null) return refuse(refusal);
  const data: JsonObject = reason === undefined ? {} : { reason };
  const draft = taskDraft(state, agentId, taskId, 'task.cancel_request', data, [task.owner_id]);
  return withMore(appended(draft), { requested: true });
}

export function taskNotFoundError(sessionId: string, taskId: string): WireError {
  const message = `no task ${taskId} in session ${sessionId}; it keeps only the last ${RETAINED_TASKS} ended tasks, read_log shows the others`;
  return new WireError('not_found', message, { task_id: taskId });
}

/** The task if the agent may move it, else the error. */
function ownTask({ metadata, tasks }: SessionState, agentId: string, taskId: string, doing: string): Task | WireError {
  const { session_id } = metadata;
  if (participantOf(metadata, agentId) === undefined) return sessionNotFoundError(session_id);
  const task = findTask(tasks, taskId);
  if (task === undefined) return taskNotFoundError(session_id, taskId);
  if (task.owner_id !== agentId) {
    const message = `only ${nameOf(metadata, task.owner_id)}, the owner of task ${taskId}, may ${doing} it`;
    return new WireError('forbidden', message, { owner_id: task.owner_id });
  }
  return hasEnded(task) ? taskEnded(task, doing) : task;
}

function taskEnded({ task_id, state, reason, ended_seq }: Task, doing: string): WireError {
  const why = reason === null ? '' : ` (${reason})`;
  const message = `task ${task_id} is ${state}${why} since seq ${ended_seq}; cannot ${doing} it`;
  return new WireError('conflict', message, { task_id, state, ended_seq });
}

function mayNotWork({ metadata }: SessionState, agentId: string, doing: string): WireError | null {
  const { session_id, state } = metadata;
  if (isTerminal(state) || state === 'CLOSING') return sessionClosedError(metadata, `nobody can ${doing}`);
  const status = participantOf(metadata, agentId)?.status;
  if (state === 'ACTIVE' && status === 'active') return null;
  const message = `only an active participant of an active session can ${doing}; you are ${status} in session ${session_id}, which is ${state}`;
  return status === 'active' || status === 'hidden' || status === 'invited'
    ? new ProtocolError(message, { status, state })
    : new WireError('forbidden', message, { status, state });
}

function requesterOf({ metadata }: SessionState, agentId: string, { requester }: NewTask): string {
  return requester === undefined ? agentId : requireParticipant(metadata, requester).agent_id;
}

/** A participant that left would not receive the task's progress. */
function goneRequester({ metadata }: SessionState, requesterId: string): WireError | null {
  const requester = participantOf(metadata, requesterId);
  if (requester?.status !== 'removed' && requester?.status !== 'rejected') return null;
  const { name, status } = requester;
  const message = `params.requester: expected a participant of session ${metadata.session_id}, got ${name}, who is ${status}`;
  return new WireError('not_found', message, { field: 'params.requester', status });
}

/** A repeated key returns the task it started, while the state still holds that task. */
function repeated(state: SessionState, agentId: string, asked: NewTask, { seq }: KeyRecord): Decision<TaskAnswer> {
  const { live, ended } = state.tasks;
  const task = [...live, ...ended].find(({ started_seq }) => started_seq === seq);
  if (task?.owner_id === agentId && isSameTask(state, task, asked)) {
    return { kind: 'nothing', answer: { task, seq, duplicate: true } };
  }
  const what = task === undefined ? 'other content or a task that ended long ago' : 'another task';
  const message = `idempotency_key "${asked.idempotency_key}" was used for ${what} (seq ${seq}); take a new key`;
  return refuse(new WireError('duplicate', message, { seq }));
}

function isSameTask(state: SessionState, task: Task, asked: NewTask): boolean {
  const { title, capability, requester_id, created_at, expires_at } = task;
  if (title !== asked.title || capability !== asked.capability) return false;
  if (requester_id !== requesterOf(state, task.owner_id, asked)) return false;
  if (!asked.ttlGiven) return true;
  const ttlMs = expires_at === null ? 0 : msFromIso(expires_at) - msFromIso(created_at);
  return ttlMs === asked.ttl_ms;
}

/** The first entry of the unit belongs to the request; the hub may append more. */
function appended(draft: Draft): Decision<TaskAnswer> {
  return { kind: 'append', drafts: [draft], answer: (advanced) => answerOf(draft, advanced) };
}

function answerOf({ task_id, event_type }: Draft, { entries, after }: AppliedUnit): TaskAnswer {
  const task = findTask(after.tasks, task_id ?? '');
  const seq = entries[0]?.envelope.seq;
  if (task === undefined || seq === undefined) throw new WireError('internal', `${event_type} was not folded`);
  return { task, seq };
}

function withMore<T, More>(decision: Decision<T>, more: More): Decision<T & More> {
  switch (decision.kind) {
    case 'append':
      return { ...decision, answer: (advanced) => ({ ...decision.answer(advanced), ...more }) };
    case 'nothing':
      return { ...decision, answer: { ...decision.answer, ...more } };
    default:
      return decision;
  }
}

function taskDraft(
  { metadata }: SessionState,
  sender_id: string,
  task_id: string,
  event_type: string,
  event_data: JsonObject,
  audience: readonly string[] | null,
): Draft {
  return { ...PLAIN, session_id: metadata.session_id, sender_id, audience, event_type, event_data, task_id };
}
