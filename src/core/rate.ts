/**
 * A token bucket in whole numbers: what was spent and not yet given back, in tokens × 60,000. A minute gives back
 * `per_minute` tokens, so a millisecond gives back `per_minute` of these parts, and no time is ever rounded.
 */

import type { Rate } from './rule.ts';

export interface Bucket {
  readonly spent: number;
  /** Monotonic milliseconds, whole. */
  readonly atMs: number;
}

const TOKEN = 60_000;
export const FULL: Bucket = { spent: 0, atMs: 0 };

/** Milliseconds until one more is allowed; 0 = now. */
export function retryAfterMs(bucket: Bucket, rate: Rate, nowMs: number): number {
  const over = spentAt(bucket, rate, nowMs) - (rate.burst - 1) * TOKEN;
  return over <= 0 ? 0 : Math.ceil(over / rate.per_minute);
}

export function take(bucket: Bucket, rate: Rate, nowMs: number): Bucket {
  return { spent: spentAt(bucket, rate, nowMs) + TOKEN, atMs: Math.floor(nowMs) };
}

/** What was spent stays spent when the rate becomes another: a change of rule never fills the bucket. */
function spentAt({ spent, atMs }: Bucket, { per_minute }: Rate, nowMs: number): number {
  return Math.max(0, spent - Math.max(0, Math.floor(nowMs) - atMs) * per_minute);
}
