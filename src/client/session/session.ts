/** The handle of one session: say something, wait for something, read, close. */

import type { AddAnswer } from '../../core/decisions/add-participant.ts';
import type { PostAnswer } from '../../core/decisions/admit.ts';
import type { DelegateAnswer, DelegateParams } from '../../core/records/work/delegation.ts';
import type { EndAnswer } from '../../core/decisions/end-session.ts';
import { type Envelope, isContent, type Turn } from '../../core/records/session/envelope.ts';
import { HubError } from '../../core/lib/errors.ts';
import { badValue, type JsonObject } from '../../core/lib/json.ts';
import type { InviteAnswer } from '../../core/decisions/membership.ts';
import type { PostParams, RedactAnswer, Result } from '../../core/operations.ts';
import type { FailureAnswer, ProgressAnswer } from '../../core/decisions/progress.ts';
import type { LifecycleState } from '../../core/records/session/session.ts';
import type { Task } from '../../core/records/work/tasks.ts';
import { type DelegateOptions, delegation } from '../delegate.ts';
import type { DeltaOptions } from './deltas.ts';
import { checkOptions, isObject, names, optional, type Rules } from '../lib/option-checks.ts';
import { WAIT_OPTIONS, type WaitOptions } from '../lib/inbox.ts';
import type { Message } from '../message.ts';
import { CALL_OPTIONS, type CallOptions } from '../connection/requests.ts';
import type { Room, SessionEnd, Unread } from './local-session.ts';
import {
  START_TASK_OPTIONS,
  type StartTaskOptions,
  TASK_QUERY,
  type TaskHandle,
  type TaskQuery,
} from './task-handle.ts';

/** What can be said beside plain text, as it travels. */
export type Content = Pick<
  PostParams,
  'event_type' | 'event_data' | 'audience' | 'task_id' | 'traceparent' | 'priority' | 'ttl_seconds'
>;

export interface SendOptions extends CallOptions {
  /** The idempotency key; a send repeated under its key is accepted once. Made up unless given. */
  readonly key?: string | undefined;
  /** Refuse (`conflict`) unless this is the newest seq of the session. */
  readonly expectedSeq?: number | undefined;
  /** The envelope this one answers. */
  readonly causationId?: string | undefined;
  /** Only these hear it: names or ids. */
  readonly to?: readonly string[] | undefined;
}

export interface CloseOptions extends CallOptions {
  /** closing = once nothing more is accepted (default); closed = once everyone present has heard it. */
  readonly wait?: 'closing' | 'closed' | undefined;
}

export interface AddOptions extends CallOptions {
  /** One of the roles of the session type; `participant` unless told. */
  readonly role?: string | undefined;
}

export interface OperatorOptions extends CallOptions {
  /** Why, for everyone in the session to read. */
  readonly reason?: string | undefined;
}

export interface LogOptions {
  readonly fromSeq?: number | undefined;
  /** Newest first. */
  readonly reverse?: boolean | undefined;
  /** Envelopes asked for at once. */
  readonly pageSize?: number | undefined;
}

export interface ViewOptions extends CallOptions {
  /** A view by name, with its parameters. */
  readonly view?: { readonly name: string; readonly params?: JsonObject | undefined } | undefined;
  /** What it showed when this was the newest seq. */
  readonly atSeq?: number | undefined;
  /** As this one sees it, by name or id: with the grant `observe`. */
  readonly participant?: string | undefined;
}

const SEND_OPTIONS: Rules<SendOptions> = {
  ...CALL_OPTIONS,
  key: null,
  expectedSeq: null,
  causationId: null,
  to: optional(names),
};
const CLOSE_OPTIONS: Rules<CloseOptions> = { ...CALL_OPTIONS, wait: null };
const ADD_OPTIONS: Rules<AddOptions> = { ...CALL_OPTIONS, role: null };
const OPERATOR_OPTIONS: Rules<OperatorOptions> = { ...CALL_OPTIONS, reason: null };
const VIEW_OPTIONS: Rules<ViewOptions> = { ...CALL_OPTIONS, view: null, atSeq: null, participant: null };
const LOG_OPTIONS: Rules<LogOptions> = { fromSeq: null, reverse: null, pageSize: null };

export class Session implements AsyncIterable<Message> {
  private readonly room: Room;
  /** A send whose names are being looked up; those behind it keep their place. */
  private addressing: Promise<unknown> | null = null;

  constructor(room: Room) {
    this.room = room;
  }

  get id(): string {
    return this.room.id;
  }

  /** The last known; null = nothing was heard of it yet. */
  get state(): LifecycleState | null {
    return this.room.state;
  }

  /** Whose turn it is as far as is known here; null = nobody in particular. */
  get turn(): Turn | null {
    return this.room.turn;
  }

  /** Whether it is for you to speak: the newest turn names you, or nobody is expected in particular. */
  get isMyTurn(): boolean {
    return this.room.isMyTurn;
  }

  /** What is allowed and probably not meant, if you opened it: rules that can never apply, for example. */
  get warnings(): readonly string[] {
    return this.room.warnings;
  }

  /** Posts text or other content. Sends of one session are admitted in the order of the calls. */
  async send(content: string | Content, options: SendOptions = {}): Promise<PostAnswer> {
    checkContent(content);
    checkOptions(options, SEND_OPTIONS);
    while (this.addressing !== null) await this.addressing;
    const { roster } = this.room;
    const { to } = options;
    if (to === undefined) return this.post(content, options);
    const known = roster.knownIds(to);
    if (known !== null) return this.post(content, options, known);
    // The answer is wrapped so that those behind wait for the names only.
    const posting = roster.idsOf(to).then((audience) => ({ answer: this.post(content, options, audience) }));
    const addressed = (): void => {
      this.addressing = null;
    };
    this.addressing = posting.then(addressed, addressed);
    return (await posting).answer;
  }

  /**
   * Shows part of a text that you are writing to those it will be for, before you send it with the same `causationId`. A hint:
   * the hub may drop it, and keeps nothing of it.
   */
  delta(text: string, options: DeltaOptions): Promise<void> {
    return this.room.deltas.show(text, options);
  }

  /** Would a message of yours be accepted now, and if not, why. */
  canSend(eventType?: string): Promise<Result<'can_send'>> {
    return this.room.host.call('can_send', { session_id: this.id, event_type: eventType });
  }

  async close(reason?: string, options: CloseOptions = {}): Promise<EndAnswer> {
    checkOptions(options, CLOSE_OPTIONS);
    const { wait, deadlineMs } = options;
    const answer = await this.room.host.call('close_session', { session_id: this.id, reason, wait }, { deadlineMs });
    this.room.advance(answer.state);
    return answer;
  }

  /** Leaves for good: nothing more comes, and there is no way back. The others go on, unless too few are left. */
  async leave(): Promise<InviteAnswer> {
    return this.room.host.call('leave_session', { session_id: this.id });
  }

  /** Comes back to your place after the session went on without you. */
  async comeBack(): Promise<InviteAnswer> {
    return this.room.host.call('return_to_session', { session_id: this.id });
  }

  /** Takes an active participant, by name or id, out of the rotation; it reads on. Takes the grant `operate`. */
  async hide(participant: string, options: OperatorOptions = {}): Promise<InviteAnswer> {
    checkOptions(options, OPERATOR_OPTIONS);
    const { reason, deadlineMs } = options;
    return this.room.host.call('hide_participant', { session_id: this.id, participant, reason }, { deadlineMs });
  }

  /** Puts a hidden participant, by name or id, back into its place. Takes the grant `operate`. */
  async bringBack(participant: string, options: CallOptions = {}): Promise<InviteAnswer> {
    checkOptions(options, CALL_OPTIONS);
    // Left out it would mean oneself.
    if (typeof participant !== 'string') throw badValue('participant', 'a name or an id', participant);
    return this.room.host.call('return_to_session', { session_id: this.id, participant }, options);
  }

  /** Takes a participant, by name or id, out for good. Takes the grant `operate`. */
  async remove(participant: string, options: OperatorOptions = {}): Promise<InviteAnswer> {
    checkOptions(options, OPERATOR_OPTIONS);
    const { reason, deadlineMs } = options;
    return this.room.host.call('remove_participant', { session_id: this.id, participant, reason }, { deadlineMs });
  }

  /** Hides what an envelope says, for good and from everybody. Takes the grant `operate`. */
  async redact(seq: number, options: OperatorOptions = {}): Promise<RedactAnswer> {
    checkOptions(options, OPERATOR_OPTIONS);
    const { reason, deadlineMs } = options;
    return this.room.host.call('redact', { session_id: this.id, seq, reason }, { deadlineMs });
  }

  /** Says that you are at work on your turn, so that it lasts longer. Logged at most every 10 s, or twice within a shorter `turn_within`; more of it changes nothing. */
  async progress(note?: string): Promise<ProgressAnswer> {
    return this.room.host.call('report_progress', { session_id: this.id, note });
  }

  /** Says that you cannot take your turn: expectations with `on_failure` are violated at once. */
  async failTurn(reason: string): Promise<FailureAnswer> {
    return this.room.host.call('report_turn_failure', { session_id: this.id, reason });
  }

  /** Says what you work on. It is your task until you end it, its time is over or the session closes. */
  async startTask(title: string, options: StartTaskOptions = {}): Promise<TaskHandle> {
    checkOptions(options, START_TASK_OPTIONS);
    const { capability, requester, ttl, key, deadlineMs } = options;
    const idempotency_key = key ?? this.room.host.ids.hex32();
    const params = { session_id: this.id, title, capability, requester, ttl, idempotency_key };
    const { task } = await this.room.host.call('start_task', params, { deadlineMs });
    const handle = this.task(task.task_id);
    handle.learn(task);
    return handle;
  }

  /** A task by its id: your own, after a restart for example, or another's. */
  task(taskId: string): TaskHandle {
    if (typeof taskId !== 'string') throw badValue('taskId', 'the id of a task', taskId);
    return this.room.tasks.handle(taskId);
  }

  /** The tasks of the session, in the order they were started; read in pages. */
  async *tasks(query: TaskQuery = {}): AsyncGenerator<Task, void, undefined> {
    checkOptions(query, TASK_QUERY);
    const { states, owner, deadlineMs } = query;
    const params = { session_id: this.id, states, owner };
    for (let after: string | null | undefined; after !== null; ) {
      const page: Result<'list_tasks'> = await this.room.host.call('list_tasks', { ...params, after }, { deadlineMs });
      yield* page.tasks;
      after = page.next;
    }
  }

  /** Invites one more, by name or id; only who opened the session may. */
  async add(participant: string, options: AddOptions = {}): Promise<AddAnswer> {
    checkOptions(options, ADD_OPTIONS);
    const { role, deadlineMs } = options;
    return this.room.host.call('add_participant', { session_id: this.id, participant, role }, { deadlineMs });
  }

  /**
   * Has another agent answer a question in a child session, within a budget if you like; answers with what came of it, also
   * if that is nothing. An aborted signal ends the wait, not the delegation.
   */
  async delegate(
    target: DelegateParams['target'],
    prompt: string,
    options: DelegateOptions = {},
  ): Promise<DelegateAnswer> {
    return delegation(this.room, target, prompt, options);
  }

  info(): Promise<Result<'get_session'>> {
    return this.room.info();
  }

  /**
   * The next envelope of this type, or for which the predicate holds. Content that nobody has taken yet is looked at first,
   * and taken: no handler gets it. Throws HubError `session_ended` or `client_closed` when there will be none.
   */
  async waitFor(wanted: string | ((envelope: Envelope) => boolean), options: WaitOptions = {}): Promise<Envelope> {
    const matches = typeof wanted === 'string' ? ({ event_type }: Envelope): boolean => event_type === wanted : wanted;
    if (typeof matches !== 'function') throw badValue('wanted', 'an event type or a function', wanted);
    checkOptions(options, WAIT_OPTIONS);
    if (this.state === null) await this.look();
    const item = await this.room.unread.wait(({ delivery }) => matches(delivery.envelope), options);
    if (item === null) throw this.endError();
    return item.delivery.envelope;
  }

  /** How the session ends, or has ended. Throws HubError `client_closed` when the client closes first. */
  async ended(options: WaitOptions = {}): Promise<SessionEnd> {
    checkOptions(options, WAIT_OPTIONS);
    if (this.state === null) await this.look();
    const end = this.room.end ?? (await this.room.ends.wait(() => true, options));
    if (end === null) throw this.endError();
    return end;
  }

  /** What others say, until the session ends or the client closes. What is taken is acked, and no handler gets it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void, undefined> {
    if (this.state === null) await this.look();
    for (;;) {
      const item = await this.room.unread.wait(isSaid);
      if (item === null) return;
      yield await this.room.messageOf(item.delivery);
    }
  }

  /** What was said, as far as it was addressed to you or came from you; read in pages. */
  async *log(options: LogOptions = {}): AsyncGenerator<Envelope, void, undefined> {
    checkOptions(options, LOG_OPTIONS);
    const { fromSeq, reverse, pageSize } = options;
    const query = { session_id: this.id, reverse, limit: pageSize };
    for (let from: number | null | undefined = fromSeq; from !== null; ) {
      const page: Result<'read_log'> = await this.room.host.call('read_log', { ...query, from_seq: from });
      yield* page.envelopes;
      from = page.next;
    }
  }

  /** The session as you see it, now or at an earlier seq: messages for a model. By default the view its type shows. */
  async view(options: ViewOptions = {}): Promise<Result<'read_view'>> {
    checkOptions(options, VIEW_OPTIONS);
    const { view, atSeq, participant, deadlineMs } = options;
    const params = { session_id: this.id, view, at_seq: atSeq, participant };
    return this.room.host.call('read_view', params, { deadlineMs });
  }

  private async post(
    content: string | Content,
    { key, expectedSeq, causationId, deadlineMs }: SendOptions,
    audience?: readonly string[],
  ): Promise<PostAnswer> {
    const said = typeof content === 'string' ? { event_type: 'msg.text', event_data: { text: content } } : content;
    const params: PostParams = {
      // Content may be an envelope of another session.
      ...said,
      session_id: this.id,
      ...(audience === undefined ? {} : { audience }),
      idempotency_key: key ?? this.room.host.ids.hex32(),
      causation_id: causationId,
      expected_seq: expectedSeq,
    };
    const answer = await this.room.host.call('post', params, { deadlineMs });
    this.room.posted(answer);
    return answer;
  }

  /** Somebody waits for a session nothing was heard of: it may have ended long ago. */
  private async look(): Promise<void> {
    const closed = this.room.host.closedError();
    if (closed !== null) throw closed;
    await this.room.info();
  }

  private endError(): HubError {
    const { end, host } = this.room;
    if (end === null) return host.closedError() ?? new HubError('session_ended', `session ${this.id} was forgotten`);
    return new HubError('session_ended', `session ${this.id} is ${end.state} (${end.reason}); nothing more will come`);
  }
}

export function isSaid({ delivery }: Unread): boolean {
  return isContent(delivery.envelope.event_type);
}

/** What the content holds is for the hub to say; here, only that it is content. */
function checkContent(content: unknown): void {
  if (typeof content === 'string' || (isObject(content) && content.event_type !== undefined)) return;
  throw badValue('content', 'text or {event_type, event_data}', content);
}
