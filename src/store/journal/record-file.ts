/** Writes a complete journal file: one mark and all its records. It gets its name once durable. */

import { type Files, type OpenFile, PART_SUFFIX, publishFile, segmentName } from './files.ts';
import type { Position, RecordKind } from './journal-types.ts';
import { MARK_BYTES, recordRoom, writeCompressed, writeMark, writeRecord } from './record.ts';

const CHUNK_BYTES = 1024 * 1024;

export class RecordFile {
  /** Its name until it is complete. */
  readonly name: string;
  readonly #files: Files;
  readonly #segment: number;
  readonly #file: OpenFile;
  #buffer: Buffer = Buffer.alloc(CHUNK_BYTES);
  /** Leaves space for the mark, which is written last. */
  #filled = MARK_BYTES;
  #written = 0;

  private constructor(files: Files, segment: number, file: OpenFile) {
    this.#files = files;
    this.#segment = segment;
    this.name = segmentName(segment) + PART_SUFFIX;
    this.#file = file;
  }

  static async create(files: Files, segment: number): Promise<RecordFile> {
    const name = segmentName(segment) + PART_SUFFIX;
    // Left behind by a failed attempt.
    if ((await files.list()).includes(name)) await files.remove(name);
    const file = await files.open(name, { create: true });
    return new RecordFile(files, segment, file);
  }

  get bytes(): number {
    return this.#written + this.#filled;
  }

  /** Returns the record's future position. */
  async add(kind: RecordKind | 'packed', logId: string, text: string): Promise<Position> {
    const room = recordRoom(text);
    if (this.#filled + room > this.#buffer.length) await this.#flush();
    if (room > this.#buffer.length) this.#buffer = Buffer.alloc(room);
    const offset = this.bytes;
    this.#filled +=
      kind === 'packed'
        ? writeCompressed(this.#buffer, this.#filled, logId, text)
        : writeRecord(this.#buffer, this.#filled, kind, logId, text);
    return { segment: this.#segment, offset };
  }

  /** Durable on return. `compacted`: the mark stands for all flushes of a segment up to this one. */
  async finish(flush: number, { compacted }: { readonly compacted: boolean }): Promise<void> {
    await this.#flush();
    const mark = Buffer.alloc(MARK_BYTES);
    writeMark(mark, 0, flush, this.#written - MARK_BYTES, compacted);
    await this.#file.write(0, [mark]);
    await this.#file.sync();
    await this.#file.close();
  }

  async publish(): Promise<void> {
    await publishFile(this.#files, this.name, this.#segment);
  }

  async discard(): Promise<void> {
    await this.#file.close();
    await this.#files.remove(this.name);
  }

  async #flush(): Promise<void> {
    await this.#file.write(this.#written, [this.#buffer.subarray(0, this.#filled)]);
    this.#written += this.#filled;
    this.#filled = 0;
  }
}
