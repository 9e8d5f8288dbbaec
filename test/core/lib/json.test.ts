import { isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  copyJson,
  copyJsonObject,
  describeValue,
  isWellFormed,
  type Json,
  jsonEqual,
  utf8Bytes,
} from '../../../src/core/lib/json.ts';
import { refused, refusedAs, wrongField } from '../refused.ts';

const runs = { numRuns: 1000 };
const roomy = { maxDepth: 64, maxBytes: 1024 * 1024 };

/** Any JSON value with any Unicode text, but no key `__proto__`. */
const jsonValue = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 5 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json)
  .filter((value) => !JSON.stringify(value).includes('"__proto__":'));

/** Few leaves and keys, so that two values are often equal. */
const smallValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 0, 1, '', '1', 'null'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '1', '10', '9'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** Any UTF-16 units, including lone surrogates. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd7f0, max: 0xe010 })))
  .map((units) => String.fromCharCode(...units));

class Point {
  x = 1;
}

describe('copyJson', () => {
  it('[RE2] returns every JSON value unchanged', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(copyJson(value, 'value', roomy)).toStrictEqual(value);
      }),
      runs,
    );
  });

  it('[RE2] returns a deeply frozen copy that shares nothing with its input', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const copy = copyJson(value, 'value', roomy);
        const came = new Set(containers(value));
        for (const container of containers(copy)) {
          expect(Object.isFrozen(container)).toBe(true);
          expect(came.has(container)).toBe(false);
        }
      }),
      runs,
    );
  });

  it('[RE2] returns what survives a round trip through JSON text', () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 3 }), (value) => {
        try {
          const copy = copyJson(value, 'value', roomy);
          expect(JSON.parse(JSON.stringify(copy))).toStrictEqual(copy);
        } catch (thrown) {
          expect(thrown).toMatchObject({ name: 'WireError', details: { field: expect.stringContaining('value') } });
        }
      }),
      runs,
    );
  });

  it('[RE2] accepts objects without a prototype and from another realm', () => {
    const bare = Object.assign(Object.create(null), { a: 1 });
    expect(copyJson(bare, 'value', roomy)).toStrictEqual({ a: 1 });
    expect(copyJson(runInNewContext('({ a: [1, { b: null }] })'), 'value', roomy)).toStrictEqual({
      a: [1, { b: null }],
    });
  });

  it('[RE2] omits undefined members and turns -0 into 0', () => {
    const copy = copyJson({ a: undefined, b: -0 }, 'value', roomy) as { b: number };
    expect(copy).toStrictEqual({ b: 0 });
    expect(Object.is(copy.b, 0)).toBe(true);
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const bad: readonly (readonly [string, unknown, string, string, string])[] = [
    ['undefined', undefined, 'v', 'a JSON value', 'nothing'],
    ['undefined in a list', { a: [1, undefined] }, 'v.a[1]', 'a JSON value', 'nothing'],
    ['a hole in a list', [new Array(1)], 'v[0][0]', 'a JSON value', 'nothing'],
    ['NaN', { a: Number.NaN }, 'v.a', 'a finite number', 'NaN'],
    ['Infinity', [Number.POSITIVE_INFINITY], 'v[0]', 'a finite number', 'Infinity'],
    ['a bigint', { a: 5n }, 'v.a', 'a JSON value', '5n'],
    ['a function', { a: () => 1 }, 'v.a', 'a JSON value', 'a function'],
    ['a symbol', { a: Symbol('s') }, 'v.a', 'a JSON value', 'a symbol'],
    ['a date', { a: new Date(0) }, 'v.a', 'a JSON value', 'a Date'],
    ['a map', { a: new Map() }, 'v.a', 'a JSON value', 'a Map'],
    ['an instance', { a: { b: new Point() } }, 'v.a.b', 'a JSON value', 'a Point'],
    ['a derived object', Object.create({ inherited: 1 }), 'v', 'a JSON value', 'a Object'],
    ['bytes', { a: new Uint8Array(2) }, 'v.a', 'a JSON value', 'a Uint8Array'],
    ['a lone surrogate', { a: 'x\ud800' }, 'v.a', 'well-formed Unicode text (no lone surrogate)', '"x\\ud800"'],
    ['a lone surrogate in a key', { a: { '\udfff': 1 } }, 'v.a', 'well-formed Unicode keys', '"\\udfff"'],
    ['the key __proto__', JSON.parse('{"a":{"__proto__":1}}'), 'v.a.__proto__', 'another key', '"__proto__"'],
    ['a cycle', cycle, `v${'.self'.repeat(4)}`, 'JSON nested at most 4 deep', '"deeper nesting"'],
    ['nesting deeper than the bound', [[[[[]]]]], 'v[0][0][0][0]', 'JSON nested at most 4 deep', '"deeper nesting"'],
  ];

  it.each(bad)('[RE1, RE2] rejects %s and names the field', (_what, value, field, expected, received) => {
    expect(refused(() => copyJson(value, 'v', { maxDepth: 4, maxBytes: 1000 }))).toEqual(
      wrongField(field, expected, received),
    );
  });

  it('[RE6] accepts nesting up to the limit', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'leaf' : [nested(depth - 1)]);
    expect(copyJson(nested(64), 'v', roomy)).toStrictEqual(nested(64));
    expect(refused(() => copyJson(nested(65), 'v', roomy)).code).toBe('bad_frame');
  });

  it.each([
    ['ASCII', 'abc', 5],
    ['two bytes each', 'äö', 6],
    ['three bytes each', '中文', 8],
    ['four bytes', '😀', 6],
    ['escaped', '\n', 4],
  ])('[RE6] counts bytes of JSON text (%s) and accepts values up to the limit', (_what, text, bytes) => {
    expect(copyJson(text, 'v', { maxDepth: 1, maxBytes: bytes })).toBe(text);
    expect(refused(() => copyJson(text, 'v', { maxDepth: 1, maxBytes: bytes - 1 }))).toEqual({
      code: 'too_large',
      message: `v: ${bytes} bytes of JSON; at most ${bytes - 1} are allowed`,
      details: { field: 'v', expected: `at most ${bytes - 1} bytes`, received: `${bytes} bytes` },
    });
  });
});

describe('copyJsonObject', () => {
  it.each([
    [null, 'null'],
    [[], 'an array of 0'],
    ['x', '"x"'],
    [5, '5'],
    [undefined, 'nothing'],
    [new Point(), 'a Point'],
  ])('[RE1] rejects %j', (value, received) => {
    expect(refused(() => copyJsonObject(value, 'event_data', roomy))).toEqual(
      refusedAs('bad_frame', `event_data: expected a JSON object, got ${received}`, {
        field: 'event_data',
        expected: 'a JSON object',
        received,
      }),
    );
  });
});

describe('canonicalJson', () => {
  it('[AM3] is equal for equal values only, whatever the order of keys', () => {
    let equal = 0;
    fc.assert(
      fc.property(smallValue, smallValue, (a, b) => {
        const same = isDeepStrictEqual(a, b);
        if (same) equal += 1;
        expect(canonicalJson(a) === canonicalJson(b)).toBe(same);
        expect(jsonEqual(a, b)).toBe(same);
      }),
      { numRuns: 3000 },
    );
    expect(equal).toBeGreaterThan(50);
  });

  it('[AM3] ignores the order of keys at any depth', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
      runs,
    );
  });

  it('[AM3] is JSON text of the value', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(JSON.parse(canonicalJson(value))).toStrictEqual(value);
      }),
      runs,
    );
  });
});

describe('text', () => {
  it('[RE6] has its length in UTF-8 as utf8Bytes, well-formed or not', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(utf8Bytes(text)).toBe(Buffer.byteLength(text, 'utf8'));
      }),
      { numRuns: 5000 },
    );
  });

  it('[RE2] is well-formed if it survives UTF-8', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(isWellFormed(text)).toBe(builtIn(text));
        expect(isWellFormed(text)).toBe(Buffer.from(text, 'utf8').toString('utf8') === text);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('describeValue', () => {
  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [true, 'true'],
    [-1.5, '-1.5'],
    ['a "b"', '"a \\"b\\""'],
    [[1, 2], 'an array of 2'],
    [{}, 'an empty object'],
    [{ a: 1, b: 2 }, 'an object with a, b'],
    [Object.create(Object.create(null)), 'a strange object'],
  ])('[RE1] describes %j as %s', (value, description) => {
    expect(describeValue(value)).toBe(description);
  });

  it('[RE1] is short and well-formed for any value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string({ unit: 'binary', minLength: 60, maxLength: 200 })), (value) => {
        const description = describeValue(value);
        expect(description.length).toBeLessThanOrEqual(80);
        expect(builtIn(description)).toBe(true);
      }),
      runs,
    );
    expect(describeValue('x'.repeat(78))).toBe(`"${'x'.repeat(78)}"`);
    expect(describeValue('x'.repeat(79))).toBe(`"${'x'.repeat(76)}...`);
    expect(describeValue(`${'x'.repeat(75)}😀😀😀`)).toBe(`"${'x'.repeat(75)}...`);
  });
});

/** Newer than the language library we compile with. */
function builtIn(text: string): boolean {
  return (text as unknown as { isWellFormed(): boolean }).isWellFormed();
}

function containers(value: Json): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap((member) => containers(member as Json))];
}

function reversed(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member as Json)]),
  );
}
