/**
 * Encodes and decodes a segment: flushes, each a mark and its records, then zeros.
 *
 *     mark    "\xffPJM"  bytes of the records u32  compacted u16  flush number u48               checksum u32
 *     record  "\xffPJR"  kind u8  id form u8  0 u16  bytes of text u32  checksum of text u32  id 16  checksum u32  text
 *
 * UTF-8 text never contains 0xff, so a reader that searches for the next frame cannot mistake client text for one.
 */

import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { HubError } from '../../core/lib/errors.ts';
import type { JournalRecord, RecordKind } from './journal-types.ts';

export const MARK_BYTES = 20;
export const RECORD_HEADER_BYTES = 36;
/** The start of every frame. */
export const FRAME_START: Buffer = Buffer.from([0xff, 0x50, 0x4a]);
export const MARK_START: Buffer = Buffer.from([0xff, 0x50, 0x4a, 0x4d]);

const [UNIT, LAZY, PACKED] = [1, 2, 3];
const MARK = 0xff504a4d;
const RECORD = 0xff504a52;
const ID_BYTES = 16;
/** The id form of 32 hex digits; any other form is the byte length of a name. */
const HEX_ID = 0xff;
const NOT_HEX = 16;
/** Strings of this length or more are measured; shorter ones reserve three bytes per character. */
const MEASURED_LENGTH = 16_384;

/** The content found at an offset of a segment. */
export type Frame =
  | { readonly kind: 'record'; readonly record: JournalRecord; readonly bytes: number }
  /** `extent`: bytes of the flush's records. `compacted`: the mark replaces all flushes of a rewritten segment. */
  | { readonly kind: 'mark'; readonly flush: number; readonly extent: number; readonly compacted: boolean }
  /** The header is intact, the text is not. */
  | { readonly kind: 'damaged'; readonly logId: string; readonly bytes: number }
  /** The source ends within the frame, which takes at least `bytes`. `logId` is null if the header is incomplete. */
  | { readonly kind: 'short'; readonly bytes: number; readonly logId: string | null }
  | { readonly kind: 'blank' }
  | { readonly kind: 'junk' };

const BLANK: Frame = { kind: 'blank' };
const JUNK: Frame = { kind: 'junk' };

/** Upper bound for the size of this record. */
export function recordRoom(text: string): number {
  return RECORD_HEADER_BYTES + (text.length < MEASURED_LENGTH ? text.length * 3 : Buffer.byteLength(text));
}

/** Writes a record at `at` and returns its size. The caller ensures enough space. */
export function writeRecord(target: Buffer, at: number, kind: RecordKind, logId: string, text: string): number {
  const textBytes = target.write(text, at + RECORD_HEADER_BYTES, 'utf8');
  return writeHeader(target, at, kind === 'unit' ? UNIT : LAZY, logId, textBytes);
}

/** Writes a unit, compressed if that makes it smaller; `readFrame` returns the original text. */
export function writeCompressed(target: Buffer, at: number, logId: string, text: string): number {
  const bytes = deflateRawSync(Buffer.from(text), { dictionary: DICTIONARY });
  if (bytes.length >= text.length) return writeRecord(target, at, 'unit', logId, text);
  target.set(bytes, at + RECORD_HEADER_BYTES);
  return writeHeader(target, at, PACKED, logId, bytes.length);
}

function writeHeader(target: Buffer, at: number, kind: number, logId: string, textBytes: number): number {
  const textAt = at + RECORD_HEADER_BYTES;
  target.writeUInt32BE(RECORD, at);
  target[at + 4] = kind;
  target[at + 5] = writeId(target, at + 16, logId);
  target[at + 6] = 0;
  target[at + 7] = 0;
  target.writeUInt32BE(textBytes, at + 8);
  target.writeUInt32BE(crc32(target.subarray(textAt, textAt + textBytes)), at + 12);
  target.writeUInt32BE(headerChecksum(target, at, 32), at + 32);
  return RECORD_HEADER_BYTES + textBytes;
}

/** Writes the mark that begins a flush with `extent` bytes of records. */
export function writeMark(target: Buffer, at: number, flush: number, extent: number, compacted = false): void {
  target.writeUInt32BE(MARK, at);
  target.writeUInt32BE(extent, at + 4);
  target.writeUInt16BE(compacted ? 1 : 0, at + 8);
  target.writeUIntBE(flush, at + 10, 6);
  target.writeUInt32BE(headerChecksum(target, at, 16), at + 16);
}

/** Decodes the frame at `at`; the source ends at `end`. */
export function readFrame(source: Buffer, at: number, end: number = source.length): Frame {
  if (end - at < 4) return short(4);
  switch (source.readUInt32BE(at)) {
    case RECORD:
      return readRecord(source, at, end);
    case MARK:
      return readMark(source, at, end);
    case 0:
      return BLANK;
    default:
      return JUNK;
  }
}

function readRecord(source: Buffer, at: number, end: number): Frame {
  if (end - at < RECORD_HEADER_BYTES) return short(RECORD_HEADER_BYTES);
  if (source.readUInt32BE(at + 32) !== headerChecksum(source, at, 32)) return JUNK;
  const logId = readId(source, at + 16, source[at + 5] ?? 0);
  const textAt = at + RECORD_HEADER_BYTES;
  const textEnd = textAt + source.readUInt32BE(at + 8);
  if (textEnd > end) return short(textEnd - at, logId);
  const bytes = textEnd - at;
  if (crc32(source.subarray(textAt, textEnd)) !== source.readUInt32BE(at + 12)) {
    return { kind: 'damaged', logId, bytes };
  }
  const isPacked = source[at + 4] === PACKED;
  const text = isPacked
    ? inflateRawSync(source.subarray(textAt, textEnd), { dictionary: DICTIONARY }).toString()
    : source.toString('utf8', textAt, textEnd);
  return { kind: 'record', record: { kind: source[at + 4] === LAZY ? 'lazy' : 'unit', logId, text }, bytes };
}

function readMark(source: Buffer, at: number, end: number): Frame {
  if (end - at < MARK_BYTES) return short(MARK_BYTES);
  if (source.readUInt32BE(at + 16) !== headerChecksum(source, at, 16)) return JUNK;
  const [flush, extent] = [source.readUIntBE(at + 10, 6), source.readUInt32BE(at + 4)];
  return { kind: 'mark', flush, extent, compacted: source.readUInt16BE(at + 8) === 1 };
}

/** Writes the id and returns its form. A log id that does not fit is a bug in the caller. */
function writeId(target: Buffer, at: number, logId: string): number {
  if (logId.length === 2 * ID_BYTES && writeHex(target, at, logId)) return HEX_ID;
  const bytes = Buffer.byteLength(logId);
  if (bytes > ID_BYTES) {
    throw new HubError('bad_log_id', `a log id is 32 hex digits or a name of up to ${ID_BYTES} bytes, not "${logId}"`);
  }
  target.fill(0, at, at + ID_BYTES).write(logId, at, 'utf8');
  return bytes;
}

/** False unless all are lower-case hex digits. Hand-written: a regex and a Buffer call take three times as long. */
function writeHex(target: Buffer, at: number, digits: string): boolean {
  let seen = 0;
  for (let i = 0; i < ID_BYTES; i++) {
    const high = HEX_VALUES[digits.charCodeAt(2 * i)] ?? NOT_HEX;
    const low = HEX_VALUES[digits.charCodeAt(2 * i + 1)] ?? NOT_HEX;
    seen |= high | low;
    target[at + i] = (high << 4) | low;
  }
  return seen < NOT_HEX;
}

function readId(source: Buffer, at: number, form: number): string {
  return form === HEX_ID ? source.toString('hex', at, at + ID_BYTES) : source.toString('utf8', at, at + form);
}

function short(bytes: number, logId: string | null = null): Frame {
  return { kind: 'short', bytes, logId };
}

/** Computes CRC-32 in JavaScript: for a few bytes, calling zlib costs more than the work. */
function headerChecksum(source: Buffer, at: number, length: number): number {
  let sum = -1;
  for (let i = at; i < at + length; i++) sum = (CRC_TABLE[(sum ^ (source[i] ?? 0)) & 0xff] ?? 0) ^ (sum >>> 8);
  return ~sum >>> 0;
}

const CRC_TABLE: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

const HEX_VALUES: Uint8Array = new Uint8Array(128).fill(NOT_HEX);
for (let value = 0; value < NOT_HEX; value++) HEX_VALUES[value.toString(16).charCodeAt(0)] = value;

/** Compression dictionary: common parts of units. Changing it makes existing compressed units unreadable. */
const DICTIONARY: Buffer = Buffer.from(
  '"reason":"explicit_close""session.closed""session.closing""session.opened""session.invite.ack""session.invite""agent_id":"' +
    '{"entries":[{"envelope":{"session_id":"","sender_id":"hub","audience":null,"event_type":"msg.text","event_data":{"text":"",' +
    '"causation_id":null,"task_id":null,"traceparent":null,"priority":"normal","idempotency_key":null,"ttl_seconds":null,' +
    '"envelope_id":"019","seq":1,"depth":0,"created_at":"2026-01-01T00:00:00.000Z"},"turn":null}]}',
);
