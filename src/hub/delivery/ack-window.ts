/** Tracks the unacked envelopes of one stream and moves its cursor. An ack never covers an envelope lost before it. */

import { type Retries, retryDelayMs } from '../time/retries.ts';
import type { Cursors, Progress } from './cursors.ts';
import type { Inboxes } from './inboxes.ts';

export interface Flight {
  readonly envelopeId: string;
  readonly mayDrop: boolean;
  readonly senderId: string;
  readonly attempt: number;
  /** The `prev_seq` of its first attempt; repeats use the same. */
  readonly prevSeq: number;
}

export interface AckWindowNeeds {
  readonly cursors: Cursors;
  readonly inboxes: Inboxes;
  readonly retries: Retries;
}

export class AckWindow {
  private readonly needs: AckWindowNeeds;
  private readonly progress: Progress;
  /** Sent and unacked envelopes, in seq order. */
  private readonly flights = new Map<number, Flight>();
  private readonly nacked = new Set<number>();
  /** Seqs reported as gaps. A gap has no receipt: it counts as acked once a later seq is acked. */
  private readonly gaps = new Set<number>();

  constructor(needs: AckWindowNeeds, progress: Progress) {
    this.needs = needs;
    this.progress = progress;
  }

  get size(): number {
    return this.flights.size;
  }

  /** Number of flights that await a receipt, excluding those that await a retry. */
  get unacked(): number {
    return this.flights.size - this.nacked.size;
  }

  get first(): number {
    for (const seq of this.flights.keys()) return seq;
    return Number.POSITIVE_INFINITY;
  }

  get(seq: number): Flight | undefined {
    return this.flights.get(seq);
  }

  hasGap(seq: number): boolean {
    return this.gaps.has(seq);
  }

  /** True if the seq was acked, on this binding or an earlier one. */
  wasAcked(seq: number): boolean {
    return seq <= this.progress.seq || this.progress.beyond.has(seq);
  }

  sent(seq: number, flight: Flight): void {
    this.nacked.delete(seq);
    this.flights.set(seq, flight);
  }

  addGap(seq: number): void {
    this.gaps.add(seq);
  }

  get oldestDroppable(): number | null {
    for (const [seq, { mayDrop }] of this.flights) if (mayDrop) return seq;
    return null;
  }

  /** Replaces a flight by a gap. The client may have received the envelope; a later ack settles that. */
  drop(seq: number): void {
    const flight = this.land(seq);
    const { agent_id, session_id } = this.progress;
    if (flight !== undefined)
      this.needs.inboxes.markGone(agent_id, { session_id, seq, sender_id: flight.senderId }, 'overflow');
    this.gaps.add(seq);
  }

  /** Ends a flight that was acked or given up. `scanned` is the last seq the pump has examined. */
  finish(seq: number, scanned: number): void {
    const flight = this.land(seq);
    const { agent_id, session_id, beyond } = this.progress;
    if (flight !== undefined) this.needs.inboxes.acked(agent_id, { session_id, seq, sender_id: flight.senderId });
    // The usual case: acks in order, no gaps, and no later seq acked.
    if (beyond.size === 0 && this.gaps.size === 0 && seq < this.first) return this.moveTo(seq);
    beyond.add(seq);
    for (const gap of this.gaps) {
      if (gap > seq) continue;
      this.gaps.delete(gap);
      beyond.add(gap);
    }
    this.advance(scanned);
  }

  /** Counts a withheld seq as acked without sending it. */
  pass(seq: number, scanned: number): void {
    this.progress.beyond.add(seq);
    this.advance(scanned);
  }

  /** Moves the cursor to the last acked seq before the first unacked one. */
  advance(scanned: number): void {
    const first = Math.min(this.first, ...this.gaps);
    const { beyond } = this.progress;
    let last = 0;
    for (const seq of [...beyond].sort((a, b) => a - b)) {
      if (seq >= first || seq > scanned) break;
      last = seq;
      beyond.delete(seq);
    }
    this.moveTo(last);
  }

  /** Runs `send` after the retry delay; false if no attempts are left. */
  retryLater(seq: number, attempt: number, send: () => void): boolean {
    const delayMs = retryDelayMs(attempt);
    if (delayMs === null) return false;
    this.nacked.add(seq);
    this.needs.retries.schedule(this.retryKey(seq), delayMs, send);
    return true;
  }

  stop(): void {
    for (const seq of this.nacked) this.needs.retries.cancel(this.retryKey(seq));
  }

  private land(seq: number): Flight | undefined {
    const flight = this.flights.get(seq);
    this.flights.delete(seq);
    if (this.nacked.delete(seq)) this.needs.retries.cancel(this.retryKey(seq));
    return flight;
  }

  private moveTo(seq: number): void {
    const { agent_id, session_id } = this.progress;
    this.progress.seq = Math.max(this.progress.seq, seq);
    this.needs.inboxes.skipped.passed(agent_id, session_id, this.progress.seq);
    this.needs.cursors.changed(this.progress);
  }

  private retryKey(seq: number): string {
    return `${this.progress.agent_id}\n${this.progress.session_id}\n${seq}`;
  }
}
