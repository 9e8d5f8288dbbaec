/** The tasks of a session that somebody has in hand here, and what it brought of those nobody has yet. */

import type { Envelope } from '../core/records/session/envelope.ts';
import type { Room } from './session/local-session.ts';
import { TaskHandle } from './session/task-handle.ts';

/** Requests kept for handles that may yet be asked for: as many as a session has tasks by default. */
const MOST_KEPT = 256;
const ENDS: ReadonlySet<string> = new Set(['task.completed', 'task.failed', 'task.cancelled', 'task.expired']);

export class RoomTasks {
  private readonly room: Room;
  private readonly handles = new Map<string, TaskHandle>();
  private readonly requests = new Map<string, Envelope>();

  constructor(room: Room) {
    this.room = room;
  }

  /** One handle for each task, as long as it has not ended. */
  handle(taskId: string): TaskHandle {
    const known = this.handles.get(taskId);
    if (known !== undefined) return known;
    const handle = new TaskHandle(this.room, taskId);
    this.handles.set(taskId, handle);
    const request = this.requests.get(taskId);
    this.requests.delete(taskId);
    if (request !== undefined) handle.heard(request);
    return handle;
  }

  heard(envelope: Envelope): void {
    const { task_id, event_type } = envelope;
    if (task_id === null) return;
    const handle = this.handles.get(task_id);
    handle?.heard(envelope);
    if (ENDS.has(event_type)) this.forget(task_id);
    else if (handle === undefined && event_type === 'task.cancel_request') this.keep(task_id, envelope);
  }

  /** It has ended: whoever has its handle may go on looking at it. */
  forget(taskId: string): void {
    this.handles.delete(taskId);
    this.requests.delete(taskId);
  }

  private keep(taskId: string, request: Envelope): void {
    this.requests.set(taskId, request);
    const [oldest] = this.requests.keys();
    if (this.requests.size > MOST_KEPT && oldest !== undefined) this.requests.delete(oldest);
  }
}
