import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FULL_BUCKET, retryAfterMs, takeToken } from '../../../src/core/records/access/rate.ts';

const rate = fc.record({ per_minute: fc.integer({ min: 1, max: 100_000 }), burst: fc.integer({ min: 1, max: 50 }) });
const RUNS = { numRuns: 2000 };

describe('a rate', () => {
  it('[RU7] allows the burst at once and then one per interval', () => {
    const slow = { per_minute: 6, burst: 2 };
    const one = takeToken(FULL_BUCKET, slow, 0);
    expect(retryAfterMs(one, slow, 0)).toBe(0);
    const two = takeToken(one, slow, 0);
    expect(retryAfterMs(two, slow, 0)).toBe(10_000);
    expect(retryAfterMs(two, slow, 9_999)).toBe(1);
    expect(retryAfterMs(two, slow, 10_000)).toBe(0);
  });

  it('[RU7] returns the exact wait in milliseconds', () => {
    fc.assert(
      fc.property(rate, fc.array(fc.nat({ max: 5000 }), { maxLength: 60 }), (one, pauses) => {
        let nowMs = 0;
        let bucket = FULL_BUCKET;
        for (const pause of pauses) {
          nowMs += pause;
          const wait = retryAfterMs(bucket, one, nowMs);
          expect(retryAfterMs(bucket, one, nowMs + wait)).toBe(0);
          if (wait > 0) expect(retryAfterMs(bucket, one, nowMs + wait - 1)).toBe(1);
          nowMs += wait;
          bucket = takeToken(bucket, one, nowMs);
        }
      }),
      RUNS,
    );
  });

  it('[RU7] never allows more than the burst plus the refill', () => {
    fc.assert(
      fc.property(rate, fc.array(fc.nat({ max: 2000 }), { maxLength: 100 }), (one, pauses) => {
        let nowMs = 0;
        let bucket = FULL_BUCKET;
        let sent = 0;
        for (const pause of pauses) {
          nowMs += pause;
          if (retryAfterMs(bucket, one, nowMs) > 0) continue;
          bucket = takeToken(bucket, one, nowMs);
          sent += 1;
        }
        expect(sent).toBeLessThanOrEqual(one.burst + (nowMs * one.per_minute) / 60_000);
      }),
      RUNS,
    );
  });

  it('[RU7] applies a changed rate at once without filling the bucket', () => {
    const tight = { per_minute: 1, burst: 1 };
    const spent = takeToken(FULL_BUCKET, tight, 0);
    expect(retryAfterMs(spent, tight, 0)).toBe(60_000);
    expect(retryAfterMs(spent, { per_minute: 60, burst: 1 }, 0)).toBe(1000);
    expect(retryAfterMs(spent, { per_minute: 1, burst: 2 }, 0)).toBe(60_000);
  });

  it('[RU7] cuts the bucket to a new burst without making a debt', () => {
    const wide = { per_minute: 60, burst: 500 };
    const tight = { per_minute: 1, burst: 1 };
    let bucket = FULL_BUCKET;
    for (let i = 0; i < 400; i++) bucket = takeToken(bucket, wide, 0);
    expect(retryAfterMs(bucket, tight, 0)).toBe(0);
    const empty = takeToken(bucket, tight, 0);
    expect(retryAfterMs(empty, tight, 0)).toBe(60_000);
    // The old rate does not restore it.
    expect(retryAfterMs(empty, wide, 0)).toBe(1000);
    expect(retryAfterMs(takeToken(takeToken(bucket, tight, 0), tight, 0), tight, 0)).toBe(60_000);
  });

  it('[RU7] bounds the wait and the burst through any changes of rate', () => {
    const step = fc.record({ rate, pause: fc.nat({ max: 5000 }), sends: fc.nat({ max: 60 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let nowMs = 0;
        let bucket = FULL_BUCKET;
        for (const { rate: one, pause, sends } of steps) {
          nowMs += pause;
          let sent = 0;
          for (; sent < sends && retryAfterMs(bucket, one, nowMs) === 0; sent++) bucket = takeToken(bucket, one, nowMs);
          expect(sent).toBeLessThanOrEqual(one.burst);
          expect(retryAfterMs(bucket, one, nowMs)).toBeLessThanOrEqual(Math.ceil(60_000 / one.per_minute));
        }
      }),
      RUNS,
    );
  });
});
