/** The unread count of one recipient, as far as it is known. */

import { msFromIso } from '../../core/lib/time.ts';
import type { Clock } from '../../core/ports/platform.ts';
import type { Rule } from '../../core/records/access/rule.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';

/** Minimum time between two counts of an inbox that cannot be exact. */
const AGAIN_MS = 1000;

type InboxRule = Rule['limits']['inbox'];

export class InboxCount {
  known: boolean;
  /** Durable and unacked: never too low, once it is known. */
  pending = 0;
  staged = 0;
  /** The high water was reported. */
  told = false;
  /** It changed while it was being counted. */
  private moved = false;
  private counting = false;
  private readonly clock: Clock;
  private exact: boolean;
  /** When the first of the counted envelopes expires. */
  private expiresMs = Number.POSITIVE_INFINITY;
  private countedMs = Number.NEGATIVE_INFINITY;

  /** Exact from the start for an agent registered while this hub runs. */
  constructor(clock: Clock, exact: boolean) {
    this.clock = clock;
    this.known = exact;
    this.exact = exact;
  }

  get total(): number {
    return this.pending + this.staged;
  }

  /** True if another count would not change it, or was just made. */
  get isSure(): boolean {
    // Acks during a count show only when it is complete.
    if (this.counting) return false;
    if (this.exact && this.clock.now() <= this.expiresMs) return true;
    return this.clock.monotonic() - this.countedMs < AGAIN_MS;
  }

  add(more: number): void {
    this.pending += more;
    this.moved = true;
  }

  /** `isCounting`: the running count may or may not include it. */
  less(isCounting: boolean): void {
    this.moved = true;
    if (!isCounting) this.pending = Math.max(0, this.pending - 1);
  }

  /** True if the count has just reached the high water. */
  reachesHighWater({ high_water, max_pending }: InboxRule): boolean {
    if (high_water === null || this.told || this.pending < Math.min(high_water, max_pending)) return false;
    this.told = true;
    return true;
  }

  /** Below the high water, the next crossing is reported again. */
  noteLowWater({ high_water, max_pending }: InboxRule): void {
    if (high_water === null || this.pending < Math.min(high_water, max_pending)) this.told = false;
  }

  /** There may be fewer. */
  blur(): void {
    this.exact = false;
  }

  /** The envelope may expire while it is counted. */
  noteTtl({ ttl_seconds, created_at }: Envelope): void {
    if (ttl_seconds === null) return;
    this.expiresMs = Math.min(this.expiresMs, msFromIso(created_at) + ttl_seconds * 1000);
  }

  beginCounting(): void {
    this.counting = true;
    this.moved = false;
    this.expiresMs = Number.POSITIVE_INFINITY;
  }

  /** Use the count although it is not exact: it may be too high. */
  estimated(): void {
    this.counting = false;
    this.known = true;
    this.exact = false;
    this.countedMs = Number.NEGATIVE_INFINITY;
  }

  counted(exact: boolean): void {
    this.counting = false;
    this.known = true;
    this.exact = exact && !this.moved;
    this.countedMs = this.clock.monotonic();
  }
}
