/**
 * What one stream has sent and its recipient has not acked, and the cursor behind it. An ack is exact: it never covers an
 * earlier loss.
 */

import { type Retries, retryDelayMs } from '../time/retries.ts';
import type { Cursors, Progress } from './cursors.ts';
import type { Inboxes } from './inboxes.ts';

/** One envelope that was sent and not acked. */
export interface Flight {
  readonly envelopeId: string;
  readonly mayDrop: boolean;
  readonly senderId: string;
  readonly attempt: number;
  /** The `prev_seq` it was sent with, the same in every attempt. */
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
  /** Sent and not acked, in seq order. */
  private readonly flights = new Map<number, Flight>();
  /** Those of them that were nacked and are sent again later. */
  private readonly nacked = new Set<number>();
  /** Sent as gaps. A gap has no receipt: it counts as heard once something later is acked. */
  private readonly gaps = new Set<number>();

  constructor(needs: AckWindowNeeds, progress: Progress) {
    this.needs = needs;
    this.progress = progress;
  }

  get size(): number {
    return this.flights.size;
  }

  /** How many wait for a receipt; those that are sent again by themselves do not. */
  get unacked(): number {
    return this.flights.size - this.nacked.size;
  }

  /** The first seq that is not acked; infinite if there is none. */
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

  /** It was acked on this binding or before. */
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

  /** The seq of the oldest flight that may be dropped; null = there is none. */
  get oldestDroppable(): number | null {
    for (const [seq, { mayDrop }] of this.flights) if (mayDrop) return seq;
    return null;
  }

  /** It may have arrived or not, and so may its gap: that is known when something later is acked. */
  drop(seq: number): void {
    const flight = this.land(seq);
    const { agent_id, session_id } = this.progress;
    if (flight !== undefined)
      this.needs.inboxes.tellGone(agent_id, { session_id, seq, sender_id: flight.senderId }, 'overflow');
    this.gaps.add(seq);
  }

  /** Acked, or given up. `scanned`: everything up to here was looked at. */
  finish(seq: number, scanned: number): void {
    const flight = this.land(seq);
    const { agent_id, session_id, beyond } = this.progress;
    if (flight !== undefined) this.needs.inboxes.acked(agent_id, { session_id, seq, sender_id: flight.senderId });
    // Mostly acks come in order, and nothing waits for them.
    if (beyond.size === 0 && this.gaps.size === 0 && seq < this.first) return this.moveTo(seq);
    beyond.add(seq);
    for (const gap of this.gaps) {
      if (gap > seq) continue;
      this.gaps.delete(gap);
      beyond.add(gap);
    }
    this.advance(scanned);
  }

  /** It is not sent, and counts as acked. */
  pass(seq: number, scanned: number): void {
    this.progress.beyond.add(seq);
    this.advance(scanned);
  }

  /** The cursor moves over everything acked below the first that is not. */
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

  /** Runs `send` after the delay of the next attempt; false = there are no more attempts. */
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
