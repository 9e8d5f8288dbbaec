/**
 * One pump per (binding, session): sends what is deliverable to the recipient, in seq order, from its cursor to the durable
 * head. Live and replay are the same code. An ack is exact: it never covers an earlier loss.
 */

import { DELEGATION_LABEL } from '../core/records/work/delegation.ts';
import { isDeliverable, isPastTtl } from '../core/records/session/delivery.ts';
import { type Entry, type Envelope, givesTurn, HUB_ID } from '../core/records/session/envelope.ts';
import { encodeFrame, encodeNotify, type GapReason } from '../core/protocol/frames/frame-codec.ts';
import type { Head } from '../core/state/fold-head.ts';
import { isTerminal } from '../core/records/session/session.ts';
import type { Progress } from './delivery/cursors.ts';
import type { HubParts } from './parts.ts';
import { retryDelayMs } from './retries.ts';
import type { Place } from './delivery/skipped-deliveries.ts';

const READ_BATCH = 128;
const READ_AGAIN_MS = 1000;

interface Flight {
  readonly envelopeId: string;
  readonly mayDrop: boolean;
  readonly senderId: string;
  readonly attempt: number;
  /** The `prev_seq` it was sent with, the same in every attempt. */
  readonly prevSeq: number;
}

export interface PumpTarget {
  readonly agentId: string;
  readonly number: number;
  /** No more should be sent until what was sent has left. */
  readonly isHeldUp: boolean;
  send(text: string): void;
  /** The stream with the oldest on its way that may be dropped; null = there is none. */
  oldestStream(): Pump | null;
}

export class Pump {
  readonly sessionId: string;
  private readonly parts: HubParts;
  private readonly target: PumpTarget;
  private readonly progress: Progress;
  private readonly isDelegated: boolean;
  readonly epoch: number;
  /** The cursor it began at. */
  private readonly start: number;
  /** Everything up to here was looked at on this binding. */
  private scanned: number;
  /** The last one sent or told of as gone: the `prev_seq` of the next. */
  private previous: number;
  /** Sent and not acked, in seq order. */
  private readonly inFlight = new Map<number, Flight>();
  /** Those of them that were nacked and are sent again later. */
  private readonly nacked = new Set<number>();
  /** Told as gone. A gap has no receipt: it counts as heard once something later is acked. */
  private readonly gaps = new Set<number>();
  private headSeq = 0;
  private ended = false;
  /** The last seq within the recipient's membership. */
  private end: number = Number.POSITIVE_INFINITY;
  private reading = false;
  /** The arbiter is asked about this one. */
  private asking: number | null = null;
  private stopped = false;

  constructor(
    parts: HubParts,
    target: PumpTarget,
    progress: Progress,
    { labels, creator_id }: Pick<Head, 'labels' | 'creator_id'>,
  ) {
    this.parts = parts;
    this.target = target;
    this.progress = progress;
    this.isDelegated = labels[DELEGATION_LABEL] !== undefined && creator_id === target.agentId;
    this.sessionId = progress.session_id;
    this.epoch = progress.epoch;
    this.start = progress.seq;
    this.scanned = progress.seq;
    this.previous = progress.seq;
  }

  /** There is more, or membership changed. `entries`: what just became durable. */
  wake({ seq, state }: Pick<Head, 'seq' | 'state'>, end: number, entries: readonly Entry[] = []): void {
    this.headSeq = Math.max(this.headSeq, seq);
    this.ended ||= isTerminal(state);
    this.end = end;
    // What just became durable is at hand, and mostly all that is missing.
    if (this.scanned + 1 === entries[0]?.envelope.seq && !this.stopped && !this.reading) this.deliver(entries);
    this.run();
  }

  /** The way is free again. */
  goOn(): void {
    this.run();
  }

  stop(): void {
    this.stopped = true;
    this.parts.retries.cancel(this.retryKey('read'));
    for (const seq of this.nacked) this.parts.retries.cancel(this.retryKey(seq));
  }

  /** Everything deliverable up to `seq` has been acked. */
  hasAcked(seq: number): boolean {
    if (this.asking !== null && this.asking <= seq) return false;
    return this.firstInFlight() > seq && this.scanned >= Math.min(seq, this.end);
  }

  /** How many wait for a receipt; those that come again by themselves do not. */
  get unacked(): number {
    return this.inFlight.size - this.nacked.size;
  }

  /** The session has ended, nothing is on its way and nothing is left to look at. */
  get isDone(): boolean {
    return this.ended && this.inFlight.size === 0 && !this.reading && this.scanned >= Math.min(this.headSeq, this.end);
  }

  /** False = this was not sent on this binding. */
  receive(status: 'ack' | 'nack' | 'seen', seq: number, reason: string): boolean {
    const isOpen = this.inFlight.has(seq) || this.gaps.has(seq);
    if (seq > this.scanned || (!isOpen && !this.wasAcked(seq))) return false;
    if (status === 'seen') {
      this.parts.events.emit('deliverySeen', { ...this.stream(), seq });
    } else if (!isOpen || (status === 'nack' && this.gaps.has(seq))) {
      return true;
    } else if (status === 'ack') {
      this.finish(seq);
      if (this.parts.events.hears('deliveryAcked')) this.parts.events.emit('deliveryAcked', { ...this.stream(), seq });
      this.run();
    } else {
      this.retryLater(seq, reason);
    }
    return true;
  }

  private run(): void {
    while (!this.stopped && !this.reading && this.scanned < Math.min(this.headSeq, this.end)) {
      if (this.mustWait()) return;
      const entries = this.parts.sessions.peek(this.sessionId)?.tailFrom(this.scanned + 1) ?? null;
      if (entries === null || entries.length === 0) return void this.readOn();
      this.deliver(entries);
    }
  }

  private mustWait(): boolean {
    // A send may have ended the connection, and with it this pump.
    return this.stopped || this.inFlight.size >= this.parts.limits.window || this.target.isHeldUp;
  }

  /** What waits for its turn to read holds nothing but its place; who is gone by then is not read for. */
  private async readOn(): Promise<void> {
    this.reading = true;
    await this.parts.bindings.reads.run(async () => {
      if (this.stopped) this.reading = false;
      else await this.readNext();
    });
  }

  private async readNext(): Promise<void> {
    try {
      const range = { from_seq: this.scanned + 1, to_seq: this.headSeq, limit: READ_BATCH };
      const entries = await this.parts.store.read(this.sessionId, range);
      if (entries.length === 0) throw new Error(`no entry ${range.from_seq}`);
      this.reading = false;
      if (this.stopped) return;
      this.deliver(entries);
      this.run();
    } catch (thrown) {
      // Of a damaged log there is no more; everything else may pass.
      const damagedFrom = await this.damagedFrom();
      this.reading = false;
      if (this.stopped) return;
      this.parts.log.error('reading for delivery failed', { session_id: this.sessionId, error: String(thrown) });
      if (damagedFrom !== null) this.end = Math.min(this.end, damagedFrom - 1);
      else this.parts.retries.schedule(this.retryKey('read'), READ_AGAIN_MS, () => this.run());
    }
  }

  private async damagedFrom(): Promise<number | null> {
    const stored = await this.parts.store.head(this.sessionId).catch(() => null);
    return stored?.damaged_from ?? null;
  }

  private deliver(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const { envelope } = entry;
      if (envelope.seq > Math.min(this.headSeq, this.end)) return;
      if (this.mustWait()) return;
      this.scanned = envelope.seq;
      if (!isDeliverable(envelope, this.target.agentId, this.end)) continue;
      if (this.progress.beyond.has(envelope.seq)) {
        this.advance();
        continue;
      }
      const denial = this.denialOf(envelope);
      if (denial instanceof Promise) return this.deliverAfter(denial, entry);
      if (denial === null) this.deliverOne(entry);
      else this.withhold(envelope);
    }
  }

  /** What was not to be had when it came is not asked about again. */
  private denialOf(envelope: Envelope): string | null | Promise<string | null> {
    const { gate, inboxes } = this.parts;
    if (inboxes.wasDenied(this.target.agentId, envelope)) return 'it was denied when it came';
    return gate.deliveryDenied(envelope, this.target.agentId);
  }

  /** Not to be had: it counts as acked. */
  private withhold(envelope: Envelope): void {
    this.parts.inboxes.acked(this.target.agentId, envelope);
    this.progress.beyond.add(envelope.seq);
    this.advance();
  }

  /** The arbiter takes its time: nothing overtakes the envelope it is asked about. */
  private deliverAfter(denial: Promise<string | null>, entry: Entry): void {
    this.reading = true;
    this.asking = entry.envelope.seq;
    void denial.then((reason) => {
      this.reading = false;
      this.asking = null;
      if (this.stopped) return;
      if (reason === null) this.deliverOne(entry);
      else this.withhold(entry.envelope);
      this.run();
    });
  }

  private deliverOne(entry: Entry): void {
    const { envelope } = entry;
    if (isPastTtl(envelope, this.parts.clock.now())) this.skip(envelope, 'expired');
    else this.deliverDue(entry);
  }

  private deliverDue(entry: Entry): void {
    const { agentId } = this.target;
    const { envelope_id, seq, sender_id } = entry.envelope;
    const gone = this.parts.inboxes.whyGone(agentId, entry.envelope);
    if (gone !== null) return this.skip(entry.envelope, gone);
    // Neither the hub's own nor what gives it the turn is dropped.
    const mayDrop = sender_id !== HUB_ID && !givesTurn(entry, agentId);
    if (mayDrop && !this.hasRoomFor(envelope_id)) return this.skip(entry.envelope, 'overflow');
    this.send(entry, { envelopeId: envelope_id, senderId: sender_id, mayDrop, attempt: 1, prevSeq: this.previous });
    this.previous = seq;
  }

  /** Where the oldest are dropped they make room, in whatever session they are; false = there is none older than this one. */
  private hasRoomFor(envelopeId: string): boolean {
    while (this.parts.inboxes.overflows(this.target.agentId)) {
      const oldest = this.target.oldestStream();
      if (oldest === null || (oldest.oldest ?? '') > envelopeId) return false;
      oldest.dropOldest();
    }
    return true;
  }

  /** The id of the oldest on its way that may be dropped. */
  get oldest(): string | null {
    for (const { envelopeId, mayDrop } of this.inFlight.values()) if (mayDrop) return envelopeId;
    return null;
  }

  private dropOldest(): void {
    for (const [seq, { mayDrop }] of this.inFlight) if (mayDrop) return this.drop(seq);
  }

  private send(entry: Entry, flight: Flight): void {
    const { envelope, turn } = this.parts.redactions.shown(entry);
    const { attempt, prevSeq } = flight;
    this.inFlight.set(envelope.seq, flight);
    const frame = {
      recipient_id: this.target.agentId,
      epoch: this.epoch,
      prev_seq: prevSeq,
      turn,
      attempt: attempt > 1 ? attempt : undefined,
      starts: prevSeq > 0 && prevSeq === this.start ? (true as const) : undefined,
      delegated: this.isDelegated ? (true as const) : undefined,
    };
    this.parts.meter.delivered += 1;
    this.target.send(encodeNotify(frame, this.parts.bindings.texts.of(envelope)));
  }

  /** Told, not sent: the recipient knows exactly what is gone. */
  private skip(envelope: Envelope, reason: GapReason): void {
    const { seq } = envelope;
    this.parts.inboxes.tellGone(this.target.agentId, envelope, reason);
    this.sendGap(seq, reason);
    this.previous = seq;
    this.gaps.add(seq);
  }

  private sendGap(seq: number, reason: GapReason): void {
    const { session_id, agent_id: recipient_id } = this.stream();
    this.target.send(
      encodeFrame({ kind: 'gap', recipient_id, session_id, epoch: this.epoch, from_seq: seq, to_seq: seq, reason }),
    );
  }

  /** It may have come or not, and so may the gap: that is known when something later is acked. */
  private drop(seq: number): void {
    const place = this.land(seq);
    if (place !== null) this.parts.inboxes.tellGone(this.target.agentId, place, 'overflow');
    this.sendGap(seq, 'overflow');
    this.gaps.add(seq);
  }

  /** It is no longer on its way. */
  private land(seq: number): Place | null {
    const sender_id = this.inFlight.get(seq)?.senderId;
    this.inFlight.delete(seq);
    if (this.nacked.delete(seq)) this.parts.retries.cancel(this.retryKey(seq));
    return sender_id === undefined ? null : { session_id: this.sessionId, seq, sender_id };
  }

  private finish(seq: number): void {
    const place = this.land(seq);
    if (place !== null) this.parts.inboxes.acked(this.target.agentId, place);
    const { beyond } = this.progress;
    // Mostly acks come in order, and nothing waits for them.
    if (beyond.size === 0 && this.gaps.size === 0 && seq < this.firstInFlight()) return this.moveTo(seq);
    beyond.add(seq);
    for (const gap of this.gaps) {
      if (gap > seq) continue;
      this.gaps.delete(gap);
      beyond.add(gap);
    }
    this.advance();
  }

  private firstInFlight(): number {
    for (const seq of this.inFlight.keys()) return seq;
    return Number.POSITIVE_INFINITY;
  }

  /** The cursor moves over everything acked below the first that is not. */
  private advance(): void {
    const first = Math.min(this.firstInFlight(), ...this.gaps);
    const { beyond } = this.progress;
    let last = 0;
    for (const seq of [...beyond].sort((a, b) => a - b)) {
      if (seq >= first || seq > this.scanned) break;
      last = seq;
      beyond.delete(seq);
    }
    this.moveTo(last);
  }

  private moveTo(seq: number): void {
    this.progress.seq = Math.max(this.progress.seq, seq);
    this.parts.inboxes.passed(this.target.agentId, this.sessionId, this.progress.seq);
    this.parts.cursors.changed(this.progress);
  }

  private retryLater(seq: number, reason: string): void {
    const flight = this.inFlight.get(seq);
    // It was acked before, or told as gone.
    if (flight === undefined) return;
    const { attempt } = flight;
    const delayMs = retryDelayMs(attempt);
    if (delayMs === null) {
      this.finish(seq);
      this.parts.events.emit('deliveryFailed', { ...this.stream(), seq, reason });
      this.run();
      return;
    }
    this.nacked.add(seq);
    this.parts.retries.schedule(this.retryKey(seq), delayMs, () => void this.sendAgain(seq, attempt + 1));
  }

  private async sendAgain(seq: number, attempt: number): Promise<void> {
    const [entry] = await this.parts.store
      .read(this.sessionId, { from_seq: seq, to_seq: seq, limit: 1 })
      .catch(() => [] as Entry[]);
    const flight = this.inFlight.get(seq);
    if (this.stopped || flight === undefined) return;
    if (entry === undefined) return this.retryLater(seq, 'the log could not be read');
    if (!isPastTtl(entry.envelope, this.parts.clock.now())) {
      this.nacked.delete(seq);
      return this.send(entry, { ...flight, attempt });
    }
    // It came once and was nacked, so whoever misses the gap has not missed the envelope.
    this.sendGap(seq, 'expired');
    this.finish(seq);
    this.run();
  }

  private wasAcked(seq: number): boolean {
    return seq <= this.progress.seq || this.progress.beyond.has(seq);
  }

  private stream(): { agent_id: string; session_id: string } {
    return { agent_id: this.target.agentId, session_id: this.sessionId };
  }

  private retryKey(seq: number | 'read'): string {
    return `${this.target.agentId}\n${this.sessionId}\n${seq}`;
  }
}
