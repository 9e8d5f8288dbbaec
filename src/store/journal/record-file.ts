/** Writes a complete journal file (one mark and all its records) and gives it its name once durable. */

import { type Files, type OpenFile, PART_SUFFIX, publishFile, segmentName } from './files.ts';
import type { Position, RecordKind } from './journal-types.ts';
import { MARK_BYTES, recordRoom, writeCompressed, writeMark, writeRecord } from './record.ts';

const CHUNK_BYTES = 1024 * 1024;

export class RecordFile {
  /** Temporary name until the file is published. */
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
    // A failed attempt may have left this file.
    if ((await files.list()).includes(name)) await files.remove(name);
    const file = await files.open(name, { create: true });
    return new RecordFile(files, segment, file);
  }

  get bytes(): number {
    return this.#written + this.#filled;
  }

  /** Adds a record and returns its position in the published file. */
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

  /** Makes the file durable. `compacted`: its mark replaces all marks of a segment up to this flush. */
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
