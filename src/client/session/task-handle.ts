/** The handle of one task: its owner works with it, everyone else looks at it and may ask for it to stop. */

import type { Envelope } from '../../core/records/session/envelope.ts';
import { asError, HubError } from '../../core/lib/errors.ts';
import { badValue, type JsonObject } from '../../core/lib/json.ts';
import type { Duration } from '../../core/operations.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';
import type { ProgressAnswer } from '../../core/decisions/progress.ts';
import type { CancelAnswer, TaskAnswer } from '../../core/decisions/task-decisions.ts';
import type { ResumedTask, TaskWithData } from '../../core/task-operations.ts';
import { type CancelRequest, cancelRequestIn, type Task, type TaskState } from '../../core/records/work/tasks.ts';
import type { Rules } from '../lib/option-checks.ts';
import { CALL_OPTIONS, type CallOptions } from '../connection/requests.ts';
import type { Room } from './local-session.ts';

export interface StartTaskOptions extends CallOptions {
  /** What it takes; how it ends counts in your resume. */
  readonly capability?: string | undefined;
  /** For whom, by name or id: who hears of its progress. */
  readonly requester?: string | undefined;
  /** 0 = as long as the session; left out = as your rule says. */
  readonly ttl?: Duration | undefined;
  /** The idempotency key; a start repeated under its key starts one task. Made up unless given. */
  readonly key?: string | undefined;
}

export interface TaskQuery extends CallOptions {
  readonly states?: readonly TaskState[] | undefined;
  /** By name or id. */
  readonly owner?: string | undefined;
}

export const START_TASK_OPTIONS: Rules<StartTaskOptions> = {
  ...CALL_OPTIONS,
  capability: null,
  requester: null,
  ttl: null,
  key: null,
};
export const TASK_QUERY: Rules<TaskQuery> = { ...CALL_OPTIONS, states: null, owner: null };

export type CancelRequestHandler = (request: CancelRequest) => void;

export class TaskHandle {
  readonly id: string;
  private readonly room: Room;
  private readonly stop = new AbortController();
  private readonly handlers = new Set<CancelRequestHandler>();
  /** The last, for handlers that come later. */
  private request: CancelRequest | null = null;
  /** What was asked before this client came is known. */
  private isKnown = false;

  constructor(room: Room, id: string) {
    this.room = room;
    this.id = id;
  }

  /** Aborted when somebody asks for the task to stop, and when the hub has ended it. */
  get signal(): OwnSignal {
    return this.stop.signal;
  }

  /** How far it is, from 0 to 1, or null if that cannot be said. Logged at most every 10 s; more of it changes nothing. */
  progress(share: number | null, note?: string): Promise<ProgressAnswer> {
    return this.room.host.call('progress_task', { ...this.ref, progress: share, note });
  }

  /** Keeps what is needed to go on later, in place of what was kept before. */
  checkpoint(data: JsonObject): Promise<TaskAnswer> {
    return this.room.host.call('checkpoint_task', { ...this.ref, data });
  }

  /** Goes on with it, after a restart of yours for example; gives back what was kept last. */
  async resume(): Promise<ResumedTask> {
    const answer = await this.room.host.call('resume_task', this.ref);
    this.learn(answer.task);
    return answer;
  }

  async complete(result?: JsonObject): Promise<TaskAnswer> {
    return this.ended(await this.room.host.call('complete_task', { ...this.ref, result }));
  }

  async fail(reason: string, result?: JsonObject): Promise<TaskAnswer> {
    return this.ended(await this.room.host.call('fail_task', { ...this.ref, reason, result }));
  }

  /** Ends it if it is yours; of another's its owner is asked, and decides. */
  async cancel(reason?: string): Promise<CancelAnswer> {
    const answer = await this.room.host.call('cancel_task', { ...this.ref, reason });
    return answer.requested ? answer : this.ended(answer);
  }

  /** How it stands, with its result and, if it is yours, what you kept. */
  async info(): Promise<TaskWithData> {
    const answer = await this.room.host.call('get_task', this.ref);
    this.learn(answer.task);
    return answer;
  }

  /** Hears of requests to stop, also of one that came before, to another client of yours too; the result stops listening. */
  onCancelRequest(handler: CancelRequestHandler): () => void {
    if (typeof handler !== 'function') throw badValue('handler', 'a function', handler);
    this.handlers.add(handler);
    if (this.request !== null) this.run(handler, this.request);
    else if (!this.isKnown) this.askBefore();
    return () => void this.handlers.delete(handler);
  }

  /** What the session brings of it. */
  heard(envelope: Envelope): void {
    if (envelope.event_type === 'task.cancel_request') this.requested(cancelRequestIn(envelope));
    if (envelope.event_type === 'task.expired') {
      this.abort(new HubError('task_expired', `task ${this.id} has expired (${String(envelope.event_data.reason)})`));
    }
  }

  /** What the hub says of it may be news: a request is delivered to one client of the owner, and acked there. */
  learn({ owner_id, cancel_requested, ended_seq }: Task): void {
    this.isKnown = true;
    if (cancel_requested === null || ended_seq !== null || owner_id !== this.room.host.agentId) return;
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
      // Who has the handle learns it from the next call; a client that was closed has nothing to learn.
      if (this.room.host.closedError() !== null) return;
      this.room.host.failed('asking for requests to stop', this.room.id, asError(thrown));
    });
  }

  private get ref(): { readonly session_id: string; readonly task_id: string } {
    return { session_id: this.room.id, task_id: this.id };
  }

  /** One's own envelopes do not come back. */
  private ended<T>(answer: T): T {
    this.room.tasks.forget(this.id);
    return answer;
  }

  private abort(why: HubError): void {
    if (!this.signal.aborted) this.stop.abort(why);
  }

  private run(handler: CancelRequestHandler, request: CancelRequest): void {
    try {
      handler(request);
    } catch (thrown) {
      this.room.host.failed('a handler of cancel requests', this.room.id, asError(thrown));
    }
  }
}
