/**
 * A token bucket in whole numbers: what is left, in tokens × 60,000. A minute gives `per_minute` tokens, so a millisecond
 * gives `per_minute` of these parts, and no time is ever rounded.
 */

import type { Rate } from './rule.ts';

export interface Bucket {
  readonly left: number;
  /** Monotonic milliseconds, whole. */
  readonly atMs: number;
}

const TOKEN = 60_000;
export const FULL_BUCKET: Bucket = { left: Number.POSITIVE_INFINITY, atMs: 0 };

/** Milliseconds until one more is allowed; 0 = now. Never more than one token takes. */
export function retryAfterMs(bucket: Bucket, rate: Rate, nowMs: number): number {
  const lacking = TOKEN - leftAt(bucket, rate, nowMs);
  return lacking <= 0 ? 0 : Math.ceil(lacking / rate.per_minute);
}

/** What was accepted although there was nothing left (the rate changed meanwhile) is no debt. */
export function takeToken(bucket: Bucket, rate: Rate, nowMs: number): Bucket {
  return { left: Math.max(0, leftAt(bucket, rate, nowMs) - TOKEN), atMs: Math.floor(nowMs) };
}

/** When the rate becomes another, what is left stays, as far as it fits: a change of rule neither fills the bucket nor makes a debt. */
function leftAt({ left, atMs }: Bucket, { per_minute, burst }: Rate, nowMs: number): number {
  return Math.min(burst * TOKEN, left + Math.max(0, Math.floor(nowMs) - atMs) * per_minute);
}
