/** Reads tasks: their status is in the state, their data in the log. */

import { sessionNotFoundError } from '../../core/decisions/admit.ts';
import { taskNotFoundError } from '../../core/decisions/task-decisions.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import type { ListTasksParams, TaskPage, TaskRef, TaskWithData } from '../../core/protocol/operations/tasks.ts';
import { participantOf } from '../../core/records/session/session.ts';
import { findTask, type Task, type TaskData, type Tasks } from '../../core/records/work/tasks.ts';
import type { Binding } from '../bindings/binding.ts';
import { countFitting, DEFAULT_PAGE_SIZE } from '../lib/fit-page.ts';
import { iterateLiveSessions, readEntry } from '../log/read-pages.ts';
import type { SharedRooms } from '../posting/shared-rooms.ts';

type TaskReaderNeeds = Pick<SharedRooms, 'limits' | 'store' | 'registry' | 'sessions' | 'redactions'>;

export class TaskReader {
  private readonly needs: TaskReaderNeeds;

  constructor(needs: TaskReaderNeeds) {
    this.needs = needs;
  }

  async get(reader: Binding, ref: TaskRef): Promise<TaskWithData> {
    const { session_id, task_id } = ref;
    const tasks = await this.tasksOf(reader, session_id);
    const task = findTask(tasks, task_id);
    if (task === undefined) throw taskNotFoundError(session_id, task_id);
    // Only the owner may read its checkpoint.
    const own = task.owner_id === reader.agentId ? task.checkpoint : null;
    return {
      task,
      checkpoint: await this.dataAt(session_id, own, 'data'),
      result: await this.dataAt(session_id, task.result, 'result'),
    };
  }

  async list(reader: Binding, params: ListTasksParams): Promise<TaskPage> {
    const { registry, limits } = this.needs;
    const { session_id, states, owner, after = '', limit = DEFAULT_PAGE_SIZE } = params;
    const all = session_id === undefined ? await this.liveTasks(reader) : allOf(await this.tasksOf(reader, session_id));
    const fitting = all
      .filter(({ owner_id }) => owner === undefined || owner_id === owner || registry.nameOf(owner_id) === owner)
      .filter((task) => states === undefined || states.includes(task.state))
      .map((task) => ({ task, place: placeOf(task) }))
      .filter(({ place }) => place > after)
      .sort((a, b) => (a.place < b.place ? -1 : 1));
    const page = fitting.slice(0, limit);
    const shown = page.slice(0, countFitting(page, limits.maxResponseBytes));
    return {
      tasks: shown.map(({ task }) => task),
      next: shown.length < fitting.length ? (shown.at(-1)?.place ?? null) : null,
    };
  }

  /** A data member of the envelope a task refers to, after redaction. */
  async dataAt(sessionId: string, place: TaskData | null, member: 'data' | 'result'): Promise<JsonObject | null> {
    if (place === null) return null;
    const { envelope } = this.needs.redactions.shown(await readEntry(this.needs.store, sessionId, place.seq));
    // The hub wrote this member from an object.
    return envelope.event_data[member] as JsonObject;
  }

  /** Live tasks of all the agent's live sessions; loads only sessions whose head lists tasks. */
  private async liveTasks({ agentId }: Binding): Promise<readonly Task[]> {
    const tasks: Task[] = [];
    for await (const { head } of iterateLiveSessions(this.needs.store, agentId)) {
      const status = head.members[agentId];
      if (head.tasks === undefined || (status !== 'active' && status !== 'hidden')) continue;
      const live = await this.needs.sessions.use(head.session_id, ({ durable }) => durable?.tasks.live ?? []);
      tasks.push(...live);
    }
    return tasks;
  }

  /** The tasks of a session; the reader must be a member, or have been one when the session ended. */
  private async tasksOf({ agentId }: Binding, sessionId: string): Promise<Tasks> {
    const state = await this.needs.sessions.use(sessionId, ({ durable }) => durable);
    const status = state === null ? undefined : participantOf(state.metadata, agentId)?.status;
    if (state === null || status === undefined) throw sessionNotFoundError(sessionId);
    if (status === 'active' || status === 'hidden') return state.tasks;
    const message = `only members of session ${sessionId} can see its tasks; you are ${status}`;
    throw new WireError('forbidden', message, { status });
  }
}

/** Sorts by session, then by start. */
function placeOf({ session_id, started_seq }: Task): string {
  return `${session_id}.${String(started_seq).padStart(16, '0')}`;
}

function allOf({ live, ended }: Tasks): readonly Task[] {
  return [...ended, ...live];
}
