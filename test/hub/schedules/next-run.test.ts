import fc from 'fast-check';
import { nextRun } from 'parley-hub/node';
import { describe, expect, it } from 'vitest';
import { WireError } from '../../../src/core/lib/errors.ts';
import { runUpTo } from '../../../src/hub/schedules/next-run.ts';
import { itDeep, runs as sized } from '../../support/size.ts';
import { type Matches, runsByLooking } from './wall-clock.ts';

/** The first runs after a time, in UTC. */
function runs(expression: string, zone: string, after: string, count: number): string[] {
  const found: string[] = [];
  for (let ms = Date.parse(after); found.length < count; ) {
    const next = nextRun(expression, zone, ms);
    if (next === null) break;
    found.push(new Date(next).toISOString().replace(':00.000Z', 'Z'));
    ms = next;
  }
  return found;
}

describe('a change of the clocks', () => {
  it.each([
    // 02:00 → 03:00 at 01:00Z.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', '2026-03-28T01:30Z 2026-03-29T01:00Z 2026-03-30T00:30Z'],
    // 02:00 → 03:00 at 07:00Z.
    ['30 2 * * *', 'America/New_York', '2026-03-07T00:00Z', '2026-03-07T07:30Z 2026-03-08T07:00Z 2026-03-09T06:30Z'],
    // 02:00 → 02:30 at 15:30Z.
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T00:00Z', '2026-10-02T15:45Z 2026-10-03T15:30Z 2026-10-04T15:15Z'],
    // A whole day was skipped, at 10:00Z.
    ['0 12 * * *', 'Pacific/Apia', '2011-12-29T00:00Z', '2011-12-29T22:00Z 2011-12-30T10:00Z 2011-12-30T22:00Z'],
  ])('[SC2] in spring runs %s in %s at the first instant after the gap', (expression, zone, after, expected) => {
    expect(runs(expression, zone, after, 3).join(' ')).toBe(expected);
  });

  it.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    ['30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', ['2026-11-01T05:30Z', '2026-11-02T06:30Z']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00Z', ['2026-04-04T14:45Z', '2026-04-05T15:15Z']],
  ])('[SC2] in autumn runs %s in %s once, the first time', (expression, zone, after, expected) => {
    expect(runs(expression, zone, after, 2)).toEqual(expected);
  });

  it('[SC2] runs several times in one gap once, together with the end of the gap', () => {
    expect(runs('*/15 * * * *', 'Europe/Berlin', '2026-03-29T00:30Z', 3)).toEqual([
      '2026-03-29T00:45Z',
      '2026-03-29T01:00Z',
      '2026-03-29T01:15Z',
    ]);
    expect(runs('10,50 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:10Z',
    ]);
  });

  it('[SC2] runs every quarter of a repeated hour once', () => {
    expect(runs('*/30 * * * *', 'Europe/Berlin', '2026-10-25T00:00Z', 3)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-25T02:00Z',
      '2026-10-25T02:30Z',
    ]);
  });
});

/** An expression as text, and its meaning as a function. */
interface Written {
  readonly expression: string;
  readonly matches: Matches;
}

type Values = readonly number[] | null;

function written(minutes: Values, hours: Values, days: Values, months: Values, weekdays: Values): Written {
  const has = (values: Values, value: number): boolean => values === null || values.includes(value);
  const isDay = (date: Date): boolean => {
    const [byDay, byWeekday] = [has(days, date.getUTCDate()), has(weekdays, date.getUTCDay())];
    return days === null || weekdays === null ? byDay && byWeekday : byDay || byWeekday;
  };
  return {
    expression: [minutes, hours, days, months, weekdays].map((values) => values?.join(',') ?? '*').join(' '),
    matches: (wallMs) => {
      // Called for every minute of ten years, so it creates no date where the minute decides.
      if (!has(minutes, Math.floor(wallMs / 60_000) % 60)) return false;
      const date = new Date(wallMs);
      return has(hours, date.getUTCHours()) && has(months, date.getUTCMonth() + 1) && isDay(date);
    },
  };
}

const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];

describe('ten years', () => {
  const cases: readonly Written[] = [
    written([30], [2], null, null, null),
    written([0], [0], null, null, [1, 2, 3, 4, 5]),
    written([0, 15, 45], [1, 2], [1, 25, 29, 31], [2, 3, 4, 10, 11], null),
    written([59], [23], [31], null, [0]),
    written([0], [12], [29], [2], null),
  ];
  itDeep.each(ZONES.slice(0, 3).flatMap((zone) => cases.map((one) => [one.expression, zone, one] as const)))(
    '[SC1, SC2] of %s in %s are what one sees who looks at the clock every minute',
    (expression, zone, { matches }) => {
      const from = Date.UTC(2024, 1, 1);
      const to = Date.UTC(2033, 11, 1);
      const expected = runsByLooking(matches, zone, from, to, Number.POSITIVE_INFINITY);
      const found: number[] = [];
      for (
        let next = nextRun(expression, zone, from);
        next !== null && next <= to;
        next = nextRun(expression, zone, next)
      ) {
        found.push(next);
      }
      expect(found).toEqual(expected);
      expect(found.length).toBeGreaterThan(1);
    },
    60_000,
  );

  /** Some of the values of a field, or all of them. */
  const some = (from: number, to: number): fc.Arbitrary<Values> =>
    fc.oneof(fc.constant(null), fc.uniqueArray(fc.integer({ min: from, max: to }), { minLength: 1, maxLength: 4 }));
  /** Near a change of the clocks, or anywhere. */
  const time = fc.oneof(
    fc.integer({ min: Date.UTC(2024, 2, 1), max: Date.UTC(2033, 9, 1) }),
    fc
      .tuple(
        fc.constantFrom(Date.UTC(2026, 2, 29), Date.UTC(2026, 9, 25), Date.UTC(2027, 2, 14), Date.UTC(2027, 10, 7)),
        fc.integer({ min: -86_400_000, max: 86_400_000 }),
      )
      .map(([change, by]) => change + by),
    fc
      .tuple(
        fc.constantFrom(Date.UTC(2026, 9, 3, 15, 30), Date.UTC(2026, 3, 4, 15)),
        fc.integer({ min: -7200, max: 7200 }),
      )
      .map(([change, by]) => change + by * 1000),
  );

  it('[SC1, SC2] finds the next runs and the last one before, for any expression, time and zone', () => {
    const SPAN = 20 * 86_400_000;
    fc.assert(
      fc.property(
        fc.tuple(some(0, 59), some(0, 23), some(1, 31), some(1, 12), some(0, 6)).map((fields) => written(...fields)),
        fc.constantFrom(...ZONES),
        time,
        ({ expression, matches }, zone, after) => {
          const expected = runsByLooking(matches, zone, after, after + SPAN, 4);
          let ms = after;
          for (const run of expected) {
            ms = nextRun(expression, zone, ms) ?? 0;
            expect([expression, zone, ms]).toEqual([expression, zone, run]);
            expect(runUpTo(expression, zone, ms)).toBe(ms);
          }
          const [first, second] = expected;
          if (first !== undefined && second !== undefined) expect(runUpTo(expression, zone, second - 1)).toBe(first);
          if (expected.length === 4) return;
          const further = nextRun(expression, zone, ms);
          if (further !== null) expect(further).toBeGreaterThan(after + SPAN);
        },
      ),
      { numRuns: sized(1000) },
    );
  }, 120_000);
});

describe('an expression', () => {
  const AFTER = '2026-01-01T00:00Z';
  it.each([
    ['*/20 * * * *', ['2026-01-01T00:20Z', '2026-01-01T00:40Z']],
    ['0 9-17/4 * * mon-fri', ['2026-01-01T09:00Z', '2026-01-01T13:00Z']],
    ['0 0 1 JAN,jul *', ['2026-07-01T00:00Z', '2027-01-01T00:00Z']],
    ['5/25 3 * * *', ['2026-01-01T03:05Z', '2026-01-01T03:30Z']],
    ['0 0 ? * sun', ['2026-01-04T00:00Z', '2026-01-11T00:00Z']],
    ['0 0 * * 7', ['2026-01-04T00:00Z', '2026-01-11T00:00Z']],
    ['0 0 L * *', ['2026-01-31T00:00Z', '2026-02-28T00:00Z']],
    ['0 0 * * 5L', ['2026-01-30T00:00Z', '2026-02-27T00:00Z']],
    ['0 0 * * fri#2', ['2026-01-09T00:00Z', '2026-02-13T00:00Z']],
    // Either matches.
    ['0 0 13 * fri', ['2026-01-02T00:00Z', '2026-01-09T00:00Z']],
    ['0 0 29 2 *', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
    ['@daily', ['2026-01-02T00:00Z', '2026-01-03T00:00Z']],
    ['  0   6 * * * ', ['2026-01-01T06:00Z', '2026-01-02T06:00Z']],
  ])('[SC3] accepts %s', (expression, expected) => {
    expect(runs(expression, 'UTC', AFTER, 2)).toEqual(expected);
  });

  it('[SC3] starts with seconds if it has six fields', () => {
    expect(nextRun('*/10 * * * * *', 'UTC', Date.parse(AFTER) + 1)).toBe(Date.parse(AFTER) + 10_000);
    expect(nextRun('59 59 23 31 12 *', 'UTC', Date.parse(AFTER))).toBe(Date.parse('2026-12-31T23:59:59Z'));
  });

  const INVALID = [
    '99 * * * * | * * * * | * * * * * * * | 5* * * * * | ** * * * * | */0 * * * * | */ * * * *',
    '/5 * * * * | 1-2-3 * * * * | 30-10 * * * * | -1 * * * * | 1.5 * * * * | 1,,2 * * * * | H * * * *',
    'L * * * * | ? * * * * | 0 24 * * * | 0 0 0 * * | 0 0 15W * * | 0 0 L-3 * * | 0 0 15L * *',
    '0 0 * 13 * | 0 0 * foo * | 0 0 * * 8 | 0 0 * * L | 0 0 * * mon#6 | 0 0 * * mon#1,tue#2',
    '0 0 * * fri-sun | @reboot | @secondly | constructor | __proto__ | every monday',
  ].flatMap((row) => row.split(' | '));

  it.each(['', '   ', 'x'.repeat(10_000), `${'1,'.repeat(5000)}1 * * * *`, ...INVALID])(
    '[SC3] rejects %j and names what was expected',
    (expression) => {
      const error = thrownBy(() => nextRun(expression, 'UTC', 0));
      expect(error).toBeInstanceOf(WireError);
      expect(error).toMatchObject({
        code: 'bad_frame',
        message: expect.stringMatching(/^expression: expected .*, got /),
      });
      expect(String(error).length).toBeLessThan(800);
    },
  );

  it.each([
    ['61 * * * *', 'minute', 'numbers from 0 to 59', '61'],
    ['61 * * * * *', 'second', 'numbers from 0 to 59', '61'],
    ['0 24 * * *', 'hour', 'numbers from 0 to 23', '24'],
    ['0 0 L-3 * *', 'day', 'L (the last day of the month)', 'L-3'],
    ['0 0 * foo *', 'month', 'names (jan)', 'foo'],
    ['0 0 * * mon#1,tue#2', 'weekday', '5#2 (the second Friday) alone', 'mon#1,tue#2'],
    ['0 0 * * mon#6', 'weekday', '5L (the last Friday of the month)', 'mon#6'],
  ])('[SC3] names the wrong field of %j, and what it accepts', (expression, name, takes, received) => {
    const error = thrownBy(() => nextRun(expression, 'UTC', 0));
    expect(error).toMatchObject({
      details: { expected: expect.stringContaining(`in the field for the ${name} `), received: `"${received}"` },
    });
    expect(error).toMatchObject({ message: expect.stringContaining(takes) });
  });

  it.each([null, undefined, 7, ['* * * * *'], {}])('[SC3] rejects %j', (expression) => {
    expect(thrownBy(() => nextRun(expression as string, 'UTC', 0))).toMatchObject({ code: 'bad_frame' });
  });

  it.each(['0 0 31 2 *', '0 0 30 2 *', '0 0 31 4,6,9,11 *', '0 0 30,31 2 *'])('[SC3] %s never comes', (expression) => {
    expect(nextRun(expression, 'Europe/Berlin', Date.parse(AFTER))).toBeNull();
    expect(runUpTo(expression, 'Europe/Berlin', Date.parse(AFTER))).toBeNull();
  });

  it('[SC3] treats a time that comes once in 28 years as never', () => {
    // A fifth Friday in February: 2036 is the next after 2008.
    expect(nextRun('0 0 * 2 5#5', 'UTC', Date.UTC(2010, 0, 1))).toBeNull();
    expect(nextRun('0 0 * 2 5#5', 'UTC', Date.UTC(2030, 0, 1))).toBe(Date.UTC(2036, 1, 29));
  });

  it('[SC3] accepts or rejects any text, quickly', () => {
    const word = fc.constantFrom(' ', ...'* ? / - , # L W H mon jan 0 5 31 59 @daily'.split(' '));
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 20 }).map((words) => words.join('')),
        (expression) => {
          try {
            const next = nextRun(expression, 'UTC', 0);
            if (next !== null) expect(next).toBeGreaterThan(0);
          } catch (thrown) {
            expect(thrown).toMatchObject({ code: 'bad_frame' });
          }
        },
      ),
      { numRuns: sized(3000) },
    );
  });

  it.each(['Mars/Phobos', '', '+01:00', 'UTC+1', '../etc/passwd', 'x'.repeat(10_000), 7, null])(
    '[SC3] rejects the zone %j',
    (zone) => {
      const error = thrownBy(() => nextRun('* * * * *', zone as string, 0));
      expect(error).toMatchObject({
        code: 'bad_frame',
        details: { field: 'zone', expected: expect.stringContaining('Europe/Berlin') },
      });
    },
  );

  it.each([
    [Number.NaN, 'NaN'],
    [-1, '-1'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [8.64e15, '8640000000000000'],
    ['2026', '"2026"'],
    [new Date(0), 'a Date'],
    [[], 'an array of 0'],
    [5n, '5n'],
    [null, 'null'],
    [true, 'true'],
    [undefined, 'nothing'],
  ])('[SC3] rejects the time %s', (after, received) => {
    expect(thrownBy(() => nextRun('* * * * *', 'UTC', after as never))).toMatchObject({
      name: 'WireError',
      code: 'bad_frame',
      details: { field: 'afterMs', received },
    });
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
    return null;
  } catch (thrown) {
    return thrown;
  }
}
