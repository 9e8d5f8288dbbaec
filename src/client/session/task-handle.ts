/** The handle of one task: its owner works with it, others read it and may request cancellation. */

import type { ProgressAnswer } from '../../core/decisions/progress.ts';
import type { CancelAnswer, TaskAnswer } from '../../core/decisions/task-decisions.ts';
import { asError, HubError } from '../../core/lib/errors.ts';
import { invalidValueError, type JsonObject } from '../../core/lib/json.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';
import type { ResumedTask, TaskWithData } from '../../core/protocol/operations/tasks.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { type CancelRequest, cancelRequestFrom, type Task } from '../../core/records/work/tasks.ts';
import type { HostedSession } from './session-host.ts';

/** Cancel requests kept for handles created later: as many as a session has tasks by default. */
const MAX_KEPT = 256;
const ENDS: ReadonlySet<string> = new Set(['task.completed', 'task.failed', 'task.cancelled', 'task.expired']);

export type CancelRequestHandler = (request: CancelRequest) => void;

export class TaskHandle {
  readonly id: string;
  private readonly session: HostedSession;
  private readonly forget: () => void;
  private readonly stop = new AbortController();
  private readonly handlers = new Set<CancelRequestHandler>();
  /** The last cancel request, for handlers added later. */
  private request: CancelRequest | null = null;
  /** True once cancel requests from before this client started are known. */
  private isKnown = false;

  /** `forget` is called when one of our calls has ended the task. */
  constructor(session: HostedSession, id: string, forget: () => void) {
    this.session = session;
    this.id = id;
    this.forget = forget;
  }

  /** Aborted when cancellation is requested, and when the task expires. */
  get signal(): OwnSignal {
    return this.stop.signal;
  }

  /** Reports progress from 0 to 1; null if unknown. Logged at most every 10 s. */
  progress(share: number | null, note?: string): Promise<ProgressAnswer> {
    return this.session.host.call('progress_task', { ...this.ref, progress: share, note });
  }

  /** Stores the data needed to continue later; replaces the previous checkpoint. */
  checkpoint(data: JsonObject): Promise<TaskAnswer> {
    return this.session.host.call('checkpoint_task', { ...this.ref, data });
  }

  /** Continues the task, for example after a restart; returns the last checkpoint. */
  async resume(): Promise<ResumedTask> {
    const answer = await this.session.host.call('resume_task', this.ref);
    this.learn(answer.task);
    return answer;
  }

  async complete(result?: JsonObject): Promise<TaskAnswer> {
    return this.ended(await this.session.host.call('complete_task', { ...this.ref, result }));
  }

  async fail(reason: string, result?: JsonObject): Promise<TaskAnswer> {
    return this.ended(await this.session.host.call('fail_task', { ...this.ref, reason, result }));
  }

  /** Cancels your own task; for another's task, asks its owner to cancel. */
  async cancel(reason?: string): Promise<CancelAnswer> {
    const answer = await this.session.host.call('cancel_task', { ...this.ref, reason });
    return answer.requested ? answer : this.ended(answer);
  }

  /** The task with its result and, if it is yours, its checkpoint. */
  async info(): Promise<TaskWithData> {
    const answer = await this.session.host.call('get_task', this.ref);
    this.learn(answer.task);
    return answer;
  }

  /** Calls the handler for cancel requests, including an earlier one; call the returned function to stop. */
  onCancelRequest(handler: CancelRequestHandler): () => void {
    if (typeof handler !== 'function') throw invalidValueError('handler', 'a function', handler);
    this.handlers.add(handler);
    if (this.request !== null) this.run(handler, this.request);
    else if (!this.isKnown) this.askBefore();
    return () => void this.handlers.delete(handler);
  }

  heard(envelope: Envelope): void {
    if (envelope.event_type === 'task.cancel_request') this.requested(cancelRequestFrom(envelope));
    if (envelope.event_type === 'task.expired') {
      this.abort(new HubError('task_expired', `task ${this.id} has expired (${String(envelope.event_data.reason)})`));
    }
  }

  /** Learns a cancel request from an answer: the hub delivers the request to only one client of the owner. */
  learn({ owner_id, cancel_requested, ended_seq }: Task): void {
    this.isKnown = true;
    if (cancel_requested === null || ended_seq !== null || owner_id !== this.session.host.agentId) return;
    if (this.request === null || cancel_requested.at > this.request.at) this.requested(cancel_requested);
  }

  private requested(request: CancelRequest): void {
    const known = this.request;
    if (known !== null && known.at === request.at && known.by === request.by) return;
    this.request = request;
    this.abort(new HubError('cancel_requested', `somebody asked for task ${this.id} to stop`));
    for (const handler of [...this.handlers]) this.run(handler, request);
  }

  private askBefore(): void {
    this.isKnown = true;
    this.info().catch((thrown: unknown) => {
      this.isKnown = false;
      // A closed client needs no log entry; otherwise the next handler asks again.
      if (this.session.host.closedError() !== null) return;
      this.session.host.failed('asking for requests to stop', this.session.id, asError(thrown));
    });
  }

  private get ref(): { readonly session_id: string; readonly task_id: string } {
    return { session_id: this.session.id, task_id: this.id };
  }

  /** Drops an ended task here, because our own envelopes are not delivered to us. */
  private ended<T>(answer: T): T {
    this.forget();
    return answer;
  }

  private abort(why: HubError): void {
    if (!this.signal.aborted) this.stop.abort(why);
  }

  private run(handler: CancelRequestHandler, request: CancelRequest): void {
    try {
      handler(request);
    } catch (thrown) {
      this.session.host.failed('a handler of cancel requests', this.session.id, asError(thrown));
    }
  }
}

/** Keeps the task handles of a session, and cancel requests for tasks without a handle. */
export class SessionTasks {
  private readonly session: HostedSession;
  private readonly handles = new Map<string, TaskHandle>();
  private readonly requests = new Map<string, Envelope>();

  constructor(session: HostedSession) {
    this.session = session;
  }

  /** One handle per task, until it ends. */
  handle(taskId: string): TaskHandle {
    const known = this.handles.get(taskId);
    if (known !== undefined) return known;
    const handle = new TaskHandle(this.session, taskId, () => this.forget(taskId));
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

  /** Drops the handle and the cancel request of a task; the handle keeps working for its holders. */
  forget(taskId: string): void {
    this.handles.delete(taskId);
    this.requests.delete(taskId);
  }

  private keep(taskId: string, request: Envelope): void {
    this.requests.set(taskId, request);
    const [oldest] = this.requests.keys();
    if (this.requests.size > MAX_KEPT && oldest !== undefined) this.requests.delete(oldest);
  }
}
