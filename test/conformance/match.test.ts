// The matcher: as the corpus compares, and without the holes of that.

import { expect, it } from 'vitest';
import { difference } from '../../src/governed/conformance/match.ts';

it.each([
  ['a member more is fine', { a: 1 }, { a: 1, b: 2 }, null, null],
  ['a member less is not', { a: 1, b: 2 }, { a: 1 }, '$.b', '$.b'],
  ['numbers are no texts', { a: 1 }, { a: '1' }, '$.a', '$.a'],
  ['arrays have their length', [1], [1, 2], '$', '$'],
  ['arrays have their order', [1, 2], [2, 1], '$[0]', '$[0]'],
  ['warnings_allowed is no member', { warnings_allowed: true }, { b: 1 }, null, null],
  ['nothing in it means nothing in it, strictly', { a: {} }, { a: { b: 1 } }, null, '$.a (nothing was expected in it)'],
  ['an array is no object, strictly', { a: {} }, { a: [] }, null, '$.a'],
  ['null is not present, strictly', { a: { assert: 'present' } }, { a: null }, null, '$.a'],
  ['nothing is not present', { a: { assert: 'present' } }, {}, '$.a', '$.a'],
  ['a blank text is empty', { assert: 'nonempty_string' }, ' ', '$', '$'],
  ['an id begins as it should', { assert: 'id_prefix', value: 'run_' }, 'run_1', null, null],
  ['an id that does not is another', { assert: 'id_prefix', value: 'run_' }, 'turn_1', '$', '$'],
  ['any order is any order', { assert: 'unordered_array', items: [1, { a: 2 }] }, [{ a: 2 }, 1], null, null],
  ['but each item once', { assert: 'unordered_array', items: [1, 1] }, [1, 2], '$', '$'],
  [
    'an unknown assertion never holds',
    { assert: 'whatever' },
    1,
    '$ (no such assertion: whatever)',
    '$ (no such assertion: whatever)',
  ],
  ['inherited members do not count', { constructor: { assert: 'present' } }, {}, '$.constructor', '$.constructor'],
])('[GV19] %s', (_, expected, actual, loose, strict) => {
  expect(difference(expected, actual, false)).toBe(loose);
  expect(difference(expected, actual, true)).toBe(strict);
});
