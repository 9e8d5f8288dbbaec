import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/lib/json.ts';
import { sha256 } from '../../../src/core/lib/sha256.ts';
import type { Envelope } from '../../../src/core/records/session/envelope.ts';
import { isSameContent, keyRecord } from '../../../src/core/records/session/keys.ts';
import {
  digestsOf,
  redactableContent,
  redactableField,
  tombstone,
} from '../../../src/core/records/session/redaction.ts';
import { spendFromEnvelope } from '../../../src/core/records/session/spending.ts';
import { findInState } from '../../../src/core/state/find-in-state.ts';
import { serializeUnit } from '../../../src/core/state/serialize.ts';
import type { SessionState } from '../../../src/core/state/state.ts';
import { textUnit } from '../../support/sample-records.ts';

function envelopeOf(event_type: string, event_data: JsonObject, more: Partial<Envelope> = {}): Envelope {
  const [entry] = textUnit('a'.repeat(32), 5, 1).entries;
  if (entry === undefined) throw new Error('no entry');
  return { ...entry.envelope, event_type, event_data, ...more };
}

const about = { by: null, at: '2026-01-01T00:00:00.000Z', reason: 'leak' };
const gone = (envelope: Envelope): Envelope => tombstone(envelope, { ...about, ...digestsOf(envelope) });

describe('the digest of a redaction', () => {
  it('[RD2] is a SHA-256', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
      }),
      { numRuns: 2000 },
    );
    for (const length of [0, 55, 56, 63, 64, 65, 119, 120, 1_000_000]) {
      const text = 'x'.repeat(length);
      expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
    }
  });

  it('[RD2] covers the canonical JSON of the data', () => {
    const { digest } = digestsOf(envelopeOf('msg.text', { text: 'x', a: 1 }));
    expect(digest).toBe(createHash('sha256').update('{"a":1,"text":"x"}').digest('hex'));
  });
});

describe('a tombstone', () => {
  it('[RD1, RD2] keeps everything but the content, on disk and on the wire', () => {
    const envelope = envelopeOf('msg.text', { text: 'sk-secret' }, { idempotency_key: 'k' });
    const stone = gone(envelope);
    const { event_data, redacted, ...rest } = stone;
    const { event_data: _, ...was } = envelope;
    expect(rest).toEqual(was);
    expect(event_data).toEqual({ text: '[redacted]' });
    expect(redacted).toMatchObject(about);
    expect(JSON.parse(serializeUnit({ entries: [{ envelope: stone, turn: null }] })).entries[0].envelope).toEqual(
      stone,
    );
    expect(gone(stone)).toBe(stone);
  });

  it('[RD7] still recognizes a repeat of its key', () => {
    const envelope = envelopeOf('msg.text', { text: 'sk-secret' }, { idempotency_key: 'k' });
    const record = keyRecord(gone(envelope));
    expect(isSameContent(record, envelope, () => true)).toBe(true);
    expect(isSameContent(record, { ...envelope, event_data: { text: 'other' } }, () => true)).toBe(false);
  });

  it('[RD6] keeps the costs, but only their numbers', () => {
    const data = { body: 'secret', cost_usd: 0.5, usage: { fresh: 3, note: 'secret' } };
    const envelope = envelopeOf('msg.packet', data);
    expect(spendFromEnvelope(gone(envelope))).toEqual(spendFromEnvelope(envelope));
    expect(JSON.stringify(gone(envelope))).not.toContain('secret');
    const free = envelopeOf('x.report', { usage: { fresh: 3, 'sk-secret': 1, output: 'secret' }, cost_usd: 5 });
    expect(gone(free).event_data).toEqual({ text: '[redacted]', usage: { fresh: 3 }, cost_usd: 5 });
  });

  it('[RD4] of a failed task also removes the reason, which is checked in the state', () => {
    const data = { result: { key: 'secret' }, reason: 'secret', owner_id: 'o' };
    const envelope = envelopeOf('task.failed', data, { task_id: 'task' });
    expect(gone(envelope).event_data).toEqual({ result: { text: '[redacted]' }, reason: '[redacted]', owner_id: 'o' });
    expect(redactableContent(envelope)).toEqual([{ key: 'secret' }, 'secret']);
  });

  it('[RD5] keeps the costs, so they are not checked in the state', () => {
    const data = { text: 'x', usage: { fresh: 12345678, other: 1 }, cost_usd: 0.1234567 };
    expect(redactableContent(envelopeOf('msg.text', data))).toEqual({ text: 'x', usage: { other: 1 } });
  });

  it.each([
    ['task.completed', { result: { key: 'secret' }, result_bytes: 9, owner_id: 'o' }, 'task', 'result'],
    ['task.failed', { result: { key: 'secret' }, owner_id: 'o' }, 'task', 'result'],
    ['task.failed', { reason: 'secret' }, null, 'reason'],
    ['task.checkpoint', { data: { key: 'secret' }, bytes: 9 }, 'task', 'data'],
    ['task.progress', { progress: 0.5, note: 'secret' }, 'task', 'note'],
    ['delegation.opened', { prompt: 'secret', target_id: 't' }, null, 'prompt'],
  ] as const)('[RD4] of %s removes only the content of %j', (type, data, task_id, member) => {
    const envelope = envelopeOf(type, data, { task_id });
    expect(redactableField(envelope)).toBe(member);
    const stone = gone(envelope);
    expect(JSON.stringify(stone)).not.toContain('secret');
    const { [member]: _, ...kept } = stone.event_data;
    const { [member]: __, ...was } = data as JsonObject;
    expect(kept).toEqual(was);
  });

  it.each([
    'session.created',
    'session.invite',
    'session.closing',
    'task.started',
    'task.expired',
    'delegation.settled',
  ])('[RD4] is not possible for %s', (type) => {
    expect(redactableField(envelopeOf(type, { reason: 'x' }))).toBe(undefined);
  });
});

describe('a state', () => {
  const state = (adapter_state: unknown): SessionState =>
    ({
      metadata: { knobs: { room: 'the blue room' }, close_reason: 'done: sk-close-9' },
      adapter_state,
      pacing: {},
      delegations: [],
      tasks: {},
    }) as never;

  it.each([
    [{ vars: { key: 'sk-live-123' } }, { text: 'sk-live-123' }, 'adapter_state.vars.key'],
    [{ vars: ['a', 'my sk-live-123!'] }, { set: { key: 'sk-live-123' } }, 'adapter_state.vars.1'],
    [{ title: 'the key is' }, { text: 'the key is sk-live-123' }, 'adapter_state.title'],
    [{ votes: { 'sk-live-123': 1 } }, { text: 'sk-live-123' }, 'adapter_state.votes'],
    [{ vars: { room: 'the blue room' } }, { text: 'the blue room' }, null],
    [{ vote: 'yes' }, { text: 'yes' }, null],
    [{ count: 12345678 }, { text: '12345678' }, null],
    [{ vars: { 'sk-live-123': true } }, { set: { 'sk-live-123': true } }, 'adapter_state.vars'],
    [{ vars: { pin: 99887766 } }, { set: { pin: 99887766 } }, 'adapter_state.vars.pin'],
    [{ vars: { pin: 'it is 99887766' } }, { set: { pin: 99887766 } }, 'adapter_state.vars.pin'],
    [{ vars: { api_token: 'none' } }, { set: { api_token: 'sk-live-123' } }, null],
    [{ count: 12 }, { set: { count: 12 } }, null],
    [null, { routing: { kind: 'finish', reason: 'sk-close-9' } }, 'close_reason'],
    [null, { text: 'sk-live-123' }, null],
  ])('[RD5] %j contains %j at %j', (adapter_state, said, expected) => {
    expect(findInState(state(adapter_state), said)).toBe(expected);
  });
});
