/** How much one recipient has not acked, as far as that is known. */

import { msFromIso } from '../../core/lib/time.ts';
import type { Clock } from '../../core/ports/platform.ts';
import type { Rule } from '../../core/records/access/rule.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';

/** What cannot be made exact is not counted again for this long. */
const AGAIN_MS = 1000;

type InboxRule = Rule['limits']['inbox'];

export class InboxCount {
  /** False = it is being counted for the first time. */
  known: boolean;
  /** Durable and not acked: never less than there are, once it is known. */
  pending = 0;
  /** Staged for it, and not durable yet. */
  staged = 0;
  /** The high water was told of. */
  told = false;
  /** Changed while it was being counted. */
  private moved = false;
  private counting = false;
  private readonly clock: Clock;
  private exact: boolean;
  /** When the first of them runs out of its time. */
  private expiresMs = Number.POSITIVE_INFINITY;
  /** When it was last counted, in monotonic ms. */
  private countedMs = Number.NEGATIVE_INFINITY;

  /** Exact from the beginning for who came while this hub runs: all for it is counted. */
  constructor(clock: Clock, exact: boolean) {
    this.clock = clock;
    this.known = exact;
    this.exact = exact;
  }

  get total(): number {
    return this.pending + this.staged;
  }

  /** Counting again would say the same, or was done just now. */
  get isSure(): boolean {
    // What is acked meanwhile does not show until it is done.
    if (this.counting) return false;
    if (this.exact && this.clock.now() <= this.expiresMs) return true;
    return this.clock.monotonic() - this.countedMs < AGAIN_MS;
  }

  add(more: number): void {
    this.pending += more;
    this.moved = true;
  }

  /** `isCounting`: nobody can tell whether this one is counted yet. */
  less(isCounting: boolean): void {
    this.moved = true;
    if (!isCounting) this.pending = Math.max(0, this.pending - 1);
  }

  /** True = the high water is reached, and was not before. */
  reachesHighWater({ high_water, max_pending }: InboxRule): boolean {
    if (high_water === null || this.told || this.pending < Math.min(high_water, max_pending)) return false;
    this.told = true;
    return true;
  }

  /** Below the high water, reaching it is news again. */
  noteLowWater({ high_water, max_pending }: InboxRule): void {
    if (high_water === null || this.pending < Math.min(high_water, max_pending)) this.told = false;
  }

  /** There may be less, nobody knows how much. */
  blur(): void {
    this.exact = false;
  }

  /** It may pass away by itself. */
  noteTtl({ ttl_seconds, created_at }: Envelope): void {
    if (ttl_seconds === null) return;
    this.expiresMs = Math.min(this.expiresMs, msFromIso(created_at) + ttl_seconds * 1000);
  }

  beginCounting(): void {
    this.counting = true;
    this.moved = false;
    this.expiresMs = Number.POSITIVE_INFINITY;
  }

  /** There are no more than that, and perhaps less. */
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
