/** Reading tasks: how they stand is in the state, what they carry is in the log. */

import { noSuchSession } from '../core/decisions/admit.ts';
import type { Entry } from '../core/records/session/envelope.ts';
import { WireError } from '../core/lib/errors.ts';
import type { JsonObject } from '../core/lib/json.ts';
import { participantOf } from '../core/records/session/session.ts';
import { noSuchTask } from '../core/decisions/task-decisions.ts';
import type { ListTasksParams, TaskPage, TaskRef, TaskWithData } from '../core/task-operations.ts';
import { type Task, type TaskData, type Tasks, taskCalled } from '../core/records/work/tasks.ts';
import type { Binding } from './bindings.ts';
import { countWithin, PAGE } from './lib/fit-page.ts';
import type { HubParts } from './parts.ts';
import { liveSessionsOf } from './log/read-pages.ts';

export async function getTask(parts: HubParts, reader: Binding, ref: TaskRef): Promise<TaskWithData> {
  const { session_id, task_id } = ref;
  const tasks = await tasksOf(parts, reader, session_id);
  const task = taskCalled(tasks, task_id);
  if (task === undefined) throw noSuchTask(session_id, task_id);
  // What an owner keeps for itself is told to nobody else.
  const own = task.owner_id === reader.agentId ? task.checkpoint : null;
  return {
    task,
    checkpoint: await dataAt(parts, session_id, own, 'data'),
    result: await dataAt(parts, session_id, task.result, 'result'),
  };
}

/** The member of the envelope's data that a task speaks of, as it may be shown. */
export async function dataAt(
  parts: HubParts,
  sessionId: string,
  place: TaskData | null,
  member: 'data' | 'result',
): Promise<JsonObject | null> {
  if (place === null) return null;
  const { envelope } = parts.redactions.shown(await entryOf(parts, sessionId, place));
  // Written by the hub from an object.
  return envelope.event_data[member] as JsonObject;
}

/** Where the data of a task is, as it was said. */
export async function entryOf({ store }: HubParts, sessionId: string, { seq }: TaskData): Promise<Entry> {
  const [entry] = await store.read(sessionId, { from_seq: seq, to_seq: seq, limit: 1 });
  if (entry === undefined) throw new WireError('internal', `log ${sessionId} has no entry ${seq}`);
  return entry;
}

export async function listTasks(parts: HubParts, reader: Binding, params: ListTasksParams): Promise<TaskPage> {
  const { session_id, states, owner, after = '', limit = PAGE } = params;
  const all =
    session_id === undefined ? await underWay(parts, reader) : everyOf(await tasksOf(parts, reader, session_id));
  const fitting = all
    .filter(({ owner_id }) => owner === undefined || owner_id === owner || parts.registry.nameOf(owner_id) === owner)
    .filter((task) => states === undefined || states.includes(task.state))
    .map((task) => ({ task, place: placeOf(task) }))
    .filter(({ place }) => place > after)
    .sort((a, b) => (a.place < b.place ? -1 : 1));
  const page = fitting.slice(0, limit);
  const shown = page.slice(0, countWithin(page, parts.limits.maxResponseBytes));
  return {
    tasks: shown.map(({ task }) => task),
    next: shown.length < fitting.length ? (shown.at(-1)?.place ?? null) : null,
  };
}

/** By session, then in the order they were started. */
function placeOf({ session_id, started_seq }: Task): string {
  return `${session_id}.${String(started_seq).padStart(16, '0')}`;
}

function everyOf({ live, ended }: Tasks): readonly Task[] {
  return [...ended, ...live];
}

/** Heads say which sessions have any; only those are looked at. */
async function underWay(parts: HubParts, reader: Binding): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for await (const { head } of liveSessionsOf(parts.store, reader.agentId)) {
    const status = head.members[reader.agentId];
    if (head.tasks === undefined || (status !== 'active' && status !== 'hidden')) continue;
    const live = await parts.sessions.use(head.session_id, ({ durable }) => durable?.tasks.live ?? []);
    tasks.push(...live);
  }
  return tasks;
}

/** For who is in the session, or was when it ended. */
async function tasksOf(parts: HubParts, { agentId }: Binding, sessionId: string): Promise<Tasks> {
  const state = await parts.sessions.use(sessionId, ({ durable }) => durable);
  const status = state === null ? undefined : participantOf(state.metadata, agentId)?.status;
  if (state === null || status === undefined) throw noSuchSession(sessionId);
  if (status === 'active' || status === 'hidden') return state.tasks;
  const message = `only who is in session ${sessionId} can see its tasks; you are ${status}`;
  throw new WireError('forbidden', message, { status });
}
