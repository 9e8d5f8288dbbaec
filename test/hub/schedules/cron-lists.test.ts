// Lists with overlapping parts mean the same as without the overlap.

import fc from 'fast-check';
import { nextRun } from 'parley-hub/node';
import { describe, expect, it } from 'vitest';
import { runs as sized } from '../../support/size.ts';

function runs(expression: string, count = 40): (number | null)[] {
  const found: (number | null)[] = [];
  for (let ms: number | null = Date.UTC(2026, 0, 1); found.length < count && ms !== null; ) {
    ms = nextRun(expression, 'UTC', ms);
    found.push(ms);
  }
  return found;
}

describe('a list with overlapping parts', () => {
  it.each([
    ['0,0 * * * *', '0 * * * *'],
    ['*/10,0 * * * *', '*/10 * * * *'],
    ['0/20,40 * * * *', '0,20,40 * * * *'],
    ['*,5 * * * *', '* * * * *'],
    ['0 9-17,12 * * *', '0 9-17 * * *'],
    ['0 0 * * 0,7', '0 0 * * 0'],
    ['0 0 * * 5-7,SUN', '0 0 * * 0,5,6'],
    ['0 0 * * MON-FRI,1', '0 0 * * 1-5'],
    ['0 0 * * fri,Mon,5', '0 0 * * 1,5'],
    ['0 0 * * 7L,0L', '0 0 * * 0L'],
    ['0 0 * * FRIL,5L,1', '0 0 * * 5L,1'],
    ['0 0 L,15,15 * *', '0 0 15,L * *'],
    ['0 0 1 JAN-MAR,2,mar *', '0 0 1 1-3 *'],
    ['30,0,30 0 0 * * *', '0,30 0 0 * * *'],
    ['0 0 *,1 * 1', '0 0 * * 1'],
  ])('[SC3] %s is %s', (expression, plain) => {
    expect(runs(expression)).toEqual(runs(plain));
    expect(runs(expression)).not.toContain(null);
  });

  it.each([
    '5,70,5 * * * *',
    '5,*/0 * * * *',
    '0 0 * * FRI-MON,1',
    '0 0 * XXX,1 *',
    '0 0 1,1,MON * *',
    '0 0 0,1,1 * *',
    '9-5,1,1 * * * *',
  ])('[SC3] %s is invalid: each part is checked', (expression) => {
    expect(() => nextRun(expression, 'UTC', 0)).toThrow(/^expression: expected/);
  });

  it('[SC3] accepts minutes in any order and with repeats', () => {
    const minutes = fc.array(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(minutes, (listed) => {
        const inOrder = [...new Set(listed)].sort((a, b) => a - b);
        expect(runs(`${listed.join(',')} * * * *`, 3)).toEqual(runs(`${inOrder.join(',')} * * * *`, 3));
      }),
      { numRuns: sized(1000) },
    );
  });
});
