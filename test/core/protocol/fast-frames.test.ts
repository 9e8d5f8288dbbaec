import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clientFrames, parseFrameFast } from '../../../src/core/protocol/frames/frame-codec.ts';

const ID = '0123456789abcdef0123456789abcdef';

/** Lengths around the limit, including lone surrogates. */
const text = (most: number) =>
  fc.oneof(
    fc.constant(ID),
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc
      .tuple(fc.constantFrom('x', 'é', '😀', '\ud800'), fc.constantFrom(0, 1, most / 2, most - 1, most, most + 1))
      .map(([unit, times]) => unit.repeat(times)),
  );
const anything = fc.oneof(fc.constantFrom<unknown>(null, true, 0, -0, -1, 1.5, 2 ** 53, '', [], {}), fc.jsonValue());
const orAnything = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 8, arbitrary: arbitrary as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: anything });

/** Mostly valid; members are sometimes wrong or missing. */
const request = fc.record(
  {
    kind: fc.constant('request'),
    request_id: orAnything(text(128)),
    op: orAnything(fc.oneof(fc.constantFrom('post', 'health'), text(64))),
    params: orAnything(fc.dictionary(fc.string(), fc.jsonValue())),
    as: orAnything(text(64)),
    deadline_ms: orAnything(fc.integer({ min: 0, max: 3 })),
    stranger: anything,
  },
  { requiredKeys: ['kind'] },
);
const receipt = fc.record(
  {
    kind: fc.constant('receipt'),
    recipient_id: orAnything(text(64)),
    session_id: orAnything(text(64)),
    seq: orAnything(fc.oneof(fc.maxSafeNat(), fc.integer({ min: -2, max: 5 }), fc.double())),
    status: orAnything(fc.constantFrom('ack', 'nack', 'seen', 'ok')),
    reason: orAnything(text(1024)),
  },
  { requiredKeys: ['kind'] },
);
const others = fc.record({ kind: fc.constantFrom<unknown>('hello', 'ping', 'pong', 'notify', 5, null) });

/** Parsed from JSON text. */
const values = fc.oneof(request, receipt, others).map((frame): { kind: string } => JSON.parse(JSON.stringify(frame)));

function bySchema(value: { readonly kind: string }): unknown {
  try {
    return clientFrames.get(value.kind)?.parse(value, 'frame') ?? null;
  } catch {
    return null;
  }
}

it('[RE1] the shortcut returns exactly the result of the schema', () => {
  fc.assert(
    fc.property(values, (value) => {
      const plain = parseFrameFast(value.kind, value);
      if (plain !== null) expect(JSON.stringify(plain)).toBe(JSON.stringify(sorted(bySchema(value), plain)));
    }),
    { numRuns: 5000 },
  );
});

it('[RE1] ordinary requests and receipts use the shortcut', () => {
  const asked = { kind: 'request', request_id: '1', op: 'post', params: { text: 'hi' } };
  const acked = { kind: 'receipt', recipient_id: ID, session_id: ID, seq: 5, status: 'ack' };
  for (const frame of [asked, { ...asked, as: 'alice' }, acked, { ...acked, status: 'seen' }]) {
    expect(parseFrameFast(frame.kind, frame)).toEqual(frame);
  }
});

/** The members of `value` in the order of `like`. */
function sorted(value: unknown, like: object): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const order = Object.keys(like);
  const place = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length);
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => place(a) - place(b)));
}
