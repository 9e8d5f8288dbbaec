import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PostAnswer } from '../../../src/core/decisions/admit.ts';
import { encodePosted } from '../../../src/core/protocol/frames/frame-codec.ts';
import type { Envelope } from '../../../src/core/records/session/envelope.ts';
import { extractSingleEnvelope, serializeEnvelope, serializeUnit } from '../../../src/core/state/serialize.ts';
import { itDeep } from '../../support/size.ts';

/** Characters that JSON must escape, and others. */
const text = fc.string({
  unit: fc.oneof(fc.constantFrom('"', '\\', '\n', '\u0000', '\u2028', '\ud800', 'é', '😀'), fc.constantFrom(...'abc')),
});
const orNull = fc.option(text);
/** Text made by the hub, or matched by a pattern. */
const made = fc.string({ unit: fc.constantFrom(...'0123456789abcdef.-:_TZ'), minLength: 1 });
const data = fc.oneof(
  fc.record({ text }),
  fc.record({ text, usage: fc.jsonValue() }, { requiredKeys: ['text'] }),
  fc.dictionary(text, fc.jsonValue(), { noNullPrototype: true }),
);

/** Members in which a variant may differ. */
const OPEN = [
  'none',
  'none',
  'audience',
  'event_type',
  'event_data',
  'causation_id',
  'priority',
  'ttl_seconds',
] as const;

/** With the member order of the hub. */
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
/** Ordinary envelopes, with at most one unusual member. */
const everyday = fc
  .record({
    session_id: made,
    sender_id: made,
    audience: fc.constant(null),
    event_type: fc.constant('msg.text'),
    event_data: fc.record({ text }),
    causation_id: fc.constant(null),
    task_id: fc.constant(null),
    traceparent: fc.constant(null),
    priority: fc.constant('normal' as const),
    idempotency_key: orNull,
    ttl_seconds: fc.constant(null),
    envelope_id: made,
    seq: fc.nat(),
    depth: fc.nat(),
    created_at: made,
  })
  .chain((plain) => fc.record({ plain: fc.constant(plain), other: envelopes, member: fc.constantFrom(...OPEN) }))
  .map(
    ({ plain, other, member }): Envelope => ({ ...plain, ...(member === 'none' ? {} : { [member]: other[member] }) }),
  );
const turns = fc.option(fc.record({ agent_id: text, since_seq: fc.nat() }));

const awaited = fc.option(fc.record({ text, grant: fc.constant('approve' as const), since_seq: fc.nat() }));

const entries = fc
  .record({
    envelope: fc.oneof(envelopes, everyday),
    turn: turns,
    due: fc.option(fc.maxSafeInteger()),
    awaits: awaited,
  })
  .map(({ due, awaits, ...entry }) => ({
    ...entry,
    ...(due === null ? {} : { due }),
    ...(awaits === null ? {} : { awaits }),
  }));

describe('serialized text', () => {
  itDeep('[ST5] of a unit equals JSON.stringify', () => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 3 }), (entries) => {
        expect(serializeUnit({ entries })).toBe(JSON.stringify({ entries }));
      }),
      { numRuns: 5000 },
    );
  });

  it('[ST5] of an envelope equals JSON.stringify', () => {
    fc.assert(
      fc.property(fc.oneof(envelopes, everyday), (envelope) => {
        expect(serializeEnvelope(envelope)).toBe(JSON.stringify(envelope));
      }),
      { numRuns: 2000 },
    );
  });

  it('[ST5] of a single envelope can be cut out of its unit', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        expect(extractSingleEnvelope(serializeUnit({ entries: [entry] }))).toBe(JSON.stringify(entry.envelope));
      }),
      { numRuns: 2000 },
    );
  });

  it('[PO1] of the answer to a post equals JSON.stringify', () => {
    const answers = fc
      .record({ envelope_id: made, seq: fc.nat(), created_at: made, turn: turns, duplicate: fc.boolean() })
      .map(({ duplicate, ...answer }): PostAnswer => (duplicate ? { ...answer, duplicate } : answer));
    fc.assert(
      fc.property(text, answers, (request_id, result) => {
        const frame = { kind: 'response', request_id, ok: true, result };
        expect(encodePosted(request_id, result)).toBe(JSON.stringify(frame));
      }),
      { numRuns: 2000 },
    );
  });
});
