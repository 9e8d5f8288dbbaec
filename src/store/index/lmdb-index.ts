/** Stores the index on disk in lmdb: reads are memory-mapped; a separate thread commits writes. */

import { crc32 } from 'node:zlib';
import { open, type RootDatabase } from 'lmdb';
import { DamagedIndex, type IndexEntry, type OrderedIndex, type RangeOptions } from './ordered-index.ts';

/** lmdb has no checksums, so each value carries one that also covers its key. */
const CHECKSUM_BYTES = 4;

export class LmdbIndex implements OrderedIndex {
  /** Called before the error is thrown, because the reader may only reject its own request. */
  onDamage: (error: DamagedIndex) => void = () => {};
  readonly #database: RootDatabase<Buffer, Buffer>;

  constructor(folder: string) {
    this.#database = open<Buffer, Buffer>({ path: folder, encoding: 'binary', keyEncoding: 'binary', noSubdir: false });
  }

  get(key: string): Uint8Array | undefined {
    const name = Buffer.from(key);
    const sealed = this.#database.get(name);
    return sealed === undefined ? undefined : this.#unsealed(name, sealed);
  }

  *range(from: string, to: string, { reverse = false }: RangeOptions = {}): Generator<IndexEntry, void, void> {
    const [low, high] = [Buffer.from(from), Buffer.from(to)];
    // By default, lmdb's reverse range includes the upper bound and excludes the lower one.
    const bounds = reverse
      ? { start: high, end: low, exclusiveStart: true, inclusiveEnd: true }
      : { start: low, end: high };
    for (const { key, value } of this.#database.getRange({ ...bounds, reverse })) {
      yield { key: key.toString(), value: this.#unsealed(key, value) };
    }
  }

  async write(changes: ReadonlyMap<string, Uint8Array | null>): Promise<void> {
    await this.#database.batch(() => {
      for (const [key, value] of changes) {
        const name = Buffer.from(key);
        const written = value === null ? this.#database.remove(name) : this.#database.put(name, sealed(name, value));
        // The promise of the batch reports every failure.
        written.catch(() => {});
      }
    });
    await this.#database.flushed;
  }

  async clear(): Promise<void> {
    await this.#database.clearAsync();
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  #unsealed(key: Uint8Array, bytes: Buffer): Uint8Array {
    const value = bytes.subarray(0, Math.max(0, bytes.length - CHECKSUM_BYTES));
    const isSound = bytes.length >= CHECKSUM_BYTES && bytes.readUInt32LE(value.length) === crc32(value, crc32(key));
    if (isSound) return value;
    const error = new DamagedIndex(`a value of ${bytes.length} bytes does not match its checksum`);
    this.onDamage(error);
    throw error;
  }
}

function sealed(key: Uint8Array, value: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(value.length + CHECKSUM_BYTES);
  bytes.set(value);
  bytes.writeUInt32LE(crc32(value, crc32(key)), value.length);
  return bytes;
}
