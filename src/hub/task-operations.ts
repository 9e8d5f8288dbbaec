/** The operations on tasks. */

import { refuse } from '../core/decisions/advance.ts';
import { WireError } from '../core/lib/errors.ts';
import { canonicalJson, copyJsonObject, type JsonObject } from '../core/lib/json.ts';
import { taskTtlMs } from '../core/records/access/rule.ts';
import {
  cancelTask,
  checkpointTask,
  endTask,
  type NewTask,
  type Outcome,
  type OwnEnd,
  progressTask,
  resumeTask,
  startTask,
  type TaskAnswer,
} from '../core/decisions/task-decisions.ts';
import type { StartTaskParams, TaskRef } from '../core/task-operations.ts';
import type { TaskOperation } from '../core/task-schemas.ts';
import type { Task } from '../core/records/work/tasks.ts';
import { durationMs } from '../core/time.ts';
import type { Binding } from './bindings.ts';
import { boundCaller, type Caller } from './caller.ts';
import { decideTask } from './decide-task.ts';
import type { Handler } from './handler.ts';
import { unavailableSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';
import { dataAt, entryOf, getTask, listTasks } from './read-tasks.ts';
import { withTaskRoom } from './task-room.ts';

export const taskOperations: { readonly [N in TaskOperation]: Handler<N> } = {
  start_task(parts, caller, params) {
    const by = boundCaller(caller);
    const { maxTasks } = parts.limits;
    const asked = newTask(parts, by, params);
    const ask = { ...asked, session_id: params.session_id, event_type: 'task.started' };
    return withTaskRoom(parts, by, (full) =>
      decideTask(parts, by, ask, (state, session, repeat) => {
        const decision = startTask(state, by.agentId, asked, { repeat, maxTasks, full });
        // What is under way can be ended without the adapter; nothing new is begun.
        const isUnavailable = session.adapter === null && decision.kind === 'append';
        return isUnavailable ? refuse(unavailableSession(session.sessionId, session.unavailable)) : decision;
      }),
    );
  },

  progress_task(parts, caller, { session_id, task_id, ...said }) {
    const by = boundCaller(caller);
    return decideTask(parts, by, { session_id, event_type: 'task.progress' }, (state) =>
      progressTask(state, by.agentId, task_id, said, parts.clock.now()),
    );
  },

  checkpoint_task(parts, caller, { session_id, task_id, data }) {
    const by = boundCaller(caller);
    const kept = within(parts, data, 'params.data');
    return decideTask(parts, by, { session_id, event_type: 'task.checkpoint' }, (state) =>
      checkpointTask(state, by.agentId, task_id, kept),
    );
  },

  async resume_task(parts, caller, { session_id, task_id }) {
    const by = boundCaller(caller);
    const answer = await decideTask(parts, by, { session_id, event_type: 'task.resumed' }, (state) =>
      resumeTask(state, by.agentId, task_id),
    );
    return { ...answer, checkpoint: await dataAt(parts, session_id, answer.task.checkpoint, 'data') };
  },

  complete_task: (parts, caller, { result, ...ref }) => end(parts, caller, ref, 'done', { result }),
  fail_task: (parts, caller, { reason, result, ...ref }) => end(parts, caller, ref, 'failed', { reason, result }),

  cancel_task(parts, caller, { session_id, task_id, reason }) {
    const by = boundCaller(caller);
    return decideTask(parts, by, { session_id, event_type: 'task.cancelled' }, (state) =>
      cancelTask(state, by.agentId, task_id, reason),
    );
  },

  get_task: (parts, caller, ref) => getTask(parts, boundCaller(caller), ref),
  list_tasks: (parts, caller, params) => listTasks(parts, boundCaller(caller), params),
};

const EVENT_TYPES: Readonly<Record<OwnEnd, string>> = {
  done: 'task.completed',
  failed: 'task.failed',
  cancelled: 'task.cancelled',
};

interface Given {
  readonly reason?: string;
  readonly result?: JsonObject | undefined;
}

async function end(parts: HubParts, caller: Caller, ref: TaskRef, how: OwnEnd, given: Given): Promise<TaskAnswer> {
  const by = boundCaller(caller);
  const { session_id, task_id } = ref;
  const { reason, result } = given;
  const outcome = { reason, result: result === undefined ? undefined : within(parts, result, 'params.result') };
  const answer = await decideTask(parts, by, { session_id, event_type: EVENT_TYPES[how] }, (state) =>
    endTask(state, by.agentId, task_id, how, outcome),
  );
  if (answer.duplicate === true) await checkSameEnd(parts, answer.task, outcome);
  return answer;
}

/** An end that was told before is the same end only if it says the same: nothing that is said is dropped without a word. */
async function checkSameEnd(parts: HubParts, task: Task, { reason, result }: Outcome): Promise<void> {
  const { task_id, state, ended_seq } = task;
  const sameResult = await isSameResult(parts, task, result ?? null);
  if (task.reason === (reason ?? null) && sameResult) return;
  const wrong = sameResult ? 'reason' : 'result';
  const message = `task ${task_id} is ${state} since seq ${ended_seq}, with another ${wrong}; an end is for good`;
  throw new WireError('conflict', message, { task_id, state, ended_seq, field: `params.${wrong}` });
}

/** Looked at before anything else: what is too much is refused to everyone alike. */
function within({ limits }: HubParts, data: JsonObject, field: string): JsonObject {
  return copyJsonObject(data, field, { maxDepth: limits.maxJsonDepth, maxBytes: limits.maxEventBytes });
}

function newTask({ ids, registry }: HubParts, { agentId }: Binding, params: StartTaskParams): NewTask {
  const { title, capability = null, requester, ttl, idempotency_key = null } = params;
  const ttlMs = ttl === undefined ? taskTtlMs(registry.ruleOf(agentId)) : durationMs(ttl, 'params.ttl');
  const ttlGiven = ttl !== undefined;
  // A time ends with its last millisecond, not before.
  return { task_id: ids.hex32(), title, capability, requester, ttl_ms: Math.ceil(ttlMs), ttlGiven, idempotency_key };
}

/** Also as long as its bytes are there and nobody may see them; of what is gone nobody can tell, and nobody is told. */
async function isSameResult(parts: HubParts, { session_id, result }: Task, given: JsonObject | null): Promise<boolean> {
  if (result === null) return given === null;
  const { event_data, redacted } = (await entryOf(parts, session_id, result)).envelope;
  return redacted !== undefined || canonicalJson(event_data.result ?? null) === canonicalJson(given);
}
