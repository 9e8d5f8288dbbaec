// Bytes become text and lines: the same however they arrive, and bounded.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Capture } from '../../../src/participants/processes/output/capture.ts';
import { LineSplitter } from '../../../src/participants/processes/output/split-lines.ts';
import { AnsiStripper } from '../../../src/participants/processes/output/strip-ansi.ts';
import { TextReader } from '../../../src/participants/processes/program-output.ts';

const ESC = '\u001b';

const SEQUENCES = [`${ESC}[31m`, `${ESC}]0;t\u0007`, `${ESC}]8;;x${ESC}\\`, `${ESC}P`, '\u009b1m', ESC];
const ODD_TEXTS = ['\n', '\r\n', 'é', '😀', '\ufeff'];

/** Text, terminal sequences, line ends, whole and broken characters. */
const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...SEQUENCES, ...ODD_TEXTS));
const bytes = fc
  .array(fc.oneof(texts, fc.uint8Array({ maxLength: 6 })))
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part as string))));
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

function pieces(whole: Buffer, places: readonly number[]): readonly Buffer[] {
  const at = places.map((place) => Math.floor(place * whole.length)).sort((a, b) => a - b);
  return [0, ...at].map((from, index) => whole.subarray(from, at[index] ?? whole.length));
}

function readAll(chunks: readonly Buffer[], maxLineBytes = 40) {
  const reader = new TextReader();
  const splitter = new LineSplitter(maxLineBytes);
  const capture = new Capture(32);
  const texts = [...chunks.map((chunk) => reader.read(chunk)), reader.end()];
  const lines = [...texts.flatMap((text) => [...splitter.split(text)]), ...splitter.end()];
  for (const text of texts) capture.add(text);
  return { text: texts.join(''), lines, hasCut: splitter.hasCut, captured: capture.text(), cut: capture.isTruncated };
}

it('[RN10] reads the same text, lines and capture however the bytes are split', () => {
  fc.assert(
    fc.property(bytes, cuts, fc.constantFrom(1, 3, 7, 40, 1_000), (whole, places, maxLineBytes) => {
      expect(readAll(pieces(whole, places), maxLineBytes)).toEqual(readAll([whole], maxLineBytes));
    }),
    { numRuns: 3_000 },
  );
});

it('[RN10] reads the same byte by byte, and leaves plain text unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const plain = text.replace(/[\p{Cc}\ufeff]/gu, (char) => (char === '\n' ? char : ''));
      const whole = Buffer.from(plain);
      const single = Array.from(whole, (byte) => Buffer.from([byte]));
      expect(readAll(single, 1_000_000).text).toBe(plain);
      expect(readAll(single, 1_000_000).lines.join('\n')).toBe(plain.replace(/\r\n/g, '\n').replace(/[\r\n]$/, ''));
    }),
    { numRuns: 1_000 },
  );
});

it('[RN10] replaces invalid UTF-8 and keeps the rest', () => {
  const { text } = readAll([Buffer.from([0x61, 0xff, 0xc3]), Buffer.from([0x28, 0xf0, 0x9f])]);
  expect(text).toBe('a\ufffd\ufffd(\ufffd');
});

it.each([
  ['colours', `${ESC}[1;31mred${ESC}[0m`, 'red'],
  ['cursor moves', `a${ESC}[2K${ESC}[1Gb${ESC}[?25l`, 'ab'],
  ['a title ended by BEL', `${ESC}]0;title\u0007text`, 'text'],
  ['a link ended by ST', `${ESC}]8;;https://x${ESC}\\link${ESC}]8;;${ESC}\\`, 'link'],
  ['a device string', `${ESC}Pq#0;1;2${ESC}\\x`, 'x'],
  ['a character set', `${ESC}(Bx${ESC}=y`, 'xy'],
  ['C1 controls', '\u009b31mred\u009d0;t\u009cx', 'redx'],
  ['a cancelled sequence', `${ESC}[12\u0018x`, 'x'],
  ['a sequence within a sequence', `${ESC}[1${ESC}[2mx`, 'x'],
  ['one without end', `${ESC}]0;title\n{"a":1}\n`, '\n{"a":1}\n'],
  ['one at the very end', `x${ESC}[3`, 'x'],
])('[RN10] removes %s', (_, text, plain) => {
  expect(new AnsiStripper().strip(text)).toBe(plain);
  const stripper = new AnsiStripper();
  expect(Array.from(text, (char) => stripper.strip(char)).join('')).toBe(plain);
});

it('[RN11] truncates a line at its limit by whole characters; the next one is whole', () => {
  const splitter = new LineSplitter(5);
  expect([...splitter.split('aé€x'), ...splitter.split('yz\nnext'), ...splitter.end()]).toEqual(['aé', 'next']);
  expect(splitter.hasCut).toBe(true);
});

it('[RN11] keeps head and tail of a long stream, and reports the bytes between', () => {
  const capture = new Capture(20);
  for (let at = 0; at < 1_000; at += 1) capture.add(`${at} `);
  expect(capture.isTruncated).toBe(true);
  const [head, between, tail] = capture.text().split('\n');
  expect(head).toBe('0 1 2 3 4 ');
  expect(tail).toBe('7 998 999 ');
  expect(between).toBe('[… 3870 bytes left out …]');
});

it('[RN11] starts the tail with a whole character', () => {
  for (const maxBytes of [20, 21, 22, 23, 24, 25]) {
    const capture = new Capture(maxBytes);
    for (let at = 0; at < 100; at += 1) capture.add('é€😀');
    expect(capture.text()).not.toContain('\ufffd');
  }
});

it('[RN11] keeps an empty line if nothing fits', () => {
  const splitter = new LineSplitter(3);
  expect([...splitter.split('😀'), ...splitter.split('x\nabc\n')]).toEqual(['', 'abc']);
});

it('[RN11] keeps a stream up to its limit unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (parts) => {
      const whole = parts.join('');
      const capture = new Capture(Buffer.byteLength(whole) + 4);
      for (const part of parts) capture.add(part);
      expect({ text: capture.text(), cut: capture.isTruncated }).toEqual({ text: whole, cut: false });
    }),
    { numRuns: 1_000 },
  );
});
