/** The records of one flush, encoded as they arrive behind the space for their mark. */

import type { JournalOutcome, Position, RecordKind } from './journal-types.ts';
import { MARK_BYTES, recordRoom, writeMark, writeRecord } from './record.ts';

const INITIAL_BYTES = 64 * 1024;

export class Batch {
  readonly start: Position;
  /** Settles with the flush. */
  readonly outcome: Promise<JournalOutcome>;
  settle!: (outcome: JournalOutcome) => void;
  /** Lazy records do not make a batch urgent. */
  isUrgent = false;
  #buffer: Buffer;
  #length = MARK_BYTES;
  #records = 0;

  /** `buffer`: reused from a finished batch. */
  constructor(start: Position, buffer: Buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES)) {
    this.start = start;
    this.#buffer = buffer;
    this.outcome = new Promise((settle) => {
      this.settle = settle;
    });
  }

  /** Including the mark. */
  get bytes(): number {
    return this.#length;
  }

  get records(): number {
    return this.#records;
  }

  /** Where its next record would stand. */
  get end(): number {
    return this.start.offset + this.#length;
  }

  get buffer(): Buffer {
    return this.#buffer;
  }

  /** Encodes a record at the end and returns its size. Only `keep` adds it to the batch. */
  encode(kind: RecordKind, logId: string, text: string): number {
    this.#makeRoom(recordRoom(text));
    return writeRecord(this.#buffer, this.#length, kind, logId, text);
  }

  keep(bytes: number): void {
    this.#length += bytes;
    this.#records += 1;
  }

  sealed(flush: number): Uint8Array {
    writeMark(this.#buffer, 0, flush, this.#length - MARK_BYTES);
    return this.#buffer.subarray(0, this.#length);
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
