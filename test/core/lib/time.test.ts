import { describe, expect, it } from 'vitest';
import { durationMs, isoFromMs, msFromIso } from '../../../src/core/lib/time.ts';
import { DEFAULT_LIMITS } from '../../../src/core/records/access/limits.ts';
import { refused, wrongField } from '../refused.ts';

describe('durations', () => {
  it.each([
    ['30s', 30_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['0s', 0],
    ['0', 0],
    ['90', 90_000],
    ['1.5h', 5_400_000],
    [0, 0],
    [90, 90_000],
    [0.25, 250],
    ['36500d', 3_153_600_000_000],
  ])('[RE9] converts %j to %d ms', (value, ms) => {
    expect(durationMs(value, 'ttl')).toBe(ms);
  });

  const expected = 'a duration such as 30s, 15m, 2h, 1d or seconds (at most 36500d)';
  it.each([
    ['', '""'],
    ['s', '"s"'],
    ['30 s', '"30 s"'],
    [' 30s', '" 30s"'],
    ['30s\n', '"30s\\n"'],
    ['30S', '"30S"'],
    ['30ms', '"30ms"'],
    ['1w', '"1w"'],
    ['1h30m', '"1h30m"'],
    ['-5s', '"-5s"'],
    ['+5s', '"+5s"'],
    ['.5s', '".5s"'],
    ['1e3', '"1e3"'],
    ['Infinity', '"Infinity"'],
    ['36501d', '"36501d"'],
    [`${'9'.repeat(20)}d`, `"${'9'.repeat(20)}d"`],
    [-1, '-1'],
    [1e300, '1e+300'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [null, 'null'],
    [undefined, 'nothing'],
    [true, 'true'],
    [['30s'], 'an array of 1'],
    [{ s: 30 }, 'an object with s'],
  ])('[RE1, RE9] rejects %j', (value, received) => {
    expect(refused(() => durationMs(value, 'params.ttl'))).toEqual(wrongField('params.ttl', expected, received));
  });

  it('[RE9] the longest still ends at a valid time', () => {
    const end = isoFromMs(Date.UTC(2026, 0, 1) + durationMs('36500d', 'ttl'));
    expect(end).toBe('2125-12-08T00:00:00.000Z');
    expect(msFromIso(end)).toBe(Date.UTC(2125, 11, 8));
  });
});

describe('the limits', () => {
  it('[RE6] have the specified defaults', () => {
    expect(DEFAULT_LIMITS).toMatchObject({
      maxParticipants: 256,
      maxEventBytes: 262_144,
      maxKnobBytes: 65_536,
      maxLabels: 32,
      maxLabelBytes: 1024,
      maxJsonDepth: 64,
      maxEnvelopes: 1_000_000,
      maxFrameBytes: 1_048_576,
    });
  });

  it('[RE6] of the lifecycle are 30 s, 5 s, 2 h and 24 h', () => {
    const { inviteTimeoutMs, drainTimeoutMs, sessionTtlMs, orphanMs } = DEFAULT_LIMITS;
    expect([inviteTimeoutMs, drainTimeoutMs, sessionTtlMs, orphanMs]).toEqual([30_000, 5_000, 7_200_000, 86_400_000]);
  });

  it('[RE6] have the specified defaults for admission, delivery and connections', () => {
    expect(DEFAULT_LIMITS).toMatchObject({
      maxFlushMs: 5_000,
      maxStagedBytes: 67_108_864,
      createKeyMs: 86_400_000,
      window: 256,
      endedForMs: 604_800_000,
      maxOpenRequests: 64,
      maxResponseBytes: 786_432,
    });
  });
});
