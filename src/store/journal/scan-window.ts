/** Buffers the part of a segment that a scan is reading, and moves forward with it. */

import type { OpenFile } from './files.ts';
import { FRAME_START, type Frame, readFrame } from './record.ts';

const CHUNK_BYTES = 1024 * 1024;
const ZEROS: Buffer = Buffer.alloc(64 * 1024);

export type WholeFrame = Exclude<Frame, { kind: 'short' }>;

export class ScanWindow {
  readonly size: number;
  readonly #file: OpenFile;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: OpenFile, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** The frame at `at`; `short` if the window does not contain all of it. */
  peek(at: number): Frame {
    if (at < this.#start) return { kind: 'short', bytes: 1, logId: null };
    return readFrame(this.#bytes, at - this.#start);
  }

  /** Reads the frame at `at`, of any length. A frame cut off by the segment's end is `damaged`, `blank` or `junk`. */
  async frame(at: number): Promise<WholeFrame> {
    for (;;) {
      const frame = this.peek(at);
      if (frame.kind !== 'short') return frame;
      if (await this.#load(at, frame.bytes)) continue;
      if (frame.logId !== null) return { kind: 'damaged', logId: frame.logId, bytes: frame.bytes };
      return { kind: (await this.nonZero(at)) >= this.size ? 'blank' : 'junk' };
    }
  }

  /** Position of the first non-zero byte at or after `at`; `size` if there is none. */
  async nonZero(at: number): Promise<number> {
    let place = at;
    while (place < this.size) {
      await this.#load(place, 1);
      const found = firstNonZero(this.#bytes, place - this.#start);
      if (found < this.#bytes.length) return this.#start + found;
      place = this.#start + this.#bytes.length;
    }
    return this.size;
  }

  /** The end of the content after `at`, ignoring trailing zeros. */
  async contentEnd(at: number): Promise<number> {
    let end = at;
    for (let place = at; place < this.size; place = this.#start + this.#bytes.length) {
      await this.#load(place, 1);
      const last = lastNonZero(this.#bytes, place - this.#start);
      if (last !== -1) end = this.#start + last + 1;
    }
    return end;
  }

  /** Position of the next intact frame header at or after `at`; `size` if there is none. */
  async nextFrame(at: number): Promise<number> {
    let place = at;
    while (place < this.size) {
      await this.#load(place, FRAME_START.length);
      const found = this.#bytes.indexOf(FRAME_START, place - this.#start);
      if (found === -1) {
        // The window may end within the first bytes of a frame.
        place = Math.max(place + 1, this.#start + this.#bytes.length - FRAME_START.length + 1);
        continue;
      }
      place = this.#start + found;
      const { kind } = await this.frame(place);
      if (kind === 'record' || kind === 'mark' || kind === 'damaged') return place;
      place += 1;
    }
    return this.size;
  }

  /** Moves the window to `at`; returns false if fewer than `bytes` bytes follow in the segment. */
  async #load(at: number, bytes: number): Promise<boolean> {
    const enough = Math.min(at + bytes, this.size);
    if (at < this.#start || enough > this.#start + this.#bytes.length) {
      const length = Math.min(Math.max(bytes, CHUNK_BYTES), this.size - at);
      this.#bytes = length > 0 ? await this.#read(at, length) : Buffer.alloc(0);
      this.#start = at;
    }
    return at + bytes <= this.size;
  }

  /** Fills with zeros if the file became shorter during the scan. */
  async #read(at: number, length: number): Promise<Buffer> {
    const read = await this.#file.read(at, length);
    const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
    return bytes.length === length ? bytes : Buffer.concat([bytes], length);
  }
}

function firstNonZero(bytes: Buffer, from: number): number {
  let place = from;
  // Compare whole blocks natively.
  while (place + ZEROS.length <= bytes.length) {
    if (bytes.compare(ZEROS, 0, ZEROS.length, place, place + ZEROS.length) !== 0) break;
    place += ZEROS.length;
  }
  while (place < bytes.length && bytes[place] === 0) place += 1;
  return place;
}

function lastNonZero(bytes: Buffer, from: number): number {
  if (firstNonZero(bytes, from) === bytes.length) return -1;
  let place = bytes.length - 1;
  while (bytes[place] === 0) place -= 1;
  return place;
}
