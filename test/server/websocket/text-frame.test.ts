// The frames the server writes itself, read by the library that reads everybody else's.

import { Buffer } from 'node:buffer';
import type { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect } from 'vitest';
import * as library from 'ws';
import { textFrame } from '../../../src/server/websocket/ws-endpoint.ts';
import { itDeep } from '../../support/size.ts';

/** It is exported, and has no type. */
const { Receiver } = library as unknown as { Receiver: new (options: { isServer: boolean }) => Writable };

function read(bytes: Buffer): string[] {
  const receiver = new Receiver({ isServer: false });
  const texts: string[] = [];
  receiver.on('message', (data: Buffer, isBinary: boolean) => texts.push(isBinary ? 'binary' : data.toString()));
  receiver.on('error', (error: Error) => texts.push(error.message));
  receiver.write(bytes);
  return texts;
}

const written = (texts: readonly string[]) => Buffer.from(texts.map(textFrame).join(''), 'latin1');

itDeep('[PO1] texts of every length and alphabet arrive as they were sent, however many leave together', () => {
  const around = (length: number) => fc.integer({ min: length - 2, max: length + 2 });
  const length = fc.oneof(fc.integer({ min: 0, max: 300 }), around(126), around(2 ** 16));
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.tuple(fc.constantFrom('x', 'é', '你', '😀'), length).map(([unit, times]) => unit.repeat(times)),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
      expect(read(written(texts))).toEqual(texts);
    }),
    { numRuns: 1000 },
  );
});
