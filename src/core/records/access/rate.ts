/** A token bucket that counts 1/60,000 tokens as whole numbers: each millisecond adds `per_minute` of them, unrounded. */

import type { Rate } from './rule.ts';

export interface Bucket {
  readonly left: number;
  /** Whole monotonic milliseconds. */
  readonly atMs: number;
}

const TOKEN = 60_000;
export const FULL_BUCKET: Bucket = { left: Number.POSITIVE_INFINITY, atMs: 0 };

/** Milliseconds until the next post is allowed; 0 = now. */
export function retryAfterMs(bucket: Bucket, rate: Rate, nowMs: number): number {
  const lacking = TOKEN - leftAt(bucket, rate, nowMs);
  return lacking <= 0 ? 0 : Math.ceil(lacking / rate.per_minute);
}

/** Takes one token. Never goes below zero, even if the rate was lowered in the meantime. */
export function takeToken(bucket: Bucket, rate: Rate, nowMs: number): Bucket {
  return { left: Math.max(0, leftAt(bucket, rate, nowMs) - TOKEN), atMs: Math.floor(nowMs) };
}

/** The tokens left now. A change of rate keeps them, up to the new burst: it neither fills the bucket nor makes a debt. */
function leftAt({ left, atMs }: Bucket, { per_minute, burst }: Rate, nowMs: number): number {
  return Math.min(burst * TOKEN, left + Math.max(0, Math.floor(nowMs) - atMs) * per_minute);
}
