import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/records/access/limits.ts';
import { parseEventData } from '../../../src/core/records/session/event-data.ts';
import { refused, wrongField } from '../refused.ts';

const parse = (type: string, value: unknown) => parseEventData(type, value, DEFAULT_LIMITS);

describe('the data of an envelope', () => {
  it.each([
    ['msg.text', { text: '' }],
    ['msg.text', { text: 'hi', usage: { fresh: 1, cache_read: 0, cache_write: 2, output: 3 }, cost_usd: 0.01 }],
    ['msg.text', { text: 'hi', usage: {}, cost_usd: null, mood: 'good' }],
    ['msg.packet', { body: null }],
    ['msg.packet', { body: [1], routing: { kind: 'handoff', target: 'bob' }, context_updates: { set: { a: 1 } } }],
    ['msg.packet', { body: {}, context_updates: { delete: ['a'] }, cost_usd: 0 }],
    ['context.set', { set: { a: { b: 1 } }, delete: ['c'] }],
    ['context.set', { set: {} }],
    ['hand.raise', { text: 5, usage: 'none' }],
    ['constructor', { text: 5 }],
  ])('[RE10] accepts %s %j unchanged', (type, data) => {
    expect(parse(type, data)).toStrictEqual(data);
  });

  it('[RE2] is a frozen copy', () => {
    const given = { text: 'hi', parts: [{ a: 1 }] };
    const data = parse('msg.text', given);
    given.parts.push({ a: 2 });
    expect(data).toEqual({ text: 'hi', parts: [{ a: 1 }] });
    expect([data, data.parts].every(Object.isFrozen)).toBe(true);
  });

  const usage = 'an object {fresh, cache_read, cache_write, output}';
  const kinds = 'fresh, cache_read, cache_write or output';
  const bad: readonly (readonly [string, unknown, string, string, string])[] = [
    ['msg.text', 'hi', '', 'a JSON object', '"hi"'],
    ['msg.text', ['hi'], '', 'a JSON object', 'an array of 1'],
    ['msg.text', {}, '.text', 'text', 'nothing'],
    ['msg.text', { text: 5 }, '.text', 'text', '5'],
    ['msg.text', { text: null }, '.text', 'text', 'null'],
    ['msg.text', { text: 'a', usage: 5 }, '.usage', usage, '5'],
    ['msg.text', { text: 'a', usage: { fresh: '1' } }, '.usage.fresh', 'a number of tokens', '"1"'],
    ['msg.text', { text: 'a', usage: { output: -1 } }, '.usage.output', 'a number of tokens, 0 or more', '-1'],
    ['msg.text', { text: 'a', usage: { output: 1.5 } }, '.usage.output', 'a whole number of tokens', '1.5'],
    ['msg.text', { text: 'a', usage: { input_tokens: 9 } }, '.usage.input_tokens', kinds, '"input_tokens"'],
    ['msg.packet', { body: 1, usage: { fresh: 1, outputs: 9 } }, '.usage.outputs', kinds, '"outputs"'],
    ['msg.text', { text: 'a', cost_usd: 1e7 }, '.cost_usd', 'a cost of at most 1000000', '10000000'],
    ['msg.text', { text: 'a', cost_usd: '1' }, '.cost_usd', 'a number of dollars or null', '"1"'],
    ['msg.text', { text: 'a', cost_usd: -1 }, '.cost_usd', 'a cost of 0 or more', '-1'],
    ['msg.packet', {}, '.body', 'a value', 'nothing'],
    ['msg.packet', { body: 1, routing: 'bob' }, '.routing', 'an object', '"bob"'],
    ['msg.packet', { body: 1, context_updates: [] }, '.context_updates', 'an object {set, delete}', 'an array of 0'],
    ['msg.packet', { body: 1, context_updates: { set: 1 } }, '.context_updates.set', 'an object', '1'],
    ['msg.packet', { body: 1, cost_usd: true }, '.cost_usd', 'a number of dollars or null', 'true'],
    ['context.set', {}, '', 'set or delete', 'an empty object'],
    ['context.set', { a: 1 }, '.a', 'set or delete', '"a"'],
    ['context.set', { set: { a: 1 }, remove: ['b'] }, '.remove', 'set or delete', '"remove"'],
    ['msg.packet', { body: 1, context_updates: {} }, '.context_updates', 'set or delete', 'an empty object'],
    ['msg.packet', { body: 1, context_updates: { a: 1 } }, '.context_updates.a', 'set or delete', '"a"'],
    ['context.set', { set: [] }, '.set', 'an object', 'an array of 0'],
    ['context.set', { delete: 'a' }, '.delete', 'a list of keys', '"a"'],
    ['context.set', { delete: ['a', 1] }, '.delete.1', 'a key', '1'],
    ['context.set', JSON.parse('{"set":{"__proto__":{}}}'), '.set.__proto__', 'another key', '"__proto__"'],
    ['note', { at: new Date(0) }, '.at', 'a JSON value', 'a Date'],
  ];

  it.each(bad)('[RE1, RE10] rejects %s %j', (type, data, at, expected, received) => {
    const field = `event_data${at}`;
    expect(refused(() => parse(type, data))).toEqual(wrongField(field, expected, received));
  });

  it('[RE6] has at most 256 KiB of JSON and 64 levels', () => {
    const text = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
    expect(parse('msg.text', text(262_144))).toEqual(text(262_144));
    expect(refused(() => parse('msg.text', text(262_145)))).toMatchObject({
      code: 'too_large',
      details: { field: 'event_data', expected: 'at most 262144 bytes', received: '262145 bytes' },
    });
    const nested = (depth: number): object => (depth === 1 ? {} : { a: nested(depth - 1) });
    expect(parse('note', nested(64))).toEqual(nested(64));
    expect(refused(() => parse('note', nested(65))).details?.expected).toBe('JSON nested at most 64 deep');
  });

  it('[RE6] uses the configured limits', () => {
    const limits = { ...DEFAULT_LIMITS, maxEventBytes: 20, maxJsonDepth: 1 };
    expect(parseEventData('msg.text', { text: 'x' }, limits)).toEqual({ text: 'x' });
    expect(refused(() => parseEventData('msg.text', { text: 'x'.repeat(10) }, limits)).code).toBe('too_large');
    expect(refused(() => parseEventData('note', { a: {} }, limits)).code).toBe('bad_frame');
  });
});
