// Server-sent events and UTF-8, split at every byte.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicFormat } from '../../../src/participants/models/formats/anthropic.ts';
import { chatFormat } from '../../../src/participants/models/formats/chat-completions.ts';
import { isFailure } from '../../../src/participants/models/formats/model-format.ts';
import { responsesFormat } from '../../../src/participants/models/formats/responses.ts';
import { MAX_EVENT_CHARS, type SseEvent, SseReader } from '../../../src/participants/models/formats/sse.ts';
import { itDeep } from '../../support/size.ts';
import { anthropic, chat, responses } from './apis.ts';

function read(bytes: Uint8Array, ...cuts: readonly number[]): SseEvent[] {
  const reader = new SseReader();
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).flatMap((end, index) => reader.push(bytes.subarray(places[index], end)));
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('[MD7] events', () => {
  const said = [
    '\ufeff: a comment\r\n',
    'event: one\r\ndata: {"text":"wörld 👋 日本"}\r\n\r\n',
    'data\ndata:  two\ndata:lines\nid: 7\nretry: 5\n\n',
    'event: none\n\n',
    'data: old\rdata: mac\r\r',
    'data: [DONE]\n\n',
    'data: never ended\n',
  ].join('');
  const events = [
    { event: 'one', data: '{"text":"wörld 👋 日本"}' },
    { event: 'message', data: '\n two\nlines' },
    { event: 'message', data: 'old\nmac' },
    { event: 'message', data: '[DONE]' },
  ];
  const bytes = encode(said);

  it('accept every line ending and comments, and drop events without data or end', () => {
    expect(read(bytes)).toEqual(events);
  });

  it('are the same when split at any byte', () => {
    for (let at = 0; at <= bytes.length; at += 1) expect(read(bytes, at), `cut at ${at}`).toEqual(events);
  });

  it('are the same byte by byte', () => {
    expect(read(bytes, ...bytes.keys())).toEqual(events);
  });

  it('are the same for any text and any split', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 }).map((each) => JSON.stringify(each));
    const ending = fc.constantFrom('\n', '\r\n', '\r');
    const event = fc.tuple(fc.constantFrom('message', 'delta'), text, ending);
    const cuts = fc.array(fc.nat(), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 6 }), cuts, (told, places) => {
        const all = encode(told.map(([name, data, end]) => `event: ${name}${end}data: ${data}${end}${end}`).join(''));
        const found = read(all, ...places.map((place) => place % (all.length + 1)));
        expect(found).toEqual(told.map(([name, data]) => ({ event: name, data })));
      }),
      { numRuns: 2000 },
    );
  });

  it('are rejected above the size limit', () => {
    const reader = new SseReader();
    reader.push(encode('data: '));
    const piece = encode('x'.repeat(MAX_EVENT_CHARS / 16));
    expect(() => Array.from({ length: 17 }, () => reader.push(piece))).toThrow(RangeError);
  });
});

describe.each([
  { name: 'Anthropic Messages', api: anthropic, format: anthropicFormat },
  { name: 'chat completions', api: chat, format: chatFormat },
  { name: 'Responses', api: responses, format: responsesFormat },
])('[MD7] an answer of $name', ({ api, format }) => {
  it.each([
    ['text', api.says('wörld ', '👋', ' 日本')],
    ['a tool call', api.calls('look', '{"where":"Zü', 'rich","who":["👋"]}')],
  ])('of %s is the same when split at any byte', (_, frames) => {
    const bytes = encode(frames.join(''));
    const heard = (...cuts: number[]) => {
      const reader = format.reader();
      const text = read(bytes, ...cuts).map((event) => reader.take(event));
      return { text: text.join(''), answer: reader.answer(), isOver: reader.isOver, usage: reader.usage };
    };
    const uncut = heard();
    expect(uncut.isOver).toBe(true);
    expect(isFailure(uncut.answer)).toBe(false);
    for (let at = 1; at < bytes.length; at += 1) expect(heard(at), `cut at ${at}`).toEqual(uncut);
  });

  itDeep('accepts any JSON', () => {
    const type = fc.constantFrom(
      ...['message_start', 'content_block_start', 'content_block_delta', 'message_delta', 'error'],
      ...['response.output_item.done', 'response.completed', 'response.failed', 'response.output_text.delta'],
    );
    const anthropicKeys = ['type', 'index', 'delta', 'content_block', 'message', 'usage'];
    const key = fc.constantFrom(...anthropicKeys, 'choices', 'item', 'response', 'error');
    const event = fc.tuple(type, fc.dictionary(key, fc.jsonValue())).map(([of, rest]) => ({ ...rest, type: of }));
    const odd = fc.oneof(fc.jsonValue(), event);
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 6 }), (events) => {
        const reader = format.reader();
        for (const event of events) reader.take({ event: 'message', data: JSON.stringify(event) });
        reader.answer();
        expect(reader.usage).toBeTypeOf('object');
      }),
      { numRuns: 1000 },
    );
  });
});
