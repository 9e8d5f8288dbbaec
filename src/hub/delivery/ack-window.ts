/** The envelopes one stream has sent and its recipient has not acked, and the cursor behind them. An ack never covers an earlier loss. */

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
  /** Sent and not acked, in seq order. */
  private readonly flights = new Map<number, Flight>();
  private readonly nacked = new Set<number>();
  /** Seqs sent as gaps. A gap has no receipt: it counts as acked once something later is acked. */
  private readonly gaps = new Set<number>();

  constructor(needs: AckWindowNeeds, progress: Progress) {
    this.needs = needs;
    this.progress = progress;
  }

  get size(): number {
    return this.flights.size;
  }

  /** Flights that wait for a receipt, without those that wait for a retry. */
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

  /** Acked on this binding or before. */
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

  /** Drops a flight that may or may not have arrived; a later ack settles that. */
  drop(seq: number): void {
    const flight = this.land(seq);
    const { agent_id, session_id } = this.progress;
    if (flight !== undefined)
      this.needs.inboxes.markGone(agent_id, { session_id, seq, sender_id: flight.senderId }, 'overflow');
    this.gaps.add(seq);
  }

  /** Acked, or given up. `scanned`: the last seq the pump has examined. */
  finish(seq: number, scanned: number): void {
    const flight = this.land(seq);
    const { agent_id, session_id, beyond } = this.progress;
    if (flight !== undefined) this.needs.inboxes.acked(agent_id, { session_id, seq, sender_id: flight.senderId });
    // The usual case: acks in order, nothing waiting behind them.
    if (beyond.size === 0 && this.gaps.size === 0 && seq < this.first) return this.moveTo(seq);
    beyond.add(seq);
    for (const gap of this.gaps) {
      if (gap > seq) continue;
      this.gaps.delete(gap);
      beyond.add(gap);
    }
    this.advance(scanned);
  }

  /** Not sent; counts as acked. */
  pass(seq: number, scanned: number): void {
    this.progress.beyond.add(seq);
    this.advance(scanned);
  }

  /** Moves the cursor over everything acked before the first unacked seq. */
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

  /** Runs `send` after the retry delay; false = no attempts left. */
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
