import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laterId, nextStamp, type Stamp, stampMs } from '../../../src/core/records/session/stamp.ts';

const runs = { numRuns: 1000 };
const hex32 = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 });
/** Mostly within a millisecond, sometimes far away, even before 1970. */
const jump = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: -3_000_000_000_000, max: 3_000_000_000_000 }) },
  { weight: 1, arbitrary: fc.double({ min: -2, max: 2, noNaN: true }) },
);
const readings = fc.array(fc.record({ jump, random: hex32 }), { minLength: 1, maxLength: 40 });

function stampAll(ticks: readonly { jump: number; random: string }[], startMs = 1_767_225_600_000) {
  let nowMs = startMs;
  let last: string | null = null;
  return ticks.map(({ jump: by, random }) => {
    nowMs = Math.min(nowMs + by, 200_000_000_000_000);
    const stamp = nextStamp(nowMs, last, random);
    last = stamp.envelope_id;
    return { nowMs, ...stamp };
  });
}

describe('stamps', () => {
  it('[RE4] have strictly increasing ids of 32 hex digits', () => {
    fc.assert(
      fc.property(readings, (ticks) => {
        const stamps = stampAll(ticks);
        for (const { envelope_id } of stamps) expect(envelope_id).toMatch(/^[0-9a-f]{32}$/);
        for (const [before, after] of pairs(stamps)) expect(after.envelope_id > before.envelope_id).toBe(true);
      }),
      runs,
    );
  });

  it('[RE4] have the time of their id, never before the clock or the last stamp', () => {
    fc.assert(
      fc.property(readings, (ticks) => {
        const stamps = stampAll(ticks);
        for (const { envelope_id, created_at, nowMs } of stamps) {
          expect(created_at).toBe(new Date(stampMs(envelope_id)).toISOString());
          expect(stampMs(envelope_id)).toBeGreaterThanOrEqual(Math.floor(nowMs));
        }
        for (const [before, after] of pairs(stamps)) expect(after.created_at >= before.created_at).toBe(true);
      }),
      runs,
    );
  });

  it('[RE4] use the clock when it advances', () => {
    expect(nextStamp(1_767_225_600_000, null, 'f'.repeat(32))).toEqual({
      envelope_id: '019b76daa80000000fffffffffffffff',
      created_at: '2026-01-01T00:00:00.000Z',
    });
    const before = '019b76daa80000000fffffffffffffff';
    expect(nextStamp(1_767_225_600_001.9, before, '0'.repeat(32))).toEqual({
      envelope_id: '019b76daa80100000000000000000000',
      created_at: '2026-01-01T00:00:00.001Z',
    });
  });

  it('[RE4] keep the last time and count when the clock stands still or goes back', () => {
    const before = '019b76daa80000000fffffffffffffff';
    for (const nowMs of [1_767_225_600_000, 1_767_225_599_999, 0, -1]) {
      expect(nextStamp(nowMs, before, '0'.repeat(32))).toEqual({
        envelope_id: '019b76daa80000001000000000000000',
        created_at: '2026-01-01T00:00:00.000Z',
      });
    }
  });

  it('[RE4] use the next millisecond when the counter is full', () => {
    const full = '019b76daa800fffff000000000000000';
    const almost = '019b76daa800ffffe000000000000000';
    expect(nextStamp(1_767_225_600_000, almost, '0'.repeat(32)).envelope_id).toBe(full);
    expect(nextStamp(1_767_225_600_000, full, '0'.repeat(32))).toEqual({
      envelope_id: '019b76daa80100000000000000000000',
      created_at: '2026-01-01T00:00:00.001Z',
    });
  });

  it('[RE4] treat a clock before 1970 as 1970', () => {
    expect(nextStamp(-5, null, '0'.repeat(32))).toEqual({
      envelope_id: '0'.repeat(32),
      created_at: '1970-01-01T00:00:00.000Z',
    });
  });

  it('[RE4] order ids, and null before any id', () => {
    expect(laterId(null, null)).toBeNull();
    expect(laterId('a', null)).toBe('a');
    expect(laterId(null, 'b')).toBe('b');
    expect(laterId('a', 'b')).toBe('b');
    expect(laterId('b', 'a')).toBe('b');
  });
});

function pairs(stamps: readonly Stamp[]): (readonly [Stamp, Stamp])[] {
  return stamps.slice(1).map((after, i) => [stamps[i] as Stamp, after]);
}
