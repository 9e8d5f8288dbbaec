import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../src/core/envelope.ts';
import { envelopeText, unitText } from '../../src/core/unit-text.ts';

/** All that JSON must escape, and what it must not. */
const text = fc.string({
  unit: fc.oneof(fc.constantFrom('"', '\\', '\n', '\u0000', '\u2028', '\ud800', 'é', '😀'), fc.constantFrom(...'abc')),
});
const orNull = fc.option(text);
/** What the hub makes itself, or takes only if it matches a pattern. */
const made = fc.string({ unit: fc.constantFrom(...'0123456789abcdef.-:_TZ'), minLength: 1 });
const data = fc.oneof(
  fc.record({ text }),
  fc.record({ text, usage: fc.jsonValue() }, { requiredKeys: ['text'] }),
  fc.dictionary(text, fc.jsonValue(), { noNullPrototype: true }),
);

/** In the order in which the hub makes its members. */
const envelopes = fc
  .record({
    session_id: made,
    sender_id: made,
    audience: fc.option(fc.array(text)),
    event_type: made,
    event_data: data,
    causation_id: orNull,
    task_id: orNull,
    traceparent: orNull,
    priority: fc.constantFrom('background', 'normal', 'urgent'),
    idempotency_key: orNull,
    ttl_seconds: fc.option(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })),
    envelope_id: made,
    seq: fc.nat(),
    depth: fc.nat(),
    created_at: made,
  })
  // Arbitrary JSON is JSON.
  .map((envelope) => envelope as Envelope);
/** Absent in most, and any time a clock can have. */
const entries = fc.record(
  {
    envelope: envelopes,
    turn: fc.option(fc.record({ agent_id: text, since_seq: fc.nat() })),
    due: fc.maxSafeInteger(),
  },
  { requiredKeys: ['envelope', 'turn'] },
);

describe('the text of what is written', () => {
  it('[ST5] of a unit is what JSON makes of it', () => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 3 }), (unit) => {
        expect(unitText({ entries: unit })).toBe(JSON.stringify({ entries: unit }));
      }),
      { numRuns: 2000 },
    );
  });

  it('[ST5] of an envelope is what JSON makes of it', () => {
    fc.assert(
      fc.property(envelopes, (envelope) => {
        expect(envelopeText(envelope)).toBe(JSON.stringify(envelope));
      }),
      { numRuns: 2000 },
    );
  });
});
