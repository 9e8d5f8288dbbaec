import { describe, expect, it } from 'vitest';
import { survivesJson } from '../../../src/hub/sessions/snapshots.ts';

const cycle: Record<string, unknown> = {};
cycle.self = cycle;
const hidden = Object.defineProperty({ a: 1 }, 'b', { value: 2, enumerable: false });

describe('survivesJson', () => {
  it('[RC3] takes what JSON gives back as it was', () => {
    const values: unknown[] = [null, true, 0, -1.5, 'ü\ud800', [], [1, [null]], {}, { a: { b: [{}] }, constructor: 1 }];
    for (const value of values) {
      expect(survivesJson(value)).toBe(true);
      expect(JSON.parse(JSON.stringify(value))).toEqual(value);
    }
  });

  it.each([
    ['undefined', undefined],
    ['undefined in an object', { a: undefined }],
    ['a hole', new Array(2)],
    ['a list with a name', Object.assign([1], { name: 'x' })],
    ['NaN', [Number.NaN]],
    ['minus zero', { a: -0 }],
    ['a bigint', 1n],
    ['a function', { toJSON: () => 1 }],
    ['a map', new Map()],
    ['a date', new Date(0)],
    ['a symbol', { [Symbol('s')]: 1 }],
    ['what is hidden', hidden],
    ['a key that JSON.parse would take for the prototype', JSON.parse('{"__proto__": 1}')],
    ['a cycle', cycle],
  ])('[RC3] does not take %s', (_, value) => expect(survivesJson(value)).toBe(false));
});
