/**
 * Defines the session handle (send, wait, read, close) and the messages and turns that handlers receive. LocalSession
 * (local-session.ts) keeps the client's knowledge and implements `SessionState`; handler-queue.ts runs handlers,
 * outgoing.ts posts. Invariants: handlers of a session run one at a time and in order; each turn is offered once;
 * sends are admitted in the order of the calls.
 */

import type { AddAnswer } from '../../core/decisions/add-participant.ts';
import type { PostAnswer } from '../../core/decisions/admit.ts';
import type { EndAnswer } from '../../core/decisions/end-session.ts';
import type { InviteAnswer } from '../../core/decisions/membership.ts';
import type { FailureAnswer, ProgressAnswer } from '../../core/decisions/progress.ts';
import { HubError } from '../../core/lib/errors.ts';
import { invalidValueError } from '../../core/lib/json.ts';
import { renderText } from '../../core/ports/adapter.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import type { RedactAnswer } from '../../core/protocol/operations/sessions.ts';
import { type Envelope, isContent, type Turn } from '../../core/records/session/envelope.ts';
import type { LifecycleState } from '../../core/records/session/session.ts';
import type { DelegateAnswer, DelegateParams } from '../../core/records/work/delegation.ts';
import type { Task } from '../../core/records/work/tasks.ts';
import type { Delivery } from '../connection/connection-types.ts';
import { CALL_OPTIONS, type CallOptions } from '../connection/requests.ts';
import { type Inbox, WAIT_OPTIONS, type WaitOptions } from '../lib/inbox.ts';
import { checkOptions } from '../lib/option-checks.ts';
import { pages } from '../lib/pages.ts';
import { unlessAborted } from '../lib/unless-aborted.ts';
import type { DeltaOptions, Deltas } from './deltas.ts';
import type { Outgoing } from './outgoing.ts';
import type { HostedSession, SessionEnd } from './session-host.ts';
import {
  ADD_OPTIONS,
  type AddOptions,
  CLOSE_OPTIONS,
  type CloseOptions,
  type Content,
  DELEGATE_OPTIONS,
  type DelegateOptions,
  LOG_OPTIONS,
  type LogOptions,
  OPERATOR_OPTIONS,
  type OperatorOptions,
  type SendOptions,
  START_TASK_OPTIONS,
  type StartTaskOptions,
  TASK_QUERY,
  type TaskQuery,
  VIEW_OPTIONS,
  type ViewOptions,
} from './session-options.ts';
import type { SessionTasks, TaskHandle } from './task-handle.ts';

export interface SessionState extends HostedSession {
  readonly state: LifecycleState | null;
  readonly end: SessionEnd | null;
  readonly turn: Turn | null;
  readonly isMyTurn: boolean;
  readonly warnings: readonly string[];
  readonly outgoing: Outgoing;
  readonly deltas: Deltas;
  readonly tasks: SessionTasks;
  readonly unread: Pick<Inbox<{ readonly delivery: Delivery }>, 'wait'>;
  readonly ends: Pick<Inbox<SessionEnd>, 'wait'>;
  info(): Promise<Result<'get_session'>>;
  advance(state: LifecycleState): void;
  messageOf(delivery: Delivery): Promise<Message>;
}

export class Session implements AsyncIterable<Message> {
  private readonly local: SessionState;

  constructor(local: SessionState) {
    this.local = local;
  }

  get id(): string {
    return this.local.id;
  }

  /** The last known state; null if none is known yet. */
  get state(): LifecycleState | null {
    return this.local.state;
  }

  /** The last known turn; null if no participant in particular holds it. */
  get turn(): Turn | null {
    return this.local.turn;
  }

  /** True if the newest turn is yours, or nobody in particular is expected. */
  get isMyTurn(): boolean {
    return this.local.isMyTurn;
  }

  /** Warnings about a session you opened, for example rules that can never apply. */
  get warnings(): readonly string[] {
    return this.local.warnings;
  }

  /** Posts text or other content. The hub admits sends of one session in the order of the calls. */
  async send(content: string | Content, options: SendOptions = {}): Promise<PostAnswer> {
    return this.local.outgoing.send(content, options);
  }

  /**
   * Shows part of a text to its recipients before you send it with the same `causationId`. Best effort; never stored.
   */
  delta(text: string, options: DeltaOptions): Promise<void> {
    return this.local.deltas.show(text, options);
  }

  /** Whether the hub would accept your message now, and if not, why. */
  canSend(eventType?: string): Promise<Result<'can_send'>> {
    return this.local.host.call('can_send', { session_id: this.id, event_type: eventType });
  }

  async close(reason?: string, options: CloseOptions = {}): Promise<EndAnswer> {
    checkOptions(options, CLOSE_OPTIONS);
    const { wait, deadlineMs } = options;
    const answer = await this.local.host.call('close_session', { session_id: this.id, reason, wait }, { deadlineMs });
    this.local.advance(answer.state);
    return answer;
  }

  /** Leaves permanently. The session continues unless too few participants are left. */
  async leave(): Promise<InviteAnswer> {
    return this.local.host.call('leave_session', { session_id: this.id });
  }

  /** Returns to your place after the session continued without you. */
  async comeBack(): Promise<InviteAnswer> {
    return this.local.host.call('return_to_session', { session_id: this.id });
  }

  /** Takes an active participant out of the rotation; it can still read. Requires the grant `operate`. */
  async hide(participant: string, options: OperatorOptions = {}): Promise<InviteAnswer> {
    const { reason, call } = operatorOptions(options);
    return this.local.host.call('hide_participant', { session_id: this.id, participant, reason }, call);
  }

  /** Returns a hidden participant to its place. Requires the grant `operate`. */
  async bringBack(participant: string, options: CallOptions = {}): Promise<InviteAnswer> {
    checkOptions(options, CALL_OPTIONS);
    // Without a participant, the hub would return the caller.
    if (typeof participant !== 'string') throw invalidValueError('participant', 'a name or an id', participant);
    return this.local.host.call('return_to_session', { session_id: this.id, participant }, options);
  }

  /** Permanently removes a participant. Requires the grant `operate`. */
  async remove(participant: string, options: OperatorOptions = {}): Promise<InviteAnswer> {
    const { reason, call } = operatorOptions(options);
    return this.local.host.call('remove_participant', { session_id: this.id, participant, reason }, call);
  }

  /** Permanently redacts an envelope for everybody. Requires the grant `operate`. */
  async redact(seq: number, options: OperatorOptions = {}): Promise<RedactAnswer> {
    const { reason, call } = operatorOptions(options);
    return this.local.host.call('redact', { session_id: this.id, seq, reason }, call);
  }

  /**
   * Reports that you are working on your turn, which extends it. Logged at most every 10 s, or twice within a shorter
   * `turn_within`.
   */
  async progress(note?: string): Promise<ProgressAnswer> {
    return this.local.host.call('report_progress', { session_id: this.id, note });
  }

  /** Reports that you cannot take your turn: expectations with `on_failure` fire immediately. */
  async failTurn(reason: string): Promise<FailureAnswer> {
    return this.local.host.call('report_turn_failure', { session_id: this.id, reason });
  }

  /** Starts a task. It lasts until you end it, it expires or the session closes. */
  async startTask(title: string, options: StartTaskOptions = {}): Promise<TaskHandle> {
    checkOptions(options, START_TASK_OPTIONS);
    const { capability, requester, ttl, key, deadlineMs } = options;
    const idempotency_key = key ?? this.local.host.ids.hex32();
    const params = { session_id: this.id, title, capability, requester, ttl, idempotency_key };
    const { task } = await this.local.host.call('start_task', params, { deadlineMs });
    const handle = this.task(task.task_id);
    handle.learn(task);
    return handle;
  }

  /** The handle of any task by its id, for example after a restart. */
  task(taskId: string): TaskHandle {
    if (typeof taskId !== 'string') throw invalidValueError('taskId', 'the id of a task', taskId);
    return this.local.tasks.handle(taskId);
  }

  /** The tasks of the session, oldest first; read in pages. */
  async *tasks(query: TaskQuery = {}): AsyncGenerator<Task, void, undefined> {
    checkOptions(query, TASK_QUERY);
    const { states, owner, deadlineMs } = query;
    const read = (after?: string) =>
      this.local.host.call('list_tasks', { session_id: this.id, states, owner, after }, { deadlineMs });
    for await (const { tasks } of pages(read)) yield* tasks;
  }

  /** Invites another participant, by name or id; only the creator may do this. */
  async add(participant: string, options: AddOptions = {}): Promise<AddAnswer> {
    checkOptions(options, ADD_OPTIONS);
    const { role, deadlineMs } = options;
    return this.local.host.call('add_participant', { session_id: this.id, participant, role }, { deadlineMs });
  }

  /**
   * Asks another agent a question in a child session, optionally within a budget. Resolves with the outcome, even if
   * there is no answer. An aborted signal ends the wait, not the delegation.
   */
  async delegate(
    target: DelegateParams['target'],
    prompt: string,
    options: DelegateOptions = {},
  ): Promise<DelegateAnswer> {
    checkOptions(options, DELEGATE_OPTIONS);
    const { host } = this.local;
    const { budget, timeout, wait, key = host.ids.hex32(), deadlineMs, signal } = options;
    if (signal?.aborted === true) throw signal.reason;
    const params = { session_id: this.id, target, prompt, budget, timeout, wait, idempotency_key: key };
    return unlessAborted(host.call('delegate', params, { deadlineMs }), signal);
  }

  info(): Promise<Result<'get_session'>> {
    return this.local.info();
  }

  /**
   * Waits for the next envelope of this type, or matching the predicate. Takes unread content first, which then reaches
   * no handler. Throws HubError `session_ended` or `client_closed` if no match can arrive.
   */
  async waitFor(wanted: string | ((envelope: Envelope) => boolean), options: WaitOptions = {}): Promise<Envelope> {
    const matches = typeof wanted === 'string' ? ({ event_type }: Envelope): boolean => event_type === wanted : wanted;
    if (typeof matches !== 'function') throw invalidValueError('wanted', 'an event type or a function', wanted);
    checkOptions(options, WAIT_OPTIONS);
    if (this.state === null) await this.look();
    const item = await this.local.unread.wait(({ delivery }) => matches(delivery.envelope), options);
    if (item === null) throw this.endError();
    return item.delivery.envelope;
  }

  /** Resolves with how the session ends or ended. Throws HubError `client_closed` if the client closes first. */
  async ended(options: WaitOptions = {}): Promise<SessionEnd> {
    checkOptions(options, WAIT_OPTIONS);
    if (this.state === null) await this.look();
    const end = this.local.end ?? (await this.local.ends.wait(() => true, options));
    if (end === null) throw this.endError();
    return end;
  }

  /** Messages of others, until the session ends or the client closes. Taken messages are acked and reach no handler. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void, undefined> {
    if (this.state === null) await this.look();
    for (;;) {
      const item = await this.local.unread.wait(isContentDelivery);
      if (item === null) return;
      yield await this.local.messageOf(item.delivery);
    }
  }

  /** The envelopes you sent or received; read in pages. */
  async *log(options: LogOptions = {}): AsyncGenerator<Envelope, void, undefined> {
    checkOptions(options, LOG_OPTIONS);
    const { fromSeq, reverse, pageSize } = options;
    const query = { session_id: this.id, reverse, limit: pageSize };
    const read = (from = fromSeq) => this.local.host.call('read_log', { ...query, from_seq: from });
    for await (const { envelopes } of pages(read)) yield* envelopes;
  }

  /** The session as you see it, now or at an earlier seq, as messages for a model (default view: that of the type). */
  async view(options: ViewOptions = {}): Promise<Result<'read_view'>> {
    checkOptions(options, VIEW_OPTIONS);
    const { view, atSeq, participant, deadlineMs } = options;
    const params = { session_id: this.id, view, at_seq: atSeq, participant };
    return this.local.host.call('read_view', params, { deadlineMs });
  }

  /** Loads an unknown session before a wait: it may have ended already. */
  private async look(): Promise<void> {
    const closed = this.local.host.closedError();
    if (closed !== null) throw closed;
    await this.local.info();
  }

  private endError(): HubError {
    const { end, host } = this.local;
    if (end === null) return host.closedError() ?? new HubError('session_ended', `session ${this.id} was forgotten`);
    return new HubError('session_ended', `session ${this.id} is ${end.state} (${end.reason})`);
  }
}

function operatorOptions(options: OperatorOptions): Pick<OperatorOptions, 'reason'> & { readonly call: CallOptions } {
  checkOptions(options, OPERATOR_OPTIONS);
  const { reason, deadlineMs } = options;
  return { reason, call: { deadlineMs } };
}

export class Message {
  readonly session: Session;
  readonly envelope: Envelope;
  /** The sender's name. */
  readonly from: string;
  /** The turn after this message. */
  readonly turn: Turn | null;
  /**
   * Aborted when you can no longer post: the session closes, you are hidden or removed, or the client closes.
   */
  readonly signal: OwnSignal;

  constructor(session: Session, envelope: Envelope, from: string, turn: Turn | null, signal: OwnSignal) {
    this.session = session;
    this.envelope = envelope;
    this.from = from;
    this.turn = turn;
    this.signal = signal;
  }

  /** The message as text: a packet as a readable line; other types as type and JSON. */
  get text(): string {
    return renderText(this.envelope);
  }

  /** True if the newest turn is yours, or nobody in particular is expected. */
  get isMyTurn(): boolean {
    return this.session.isMyTurn;
  }

  /** Posts to everyone in the session, with this message as the cause. */
  reply(content: string | Content, options: SendOptions = {}): Promise<PostAnswer> {
    return this.session.send(content, { causationId: this.envelope.envelope_id, ...options });
  }

  /** Shows part of the reply before you send it. Best effort. */
  delta(text: string, options: Omit<DeltaOptions, 'causationId'> = {}): Promise<void> {
    return this.session.delta(text, { causationId: this.envelope.envelope_id, ...options });
  }
}

/** The turn, as `onTurn` receives it. */
export interface TurnOffer {
  /** The last message before the turn; null if there was none. */
  readonly message: Message | null;
  /** Aborted when the turn is over or you can no longer post. */
  readonly signal: OwnSignal;
}

/**
 * Called for each message, one at a time and in order within a session; sessions run concurrently. The message is acked
 * when the handler is done. If it throws, the hub redelivers the message later, at most five times, unless
 * `message.signal` was aborted.
 */
export type MessageHandler = (message: Message, session: Session) => unknown;

/**
 * Called when it is your turn and `onMessage` has handled every message: once per turn, or once per message if
 * nobody in particular is expected. If it throws, the hub redelivers the envelope that gave the turn.
 */
export type TurnHandler = (turn: TurnOffer, session: Session) => unknown;

export function isContentDelivery({ delivery }: { readonly delivery: Delivery }): boolean {
  return isContent(delivery.envelope.event_type);
}
