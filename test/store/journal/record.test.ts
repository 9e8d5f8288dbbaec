import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordKind } from '../../../src/store/journal/journal-types.ts';
import {
  FRAME_START,
  MARK_BYTES,
  RECORD_HEADER_BYTES,
  readFrame,
  recordRoom,
  writeMark,
  writeRecord,
} from '../../../src/store/journal/record.ts';
import { runs } from '../../support/size.ts';

const RUNS = { numRuns: runs(2_000) };

const hexId = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 });
const name = fc.string({ unit: 'grapheme', maxLength: 16 }).filter((text) => Buffer.byteLength(text) <= 16);
const logId = fc.oneof(hexId, name);
const text = fc.oneof(fc.json(), fc.string({ unit: 'binary' }));
const kind = fc.constantFrom<RecordKind>('unit', 'lazy');

function record(of: RecordKind, id: string, body: string): Buffer {
  const bytes = Buffer.alloc(recordRoom(body));
  return bytes.subarray(0, writeRecord(bytes, 0, of, id, body));
}

function mark(flush: number, extent: number): Buffer {
  const bytes = Buffer.alloc(MARK_BYTES);
  writeMark(bytes, 0, flush, extent);
  return bytes;
}

describe('a record on disk', () => {
  it('[JR1] reads back as written, whatever precedes it', () => {
    fc.assert(
      fc.property(kind, logId, text, fc.nat(50), (of, id, body, before) => {
        const bytes = Buffer.concat([Buffer.alloc(before, 7), record(of, id, body)]);
        const expected = { kind: 'record', record: { kind: of, logId: id, text: body }, bytes: bytes.length - before };
        expect(readFrame(bytes, before)).toEqual(expected);
      }),
      RUNS,
    );
  });

  it('[JR1] with one bit changed is never intact; the log of a damaged text is known', () => {
    fc.assert(
      fc.property(kind, logId, text, fc.nat(), fc.nat(7), (of, id, body, where, bit) => {
        const bytes = record(of, id, body);
        const at = where % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        const frame = readFrame(bytes, 0);
        if (at < RECORD_HEADER_BYTES) expect(frame.kind).toBe('junk');
        else expect(frame).toEqual({ kind: 'damaged', logId: id, bytes: bytes.length });
      }),
      RUNS,
    );
  });

  it('[JR1] cut anywhere is short, and tells its length once its header is there', () => {
    fc.assert(
      fc.property(logId, text, fc.nat(), (id, body, where) => {
        const bytes = record('unit', id, body);
        const cut = where % bytes.length;
        const frame = readFrame(bytes, 0, cut);
        if (cut < RECORD_HEADER_BYTES) expect(frame).toMatchObject({ kind: 'short', logId: null });
        else expect(frame).toEqual({ kind: 'short', bytes: bytes.length, logId: id });
      }),
      RUNS,
    );
  });

  it('[JR1] contains no frame in its text, whatever a client wrote', () => {
    fc.assert(
      fc.property(text, (body) => {
        expect(Buffer.from(body).indexOf(FRAME_START)).toBe(-1);
      }),
      RUNS,
    );
    const forged = record('unit', 'hub', '{}').toString('latin1');
    expect(record('unit', 'hub', forged).indexOf(FRAME_START, 1)).toBe(-1);
  });

  it('[JR1] keeps its format', () => {
    const bytes = record('unit', '00112233445566778899aabbccddeeff', '{"a":1}');
    expect(bytes.toString('hex')).toMatchInlineSnapshot(
      `"ff504a5201ff000000000007561bacaf00112233445566778899aabbccddeeffeec89e117b2261223a317d"`,
    );
    expect(record('lazy', 'hub', '').toString('hex')).toMatchInlineSnapshot(
      `"ff504a5202030000000000000000000068756200000000000000000000000000d76d7c39"`,
    );
    expect(mark(258, 43).toString('hex')).toMatchInlineSnapshot(`"ff504a4d0000002b0000000000000102f1cd061c"`);
  });

  it('[JR1] rejects a log id that does not fit', () => {
    expect(() => record('unit', 'a name of more than 16 bytes', '')).toThrow('not "a name of more than 16 bytes"');
    expect(() => record('unit', 'A'.repeat(32), '')).toThrow('32 hex digits');
  });
});

describe('a mark on disk', () => {
  it('[JR1] reads back as written', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 48 - 1), fc.nat(2 ** 32 - 1), (flush, extent) => {
        expect(readFrame(mark(flush, extent), 0)).toEqual({ kind: 'mark', flush, extent, compacted: false });
      }),
      RUNS,
    );
  });

  it('[JR1] with one bit changed is never intact', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 48 - 1), fc.nat(10_000), fc.nat(MARK_BYTES - 1), fc.nat(7), (flush, extent, at, bit) => {
        const bytes = mark(flush, extent);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        expect(['junk', 'short']).toContain(readFrame(bytes, 0).kind);
      }),
      RUNS,
    );
  });

  it('[JR1] ends at zeros', () => {
    expect(readFrame(Buffer.alloc(100), 10)).toEqual({ kind: 'blank' });
  });
});
