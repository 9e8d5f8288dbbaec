/** Encodes the records of one flush as they arrive, after space reserved for the mark. */

import type { JournalOutcome, Position, RecordKind } from './journal-types.ts';
import { MARK_BYTES, recordRoom, writeMark, writeRecord } from './record.ts';

const INITIAL_BYTES = 64 * 1024;

export class Batch {
  readonly start: Position;
  /** Resolves when the flush is durable or has failed. */
  readonly outcome: Promise<JournalOutcome>;
  settle!: (outcome: JournalOutcome) => void;
  /** True if the batch must be flushed soon; a few lazy records do not make it urgent. */
  isUrgent = false;
  buffer: Buffer;
  /** Size of the batch, including the mark. */
  bytes: number = MARK_BYTES;
  records = 0;

  /** `buffer`: a buffer of a finished batch to reuse. */
  constructor(start: Position, buffer: Buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES)) {
    this.start = start;
    this.buffer = buffer;
    this.outcome = new Promise((settle) => {
      this.settle = settle;
    });
  }

  /** The segment offset of the next record. */
  get end(): number {
    return this.start.offset + this.bytes;
  }

  /** Encodes a record at the end and returns its size. Only `keep` adds it to the batch. */
  encode(kind: RecordKind, logId: string, text: string): number {
    this.#makeRoom(recordRoom(text));
    return writeRecord(this.buffer, this.bytes, kind, logId, text);
  }

  keep(bytes: number): void {
    this.bytes += bytes;
    this.records += 1;
  }

  sealed(flush: number): Uint8Array {
    writeMark(this.buffer, 0, flush, this.bytes - MARK_BYTES);
    return this.buffer.subarray(0, this.bytes);
  }

  #makeRoom(bytes: number): void {
    const needed = this.bytes + bytes;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.buffer.length));
    this.buffer.copy(larger, 0, 0, this.bytes);
    this.buffer = larger;
  }
}
