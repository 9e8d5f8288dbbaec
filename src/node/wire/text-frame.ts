/**
 * A WebSocket text frame of a server (RFC 6455, 5.2: whole, unmasked), with each byte as a character: texts of one turn are put
 * together as texts, and leave in one write that needs no buffer.
 */

import { Buffer } from 'node:buffer';

const [WHOLE_TEXT, TWO_BYTES, EIGHT_BYTES] = ['\x81', '\x7e', '\x7f'];

/** To be written as latin1. */
export function textFrame(text: string): string {
  const bytes = Buffer.byteLength(text);
  // As many bytes as characters: all of them are ASCII, and stand for themselves.
  const payload = bytes === text.length ? text : Buffer.from(text).toString('latin1');
  return WHOLE_TEXT + lengthBytes(bytes) + payload;
}

function lengthBytes(length: number): string {
  if (length < 126) return String.fromCharCode(length);
  if (length < 2 ** 16) return TWO_BYTES + String.fromCharCode(length >> 8, length & 0xff);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return EIGHT_BYTES + bytes.toString('latin1');
}
