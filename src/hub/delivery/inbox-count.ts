/** Keeps the unread count of one recipient, which may be unknown or inexact. */

import { msFromIso } from '../../core/lib/time.ts';
import type { Clock } from '../../core/ports/platform.ts';
import type { Rule } from '../../core/records/access/rule.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';

/** Minimum time between two counts of an inbox whose count stays inexact. */
const AGAIN_MS = 1000;

type InboxRule = Rule['limits']['inbox'];

export class InboxCount {
  known: boolean;
  /** Number of durable, unacked envelopes; never too low once `known`. */
  pending = 0;
  staged = 0;
  /** True if reaching the high-water mark was reported. */
  told = false;
  /** True if the count changed while it was being counted. */
  private moved = false;
  private counting = false;
  private readonly clock: Clock;
  private exact: boolean;
  /** When the first of the counted envelopes expires. */
  private expiresMs = Number.POSITIVE_INFINITY;
  private countedMs = Number.NEGATIVE_INFINITY;

  /** `exact` is true for an agent registered while this hub runs, whose inbox starts empty. */
  constructor(clock: Clock, exact: boolean) {
    this.clock = clock;
    this.known = exact;
    this.exact = exact;
  }

  get total(): number {
    return this.pending + this.staged;
  }

  /** True if a recount would change nothing, or was just made. */
  get isSure(): boolean {
    // Acks during a count take effect only when it completes.
    if (this.counting) return false;
    if (this.exact && this.clock.now() <= this.expiresMs) return true;
    return this.clock.monotonic() - this.countedMs < AGAIN_MS;
  }

  add(more: number): void {
    this.pending += more;
    this.moved = true;
  }

  /** Subtracts one, except while counting: the running count may or may not include the envelope. */
  less(isCounting: boolean): void {
    this.moved = true;
    if (!isCounting) this.pending = Math.max(0, this.pending - 1);
  }

  /** True if the count has just reached the high-water mark. */
  reachesHighWater({ high_water, max_pending }: InboxRule): boolean {
    if (high_water === null || this.told || this.pending < Math.min(high_water, max_pending)) return false;
    this.told = true;
    return true;
  }

  /** Once the count is below the high-water mark, the next crossing is reported again. */
  noteLowWater({ high_water, max_pending }: InboxRule): void {
    if (high_water === null || this.pending < Math.min(high_water, max_pending)) this.told = false;
  }

  /** Marks the count as inexact: it may be too high. */
  blur(): void {
    this.exact = false;
  }

  /** Notes when a counted envelope expires: from then on the count may be too high. */
  noteTtl({ ttl_seconds, created_at }: Envelope): void {
    if (ttl_seconds === null) return;
    this.expiresMs = Math.min(this.expiresMs, msFromIso(created_at) + ttl_seconds * 1000);
  }

  beginCounting(): void {
    this.counting = true;
    this.moved = false;
    this.expiresMs = Number.POSITIVE_INFINITY;
  }

  /** Accepts a count that may be too high; it may be repeated immediately. */
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
