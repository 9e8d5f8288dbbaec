import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/core/protocol/operations/operations.ts';
import {
  type PostParams,
  parsePostParamsFast,
  postParams,
  postSchema,
} from '../../../src/core/protocol/operations/posting.ts';
import { itDeep } from '../../support/size.ts';

const SESSION = '0123456789abcdef0123456789abcdef';
const least = { session_id: SESSION, event_type: 'msg.text', event_data: { text: 'hi' } };

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefA g'), minLength: length - 1, maxLength: length + 1 });
/** Lengths around the limit, with characters of one to four bytes and lone surrogates. */
const text = (most: number) =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc
      .tuple(
        fc.constantFrom('x', 'é', '你', '😀', '\ud800', '"'),
        fc.constantFrom(0, 1, most / 4, most / 3, most / 2, most),
      )
      .map(([unit, times]) => unit.repeat(times)),
    fc.constantFrom(`${'x'.repeat(most)}y`, 'x'.repeat(most - 1), ' '),
  );
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    0,
    -0,
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    '',
    [],
    {},
  ),
  fc.jsonValue(),
);
const orAnything = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 8, arbitrary: arbitrary as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: anything });

/** Mostly valid; any member is sometimes wrong or missing. */
const asked = fc.record(
  {
    session_id: orAnything(fc.oneof(fc.constant(SESSION), hex(32))),
    event_type: orAnything(
      fc.oneof(fc.constantFrom('msg.text', 'note', 'x'.repeat(128), 'x'.repeat(129), '1x', 'a b'), text(128)),
    ),
    event_data: orAnything(fc.dictionary(fc.string(), fc.jsonValue())),
    audience: orAnything(fc.option(fc.array(orAnything(text(64)), { maxLength: 3 }))),
    causation_id: orAnything(fc.option(text(128))),
    task_id: orAnything(fc.option(text(128))),
    traceparent: orAnything(
      fc.option(fc.constantFrom(`00-${SESSION}-0123456789abcdef-01`, `00-${SESSION}-0123456789ABCDEF-01`, '')),
    ),
    priority: orAnything(fc.constantFrom('background', 'normal', 'urgent', 'high')),
    idempotency_key: orAnything(fc.option(text(128))),
    ttl_seconds: orAnything(fc.option(fc.oneof(fc.double(), fc.integer()))),
    expected_seq: orAnything(fc.oneof(fc.double(), fc.integer({ min: -2, max: 5 }), fc.maxSafeNat())),
    stranger: anything,
  },
  { requiredKeys: [] },
);
/** Also with other prototypes, or entirely different values. */
const values = fc.oneof(
  { weight: 10, arbitrary: asked.map((given) => ({ ...least, ...given })) },
  { weight: 3, arbitrary: asked },
  { weight: 1, arbitrary: asked.map((given) => Object.assign(Object.create(null), least, given)) },
  { weight: 1, arbitrary: asked.map((given) => Object.assign(Object.create({ priority: 'high' }), least, given)) },
  { weight: 1, arbitrary: anything },
);

function bySchema(value: unknown): PostParams | null {
  try {
    return postSchema.parse(value, 'params');
  } catch {
    return null;
  }
}

describe('the shortcut for post parameters', () => {
  itDeep('[OP1] returns the result of the schema or nothing', () => {
    fc.assert(
      fc.property(values, (value) => {
        const plain = parsePostParamsFast(value);
        if (plain !== null) expect(plain).toStrictEqual(bySchema(value));
      }),
      { numRuns: 5000 },
    );
  });

  itDeep('[OP1] leaves every error to the schema', () => {
    const outcome = (parse: () => unknown) => {
      try {
        return { parsed: parse() };
      } catch (thrown) {
        return { thrown };
      }
    };
    fc.assert(
      fc.property(values, (value) => {
        const shortened = outcome(() => OPERATIONS.post.params.parse(value, 'params'));
        expect(shortened).toStrictEqual(outcome(() => postSchema.parse(value, 'params')));
      }),
      { numRuns: 2000 },
    );
  });

  it('[OP1] handles ordinary parameters', () => {
    const sent = { ...least, audience: [SESSION], priority: 'urgent', idempotency_key: 'k-1', expected_seq: 7 };
    for (const params of [least, sent, { ...least, audience: null, ttl_seconds: 1.5, task_id: null }]) {
      expect(parsePostParamsFast(params)).toStrictEqual(params);
    }
    expect(postParams.jsonSchema()).toEqual(postSchema.jsonSchema());
  });

  it('[RE2] shares no list with its input', () => {
    const audience = [SESSION];
    const parsed = parsePostParamsFast({ ...least, audience });
    audience.push('somebody else');
    expect(parsed?.audience).toEqual([SESSION]);
  });
});
