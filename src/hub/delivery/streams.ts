/** Delivers to all bound agents: one pump per binding and session, woken by durable entries and receipts. */

import { finishDraining } from '../../core/decisions/end-session.ts';
import { asError } from '../../core/lib/errors.ts';
import { encodeNotify } from '../../core/protocol/frames/frame-codec.ts';
import type { ReceiptFrame } from '../../core/protocol/frames/frames.ts';
import { membershipEnd } from '../../core/records/session/delivery.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import type { Entry, Head } from '../../core/records/session/unit.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { Binding } from '../bindings/binding.ts';
import type { LiveIndex } from '../sessions/live-index.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Progress } from './cursors.ts';
import type { CatchUpSession } from './owed-deliveries.ts';
import { Pump, type PumpNeeds, type PumpTarget } from './pump.ts';

/** Finished streams kept per recipient; each costs a few hundred bytes. */
const FINISHED_KEPT = 256;

export type StreamsNeeds = PumpNeeds & {
  readonly index: Pick<LiveIndex, 'closing'>;
  readonly sessions: Sessions;
};

export class Streams {
  private readonly needs: StreamsNeeds;
  private readonly recipients = new Map<string, Recipient>();

  constructor(needs: StreamsNeeds) {
    this.needs = needs;
  }

  /** Starts recording what becomes durable for the agent; sends nothing before the recipient is ready. */
  open(binding: Binding): void {
    this.recipients.set(binding.agentId, new Recipient(binding));
  }

  close(binding: Binding): void {
    const recipient = this.of(binding);
    if (recipient === undefined) return;
    for (const pump of recipient.pumps.values()) pump.stop();
    this.recipients.delete(binding.agentId);
  }

  of(binding: Binding): Recipient | undefined {
    const recipient = this.recipients.get(binding.agentId);
    return recipient?.binding === binding ? recipient : undefined;
  }

  all(): Iterable<Recipient> {
    return this.recipients.values();
  }

  /** The recipient, if it is bound and caught up. */
  readyFor(agentId: string): Recipient | undefined {
    const recipient = this.recipients.get(agentId);
    return recipient?.ready === true ? recipient : undefined;
  }

  /** Delivers newly durable entries to every participant allowed to receive them. */
  publish(entries: readonly Entry[], after: SessionState, epoch: number): void {
    const { inboxes } = this.needs;
    inboxes.unstage(entries);
    for (const { agent_id, status } of after.metadata.participants) {
      inboxes.published(agent_id, entries, after.head);
      const recipient = this.recipients.get(agent_id);
      if (recipient === undefined) continue;
      if (!recipient.ready) {
        recipient.changedWhileLoading.set(after.head.session_id, { head: after.head, epoch });
        continue;
      }
      if (status !== 'invited' && recipient.invites.size > 0) recipient.invites.delete(after.head.session_id);
      const end = membershipEnd(after.head, agent_id);
      if (end > 0) this.wake(recipient, after.head, epoch, end, entries);
      else if (status === 'invited') this.notifyInvitee(recipient, entries, after, epoch);
    }
  }

  /** True if the participant is not bound, or has acked everything up to `seq`. */
  hasAcked(agentId: string, sessionId: string, seq: number): boolean {
    const recipient = this.recipients.get(agentId);
    return recipient === undefined || (recipient.pumps.get(sessionId)?.hasAcked(seq) ?? false);
  }

  /** True if the participant has a stream and has not acked everything up to `seq`. */
  isBehind(agentId: string, sessionId: string, seq: number): boolean {
    return this.recipients.get(agentId)?.pumps.get(sessionId)?.hasAcked(seq) === false;
  }

  /** Handles a receipt; false if the envelope was not sent on this binding. */
  receive(binding: Binding, receipt: ReceiptFrame): boolean {
    const { session_id, seq, status, reason } = receipt;
    const recipient = this.of(binding);
    const pump = recipient?.pumps.get(session_id);
    if (recipient === undefined || pump === undefined || !pump.receive(status, seq, reason ?? 'nacked')) return false;
    const closing = this.needs.index.closing(session_id);
    if (closing !== undefined) void this.checkDrained(closing);
    else if (pump.isDone && !recipient.finished.has(session_id)) this.retire(recipient, pump);
    return true;
  }

  /** Ends CLOSING once all bound participants have acked the closing. If the write fails, the drain timeout retries. */
  async checkDrained({ state, closing_seq, members, session_id }: Head): Promise<void> {
    if (state !== 'CLOSING' || closing_seq === null) return;
    const isJoined = (status: string): boolean => status === 'active' || status === 'hidden';
    for (const [agentId, status] of Object.entries(members)) {
      if (isJoined(status) && !this.hasAcked(agentId, session_id, closing_seq)) return;
    }
    try {
      await this.needs.sessions.use(session_id, (session) => session.decide(finishDraining));
    } catch (thrown) {
      this.needs.log.warn('a drained session could not be closed', { session_id, error: asError(thrown).message });
    }
  }

  /** Wakes the pump of one stream, creating it first if needed. */
  wakeAt(recipient: Recipient, progress: Progress, head: Head, end: number): void {
    const known = recipient.pumps.get(head.session_id);
    const pump = known ?? new Pump(this.needs, recipient, progress, head);
    if (known === undefined) recipient.pumps.set(head.session_id, pump);
    pump.wake(head, end);
  }

  /** Marks the session's end as delivered: an agent that never joined has no stream in which to ack it. */
  finishEnd(agentId: string, head: Head, epoch: number): void {
    const { cursors } = this.needs;
    cursors.getOrStart(agentId, head.session_id, epoch).seq = head.seq;
    cursors.retire(agentId, head.session_id);
  }

  sendOutside(recipient: Recipient, { envelope }: Entry, epoch: number): void {
    if (envelope.event_type === 'session.invite') recipient.invites.add(envelope.session_id);
    const frame = { recipient_id: recipient.agentId, epoch, prev_seq: null, turn: null };
    recipient.send(encodeNotify(frame, JSON.stringify(envelope)));
  }

  private wake(recipient: Recipient, head: Head, epoch: number, end: number, entries: readonly Entry[]): void {
    const pump = recipient.pumps.get(head.session_id);
    if (pump?.epoch === epoch) return pump.wake(head, end, entries);
    const progress = this.needs.cursors.getOrStart(recipient.agentId, head.session_id, epoch);
    this.wakeAt(recipient, progress, head, end);
  }

  /** Invites, and ends of sessions the invitee never joined, are outside the stream: no prev_seq, no receipt. */
  private notifyInvitee(recipient: Recipient, entries: readonly Entry[], after: SessionState, epoch: number): void {
    const ended = isTerminal(after.metadata.state);
    for (const { envelope } of entries) {
      const invite = envelope.event_type === 'session.invite' && envelope.audience?.includes(recipient.agentId);
      const end = ended && envelope.seq === after.metadata.head_seq;
      if (invite !== true && !end) continue;
      this.sendOutside(recipient, { envelope, turn: null }, epoch);
      if (!end) continue;
      recipient.invites.delete(after.head.session_id);
      this.finishEnd(recipient.agentId, after.head, epoch);
    }
  }

  /** Stops the pump of a finished stream. The newest few are kept for late receipts such as `seen`. */
  private retire(recipient: Recipient, pump: Pump): void {
    pump.stop();
    this.needs.cursors.retire(recipient.agentId, pump.sessionId);
    recipient.finished.add(pump.sessionId);
    for (const oldest of recipient.finished) {
      if (recipient.finished.size <= FINISHED_KEPT) return;
      recipient.finished.delete(oldest);
      recipient.pumps.delete(oldest);
    }
  }
}

export class Recipient implements PumpTarget {
  readonly binding: Binding;
  readonly pumps: Map<string, Pump> = new Map();
  /** Sessions with an invite sent on this binding and not yet answered. */
  readonly invites: Set<string> = new Set();
  /** Ended and fully acked sessions, oldest first. */
  readonly finished: Set<string> = new Set();
  /** True once the cursors are loaded; until then nothing is delivered. */
  ready = false;
  /** Newest heads of sessions that changed before `ready`: the session lists being read may lack them. */
  readonly changedWhileLoading: Map<string, CatchUpSession> = new Map();

  constructor(binding: Binding) {
    this.binding = binding;
  }

  get agentId(): string {
    return this.binding.agentId;
  }

  get number(): number {
    return this.binding.number;
  }

  get isBackpressured(): boolean {
    return this.binding.isBackpressured;
  }

  get unacked(): number {
    let count = 0;
    for (const pump of this.pumps.values()) count += pump.unacked;
    return count;
  }

  send(text: string): void {
    this.binding.send(text);
  }

  resumeSending(): void {
    for (const pump of this.pumps.values()) pump.resumeSending();
  }

  oldestStream(): Pump | null {
    let oldest: Pump | null = null;
    for (const pump of this.pumps.values()) {
      if (pump.oldest !== null && (oldest?.oldest == null || pump.oldest < oldest.oldest)) oldest = pump;
    }
    return oldest;
  }
}
