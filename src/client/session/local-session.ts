/** Keeps a client's knowledge of one session: its state, turn, participants and unread deliveries. */

import type { PostAnswer } from '../../core/decisions/admit.ts';
import { HubError } from '../../core/lib/errors.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';
import type { Result } from '../../core/protocol/operations/operations.ts';
import { type Envelope, isContent, type Turn } from '../../core/records/session/envelope.ts';
import { isTerminal, type LifecycleState, type SessionMetadata } from '../../core/records/session/session.ts';
import type { Delivery, DeltaDraft } from '../connection/connection-types.ts';
import { Inbox } from '../lib/inbox.ts';
import { Deltas } from './deltas.ts';
import { HandlerQueue, type QueuedSession, type SessionHandlers } from './handler-queue.ts';
import { Outgoing } from './outgoing.ts';
import { Roster } from './roster.ts';
import { Message, Session, type SessionState } from './session.ts';
import type { SessionEnd, SessionHost } from './session-host.ts';
import { SessionTasks } from './task-handle.ts';

export interface UnreadDelivery {
  readonly room: LocalSession;
  readonly delivery: Delivery;
}

export interface ClientHost extends SessionHost {
  readonly unread: Inbox<UnreadDelivery>;
  handlers(): SessionHandlers;
  noticed(envelope: Envelope, session: Session): void;
  sessionEnded(sessionId: string): void;
  show(delta: DeltaDraft): void;
}

const ORDER: readonly LifecycleState[] = ['INVITED', 'ACTIVE', 'CLOSING', 'CLOSED', 'EXPIRED'];

export class LocalSession implements SessionState, QueuedSession {
  readonly id: string;
  readonly host: ClientHost;
  readonly session: Session;
  readonly roster: Roster;
  readonly outgoing: Outgoing;
  readonly tasks: SessionTasks;
  readonly deltas: Deltas;
  /** Received content that nobody has taken yet. */
  readonly unread: Inbox<UnreadDelivery>;
  readonly ends: Inbox<SessionEnd> = new Inbox(() => {});
  /** The last known state; null if none is known yet. */
  state: LifecycleState | null = null;
  end: SessionEnd | null = null;
  turn: Turn | null = null;
  /** The hub's warnings about a session that this client opened. */
  warnings: readonly string[] = [];
  /** Why the session is unavailable; null if it is available or this is unknown. */
  private unavailable: string | null = null;
  /** True once this client has received the session's metadata from the hub. */
  isKnown = false;
  private turnSeq = 0;
  /** The seq of the last envelope that changed this participant's status. */
  private standingSeq = 0;
  private isDeclined = false;
  private hasStream = false;
  /** True for the child session of our delegation: the hub asks the question, and the delegation takes the answer. */
  private isDelegated = false;
  private posting = new AbortController();
  private readonly lane: HandlerQueue;

  constructor(id: string, host: ClientHost) {
    this.id = id;
    this.host = host;
    this.session = new Session(this);
    this.roster = new Roster(async () => (await this.info()).session.participants);
    this.outgoing = new Outgoing(this);
    this.tasks = new SessionTasks(this);
    this.deltas = new Deltas(id, this.roster, (delta) => host.show(delta));
    this.unread = new Inbox(markHandled);
    this.lane = new HandlerQueue(this);
  }

  /** Aborted when this participant can no longer post. */
  get signal(): OwnSignal {
    return this.posting.signal;
  }

  get isMyTurn(): boolean {
    return this.isAvailable && this.isMineToTake;
  }

  get isAvailable(): boolean {
    return this.unavailable === null;
  }

  /** True if it is our turn, even if the session is unavailable. */
  get isMineToTake(): boolean {
    if (this.signal.aborted || this.state !== 'ACTIVE') return false;
    return this.turn === null || this.turn.agent_id === this.host.agentId;
  }

  get hasBeenRead(): boolean {
    return this.unread.isEmpty;
  }

  invited(): void {
    this.isDeclined = false;
    this.advance('INVITED');
  }

  decline(): void {
    this.isDeclined = true;
  }

  /** True if nothing is left to do, so that the session can be dropped. */
  get isOver(): boolean {
    return (this.end !== null || this.isDeclined) && this.unread.isEmpty && this.lane.isIdle;
  }

  /** Passes content to a waiter, else to the handlers, else keeps it unread. Processes everything else on arrival. */
  receive(delivery: Delivery): void {
    const { envelope } = delivery;
    this.hasStream = true;
    this.isDelegated ||= delivery.delegated;
    this.noteTurn(delivery.turn, envelope.seq);
    if (!isContent(envelope.event_type)) this.notice(envelope);
    // After `notice`: the end of the session is a better abort reason than the end of the turn.
    this.lane.turnNoted();
    if (isContent(envelope.event_type)) return this.said(delivery);
    if (!this.isDelegated && (this.lane.wants(delivery.turn) || this.lane.isHolding)) this.lane.giveTurn(delivery);
    else delivery.ack();
  }

  /** Processes a hub envelope, inside or outside the stream. */
  notice(envelope: Envelope): void {
    this.unread.announce({ room: this, delivery: { envelope, turn: null, delegated: false, ack() {}, nack() {} } });
    this.note(envelope);
    this.tasks.heard(envelope);
    this.host.noticed(envelope, this.session);
  }

  /** Offers an open turn although the stream no longer delivers the envelope that gave it. */
  async offerOpenTurn(): Promise<void> {
    await this.info();
    if (!this.isDelegated && this.lane.wants(this.turn)) this.lane.keepTurn();
  }

  /** Call when handlers were added. */
  wake(): void {
    this.lane.wake();
  }

  /** Takes the oldest unread delivery, for the handlers. */
  shift(): Delivery | undefined {
    const item = this.unread.shift();
    if (item !== undefined) this.host.unread.remove(item);
    return item?.delivery;
  }

  /** Drops unread deliveries in a range that the hub will not deliver. */
  giveUp(fromSeq: number, toSeq: number): void {
    const isGone = ({ delivery: { envelope } }: UnreadDelivery): boolean =>
      envelope.seq >= fromSeq && envelope.seq <= toSeq;
    for (const item of this.unread.those(isGone)) {
      this.unread.remove(item);
      this.host.unread.remove(item);
      // Later envelopes carry the turn that this one gave.
      item.delivery.ack();
    }
  }

  async messageOf({ envelope, turn }: Delivery): Promise<Message> {
    const from = await this.roster.nameOf(envelope.sender_id);
    return new Message(this.session, envelope, from, turn, this.signal);
  }

  posted({ seq, turn }: PostAnswer): void {
    this.noteTurn(turn, seq);
    this.lane.turnNoted();
    if (!this.isDelegated && this.lane.wants(turn)) this.lane.keepTurn();
  }

  async info(): Promise<Result<'get_session'>> {
    const result = await this.host.call('get_session', { session_id: this.id });
    this.know(result.session);
    this.unavailable = result.unavailable;
    this.noteTurn(result.turn, result.session.head_seq);
    this.lane.turnNoted();
    return result;
  }

  know(metadata: SessionMetadata): void {
    this.isKnown = true;
    this.roster.learn(metadata.participants);
    const { state, close_reason: reason } = metadata;
    this.advance(state);
    // While a stream exists, it delivers the end after all content.
    if ((state === 'CLOSED' || state === 'EXPIRED') && !this.hasStream) this.finish({ state, reason });
    else this.knowOwn(metadata);
  }

  /** Learns our own status: envelopes acked by another process are not redelivered, so only metadata may have it. */
  private knowOwn({ participants, head_seq }: SessionMetadata): void {
    const status = participants.find(({ agent_id }) => agent_id === this.host.agentId)?.status;
    if (head_seq < this.standingSeq) return;
    if (status === 'removed' && !this.hasStream) this.finish({ state: 'REMOVED', reason: null });
    if (status === 'hidden') this.stopPosting(`you are hidden in session ${this.id}`);
  }

  /** Never moves the state back, because an answer may be older than the stream. */
  advance(state: LifecycleState): void {
    if (this.state === null || ORDER.indexOf(state) > ORDER.indexOf(this.state)) this.state = state;
    if (isTerminal(state) || state === 'CLOSING') this.stopPosting(`session ${this.id} is ${state}`);
  }

  /** Discards the state: history was rewritten and is delivered again from the start. */
  forget(): void {
    this.state = null;
    this.end = null;
    this.turn = null;
    this.turnSeq = 0;
    this.standingSeq = 0;
    this.hasStream = false;
    this.isKnown = false;
    this.unavailable = null;
    this.posting = new AbortController();
    this.lane.forget();
    while (this.shift() !== undefined);
    this.unread.reopen();
  }

  /** The client closed: wakes waiters. Unread content is delivered again to the next client. */
  shut(why: HubError): void {
    this.posting.abort(why);
    while (this.shift() !== undefined);
    this.unread.close();
    this.ends.close();
  }

  private said(delivery: Delivery): void {
    this.advance('ACTIVE');
    const item: UnreadDelivery = { room: this, delivery };
    if (this.unread.offer(item)) return;
    if (this.isDelegated) return delivery.ack();
    if (this.host.unread.offer(item)) return;
    this.unread.put(item);
    this.host.unread.put(item);
    this.lane.wake();
  }

  private note({ event_type, event_data, seq }: Envelope): void {
    const { agent_id, name } = event_data;
    const reason = typeof event_data.reason === 'string' ? event_data.reason : null;
    const isMe = agent_id === this.host.agentId;
    if (isMe) this.standingSeq = seq;
    switch (event_type) {
      case 'session.opened':
        return this.advance('ACTIVE');
      case 'session.available':
        this.unavailable = null;
        return this.lane.offerAgain();
      case 'session.closing':
        return this.advance('CLOSING');
      case 'session.closed':
        return this.finish({ state: 'CLOSED', reason });
      case 'session.expired':
        return this.finish({ state: 'EXPIRED', reason });
      case 'session.participant.joined':
        if (typeof agent_id === 'string' && typeof name === 'string') this.roster.learn([{ agent_id, name }]);
        return;
      case 'session.participant.hidden':
        if (isMe) this.stopPosting(`you were hidden in session ${this.id}`);
        return;
      case 'session.participant.returned':
        if (isMe) this.posting = new AbortController();
        return;
      case 'session.participant.removed':
        if (isMe) this.finish({ state: 'REMOVED', reason });
    }
  }

  private finish(end: SessionEnd): void {
    if (this.end !== null) return;
    this.end = end;
    if (end.state !== 'REMOVED') this.advance(end.state);
    this.stopPosting(`session ${this.id} is ${end.state} (${end.reason})`);
    this.unread.close();
    this.ends.announce(end);
    this.host.sessionEnded(this.id);
  }

  /** Keeps the turn with the highest seq: an answer may overtake deliveries, and repeats arrive late. */
  private noteTurn(turn: Turn | null, seq: number): void {
    if (seq < this.turnSeq) return;
    this.turn = turn;
    this.turnSeq = seq;
  }

  private stopPosting(why: string): void {
    if (!this.signal.aborted) this.posting.abort(new HubError('cannot_post', why));
    this.lane.letGo();
  }
}

/** Acks and removes an item that a waiter took. */
export function markHandled(item: UnreadDelivery): void {
  item.room.unread.remove(item);
  item.room.host.unread.remove(item);
  item.delivery.ack();
}
