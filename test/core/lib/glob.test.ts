import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyMatches, globMatches, isCovered, reduceGlobs } from '../../../src/core/lib/glob.ts';

const RUNS = { numRuns: 2000 };
const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });

/** The definition of globs, as a simple recursion. */
function matches([first, ...rest]: readonly string[], text: readonly string[]): boolean {
  if (first === undefined) return text.length === 0;
  if (first === '*') return matches(rest, text) || (text.length > 0 && matches([first, ...rest], text.slice(1)));
  return text.length > 0 && (first === '?' || first === text[0]) && matches(rest, text.slice(1));
}

describe('globs', () => {
  it.each([
    ['*', '', true],
    ['*', 'alice', true],
    ['al*', 'alice', true],
    ['al*', 'bob', false],
    ['*.eu', 'a.b.eu', true],
    ['?ob', 'bob', true],
    ['?ob', 'ob', false],
    ['a*b*c', 'aXbXbXc', true],
    ['a.c', 'abc', false],
    ['', '', true],
    ['', 'a', false],
  ])('[RU2] matches %j with %j: %j', (glob, text, expected) => {
    expect(globMatches(glob, text)).toBe(expected);
  });

  it('[RU2] match by their definition', () => {
    fc.assert(
      fc.property(pattern, name, (glob, text) => globMatches(glob, text) === matches([...glob], [...text])),
      RUNS,
    );
  });

  it('[RU2] take no exponential time for many stars', () => {
    // A backtracking matcher would not finish with 32 stars.
    expect(globMatches(`${'*a'.repeat(31)}*b`, 'a'.repeat(64))).toBe(false);
  });

  it('[RU3] match every name that a covered list matches', () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 3 }),
        fc.array(pattern, { maxLength: 3 }),
        name,
        (inner, outer, text) => {
          fc.pre(isCovered(inner, outer));
          return !anyMatches(inner, text) || anyMatches(outer, text);
        },
      ),
      RUNS,
    );
  });

  it('[RU3] match the same when reduced, and equivalent lists reduce to equal ones', () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 4 }),
        fc.array(pattern, { maxLength: 4 }),
        name,
        (one, other, text) => {
          const [a, b] = [reduceGlobs(one), reduceGlobs(other)];
          expect(anyMatches(a, text)).toBe(anyMatches(one, text));
          expect(isCovered(a, one) && isCovered(one, a)).toBe(true);
          if (isCovered(a, b) && isCovered(b, a)) expect(a).toEqual(b);
        },
      ),
      RUNS,
    );
  });
});
