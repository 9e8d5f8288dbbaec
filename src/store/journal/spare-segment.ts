/** Prepares the next segment in the background, so that its disk blocks are allocated before a flush. */

import { asError } from '../../core/lib/errors.ts';
import { type Files, type OpenFile, SPARE_NAME, segmentName } from './files.ts';

/** Bytes per sync: syncing a whole segment in one call would delay concurrent flushes. */
const PIECE_BYTES = 4 * 1024 * 1024;

export class SpareSegment {
  readonly #files: Files;
  readonly #bytes: number;
  #file: OpenFile | null = null;
  #failure: Error | null = null;
  #isWanted = false;
  #work: Promise<void> | null = null;

  constructor(files: Files, bytes: number) {
    this.#files = files;
    this.#bytes = bytes;
  }

  /** Idempotent. */
  prepare(): void {
    if (this.#work !== null) return;
    this.#isWanted = true;
    this.#work = this.#fill().catch((thrown) => {
      this.#failure = asError(thrown);
    });
  }

  /** Waits until the spare is ready or its preparation has failed. */
  async ready(): Promise<void> {
    this.prepare();
    await this.#work;
  }

  /** Turns the spare into this segment, even if it is not filled yet: a flush must not wait for zeros. */
  async become(segment: number): Promise<OpenFile> {
    await this.#stop();
    const file = this.#file;
    if (file === null || this.#failure !== null) {
      await this.drop();
      return this.#files.open(segmentName(segment), { create: true, through: true });
    }
    this.#reset();
    await this.#files.rename(SPARE_NAME, segmentName(segment));
    return file;
  }

  async drop(): Promise<void> {
    await this.#stop();
    const file = this.#file;
    this.#reset();
    if (file === null) return;
    await file.close();
    await this.#files.remove(SPARE_NAME);
  }

  async #fill(): Promise<void> {
    const file = await this.#files.open(SPARE_NAME, { create: true, through: true });
    this.#file = file;
    for (let at = 0; at < this.#bytes && this.#isWanted; at += PIECE_BYTES) {
      await file.write(at, zeros(Math.min(PIECE_BYTES, this.#bytes - at)));
      await file.sync();
    }
  }

  async #stop(): Promise<void> {
    this.#isWanted = false;
    await this.#work;
  }

  #reset(): void {
    this.#file = null;
    this.#failure = null;
    this.#work = null;
  }
}

const ZERO_CHUNK_BYTES: number = 1024 * 1024;

const ZERO_CHUNK: Uint8Array = new Uint8Array(ZERO_CHUNK_BYTES);

export function zeros(bytes: number): readonly Uint8Array[] {
  const whole = Math.floor(bytes / ZERO_CHUNK_BYTES);
  const chunks = Array.from({ length: whole }, () => ZERO_CHUNK);
  const rest = bytes - whole * ZERO_CHUNK_BYTES;
  return rest === 0 ? chunks : [...chunks, ZERO_CHUNK.subarray(0, rest)];
}
