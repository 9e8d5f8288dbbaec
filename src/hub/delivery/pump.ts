/**
 * One pump per (binding, session): sends deliverable envelopes in seq order, from the cursor to the durable head. Each envelope is
 * examined once: sent, reported as a gap, or withheld, which counts as acked.
 */

import { encodeFrame, encodeNotify } from '../../core/protocol/frames/frame-codec.ts';
import type { GapReason } from '../../core/protocol/frames/frames.ts';
import { isDeliverable, isPastTtl } from '../../core/records/session/delivery.ts';
import { type Envelope, HUB_ID } from '../../core/records/session/envelope.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import { type Entry, givesTurn, type Head } from '../../core/records/session/unit.ts';
import { DELEGATION_LABEL } from '../../core/records/work/delegation.ts';
import type { Access } from '../access/access.ts';
import type { Binding } from '../bindings/binding.ts';
import type { Ground } from '../log/ground.ts';
import type { Redactions } from '../sessions/redactions.ts';
import { AckWindow, type AckWindowNeeds, type Flight } from './ack-window.ts';
import type { Progress } from './cursors.ts';
import { type EnvelopeTexts, LogReader, type LogReaderNeeds, type LogStream } from './log-reader.ts';

export type PumpNeeds = Ground &
  LogReaderNeeds &
  AckWindowNeeds & {
    readonly redactions: Redactions;
    readonly access: Access;
    readonly texts: EnvelopeTexts;
  };

export interface PumpTarget extends Pick<Binding, 'agentId' | 'number' | 'isBackpressured' | 'send'> {
  /** The stream with the oldest flight that may be dropped, or null. */
  oldestStream(): Pump | null;
}

export class Pump implements LogStream {
  readonly sessionId: string;
  readonly epoch: number;
  readonly purpose = 'delivery';
  private readonly needs: PumpNeeds;
  private readonly target: PumpTarget;
  private readonly progress: Progress;
  private readonly isDelegated: boolean;
  private readonly reader: LogReader;
  private readonly window: AckWindow;
  private readonly start: number;
  /** The last seq examined on this binding. */
  private scanned: number;
  /** The last seq sent or reported as a gap: the `prev_seq` of the next envelope. */
  private previous: number;
  private headSeq = 0;
  private ended = false;
  private end: number = Number.POSITIVE_INFINITY;
  private asking: number | null = null;

  constructor(
    needs: PumpNeeds,
    target: PumpTarget,
    progress: Progress,
    { labels, creator_id }: Pick<Head, 'labels' | 'creator_id'>,
  ) {
    this.needs = needs;
    this.target = target;
    this.progress = progress;
    this.isDelegated = labels[DELEGATION_LABEL] !== undefined && creator_id === target.agentId;
    this.sessionId = progress.session_id;
    this.epoch = progress.epoch;
    this.start = progress.seq;
    this.scanned = progress.seq;
    this.previous = progress.seq;
    this.reader = new LogReader(needs, this);
    this.window = new AckWindow(needs, progress);
  }

  /** Called on new entries or a membership change. `entries` just became durable. */
  wake({ seq, state }: Pick<Head, 'seq' | 'state'>, end: number, entries: readonly Entry[] = []): void {
    this.headSeq = Math.max(this.headSeq, seq);
    this.ended ||= isTerminal(state);
    this.end = end;
    this.reader.wake(entries);
  }

  resumeSending(): void {
    this.reader.run();
  }

  stop(): void {
    this.reader.stop();
    this.window.stop();
  }

  /** True if every deliverable envelope up to `seq` is acked. */
  hasAcked(seq: number): boolean {
    if (this.asking !== null && this.asking <= seq) return false;
    return this.window.first > seq && this.scanned >= Math.min(seq, this.end);
  }

  /** Number of deliveries that await a receipt, excluding those that await a retry. */
  get unacked(): number {
    return this.window.unacked;
  }

  /** True if the session has ended and all its deliveries are acked. */
  get isDone(): boolean {
    return this.ended && this.window.size === 0 && !this.reader.isBusy && this.scanned >= this.lastSeq;
  }

  /** The envelope id of the oldest flight that may be dropped, or null. */
  get oldest(): string | null {
    const seq = this.window.oldestDroppable;
    return seq === null ? null : (this.window.get(seq)?.envelopeId ?? null);
  }

  /** Handles a receipt; false if the envelope was not sent on this binding. */
  receive(status: 'ack' | 'nack' | 'seen', seq: number, reason: string): boolean {
    const { events } = this.needs;
    const isGap = this.window.hasGap(seq);
    const isOpen = isGap || this.window.get(seq) !== undefined;
    if (seq > this.scanned || (!isOpen && !this.window.wasAcked(seq))) return false;
    if (status === 'seen') {
      events.emit('deliverySeen', { ...this.stream(), seq });
    } else if (!isOpen || (status === 'nack' && isGap)) {
      return true;
    } else if (status === 'ack') {
      this.window.finish(seq, this.scanned);
      if (events.hasListeners('deliveryAcked')) events.emit('deliveryAcked', { ...this.stream(), seq });
      this.reader.run();
    } else {
      this.retryLater(seq, reason);
    }
    return true;
  }

  // LogStream members, called by the reader.

  get nextSeq(): number {
    return this.scanned + 1;
  }

  get lastSeq(): number {
    return Math.min(this.headSeq, this.end);
  }

  /** Checked before every send, because a send may close the connection and stop this pump. */
  get canTake(): boolean {
    return !this.reader.isStopped && this.window.size < this.needs.limits.window && !this.target.isBackpressured;
  }

  get retryKey(): string {
    return `${this.target.agentId}\n${this.sessionId}\nread`;
  }

  caughtUp(): void {}

  damaged(fromSeq: number): void {
    this.end = Math.min(this.end, fromSeq - 1);
  }

  take(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const { envelope } = entry;
      if (envelope.seq > this.lastSeq || !this.canTake) return;
      this.scanned = envelope.seq;
      if (!isDeliverable(envelope, this.target.agentId, this.end)) continue;
      if (this.progress.beyond.has(envelope.seq)) {
        this.window.advance(this.scanned);
        continue;
      }
      const denial = this.denialOf(envelope);
      if (denial instanceof Promise) return this.deliverAfter(denial, entry);
      if (denial === null) this.deliver(entry);
      else this.withhold(envelope);
    }
  }

  /** Why the envelope must be withheld, or null. A denial on arrival is final. */
  private denialOf(envelope: Envelope): string | null | Promise<string | null> {
    const { access, inboxes } = this.needs;
    if (inboxes.skipped.denied.has(this.target.agentId, envelope)) return 'denied on arrival';
    return access.deliveryDenied(envelope, this.target.agentId);
  }

  private withhold(envelope: Envelope): void {
    this.needs.inboxes.acked(this.target.agentId, envelope);
    this.window.pass(envelope.seq, this.scanned);
  }

  /** Waits for the arbiter; no later envelope overtakes this one. */
  private deliverAfter(denial: Promise<string | null>, entry: Entry): void {
    this.reader.pause();
    this.asking = entry.envelope.seq;
    void denial.then((reason) => {
      this.reader.resume();
      this.asking = null;
      if (this.reader.isStopped) return;
      if (reason === null) this.deliver(entry);
      else this.withhold(entry.envelope);
      this.reader.run();
    });
  }

  private deliver(entry: Entry): void {
    const { agentId } = this.target;
    const { envelope } = entry;
    const { envelope_id, seq, sender_id } = envelope;
    if (isPastTtl(envelope, this.needs.clock.now())) return this.skip(envelope, 'expired');
    const gone = this.needs.inboxes.skipped.whyGone(agentId, envelope);
    if (gone !== null) return this.skip(envelope, gone);
    // Never drop hub envelopes or an envelope that gives the turn.
    const mayDrop = sender_id !== HUB_ID && !givesTurn(entry, agentId);
    if (mayDrop && !this.hasRoomFor(envelope_id)) return this.skip(envelope, 'overflow');
    this.send(entry, { envelopeId: envelope_id, senderId: sender_id, mayDrop, attempt: 1, prevSeq: this.previous });
    this.previous = seq;
  }

  /** Drops the oldest deliveries of any session to make room; false if none is older than this envelope. */
  private hasRoomFor(envelopeId: string): boolean {
    while (this.needs.inboxes.overflows(this.target.agentId)) {
      const stream = this.target.oldestStream();
      if (stream === null || (stream.oldest ?? '') > envelopeId) return false;
      stream.dropOldest();
    }
    return true;
  }

  private dropOldest(): void {
    const seq = this.window.oldestDroppable;
    if (seq === null) return;
    this.window.drop(seq);
    this.sendGap(seq, 'overflow');
  }

  private send(entry: Entry, flight: Flight): void {
    const { envelope, turn } = this.needs.redactions.shown(entry);
    const { attempt, prevSeq } = flight;
    this.window.sent(envelope.seq, flight);
    const frame = {
      recipient_id: this.target.agentId,
      epoch: this.epoch,
      prev_seq: prevSeq,
      turn,
      attempt: attempt > 1 ? attempt : undefined,
      starts: prevSeq > 0 && prevSeq === this.start ? (true as const) : undefined,
      delegated: this.isDelegated ? (true as const) : undefined,
    };
    this.needs.meter.delivered += 1;
    this.target.send(encodeNotify(frame, this.needs.texts.of(envelope)));
  }

  /** Reports the envelope as a gap, so the recipient knows exactly what it misses. */
  private skip(envelope: Envelope, reason: GapReason): void {
    const { seq } = envelope;
    this.needs.inboxes.markGone(this.target.agentId, envelope, reason);
    this.sendGap(seq, reason);
    this.previous = seq;
    this.window.addGap(seq);
  }

  private sendGap(seq: number, reason: GapReason): void {
    const { session_id, agent_id: recipient_id } = this.stream();
    this.target.send(
      encodeFrame({ kind: 'gap', recipient_id, session_id, epoch: this.epoch, from_seq: seq, to_seq: seq, reason }),
    );
  }

  private retryLater(seq: number, reason: string): void {
    const attempt = this.window.get(seq)?.attempt;
    // Already acked, or reported as a gap.
    if (attempt === undefined) return;
    if (this.window.retryLater(seq, attempt, () => void this.sendAgain(seq, attempt + 1))) return;
    this.window.finish(seq, this.scanned);
    this.needs.events.emit('deliveryFailed', { ...this.stream(), seq, reason });
    this.reader.run();
  }

  private async sendAgain(seq: number, attempt: number): Promise<void> {
    const [entry] = await this.needs.store
      .read(this.sessionId, { from_seq: seq, to_seq: seq, limit: 1 })
      .catch(() => [] as Entry[]);
    const flight = this.window.get(seq);
    if (this.reader.isStopped || flight === undefined) return;
    if (entry === undefined) return this.retryLater(seq, 'the log could not be read');
    if (!isPastTtl(entry.envelope, this.needs.clock.now())) return this.send(entry, { ...flight, attempt });
    // The envelope was sent before, so a client that misses the gap loses nothing.
    this.sendGap(seq, 'expired');
    this.window.finish(seq, this.scanned);
    this.reader.run();
  }

  private stream(): { agent_id: string; session_id: string } {
    return { agent_id: this.target.agentId, session_id: this.sessionId };
  }
}
