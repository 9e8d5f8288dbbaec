/** The disk's limit: a plain group commit of given bytes to a preallocated file. */

import { constants, type FileHandle, open } from 'node:fs/promises';

/** Opened like the journal: where supported, a write returns when durable. */
const [MIB, FILE_BYTES, DSYNC] = [2 ** 20, 2 ** 26, process.platform === 'linux' ? constants.O_DSYNC : 0];
const MOST_AT_ONCE = 4 * MIB;

export class RawCommit {
  readonly #file: FileHandle;
  #filling = Buffer.allocUnsafeSlow(MOST_AT_ONCE);
  #writing = Buffer.allocUnsafeSlow(MOST_AT_ONCE);
  #length = 0;
  #at = 0;
  #isRunning = false;
  #flush = new Flush();

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(path: string): Promise<RawCommit> {
    const file = await open(path, 'w+');
    for (let at = 0; at < FILE_BYTES; at += MIB) await file.write(Buffer.alloc(MIB), 0, MIB, at);
    await file.sync();
    await file.close();
    return new RawCommit(await open(path, constants.O_RDWR | DSYNC));
  }

  /** Resolves when durable. Everything appended in one tick goes together. */
  append(bytes: Uint8Array): Promise<void> {
    this.#filling.set(bytes, this.#length);
    this.#length += bytes.length;
    if (!this.#isRunning) void this.#run();
    return this.#flush.done;
  }
  close = (): Promise<void> => this.#file.close();

  /** One sync at a time; later appends join the next. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    for (await turn(); this.#length > 0; await turn()) {
      const [flush, length] = [this.#flush, this.#length];
      [this.#filling, this.#writing, this.#length, this.#flush] = [this.#writing, this.#filling, 0, new Flush()];
      if (this.#at + length > FILE_BYTES) this.#at = 0;
      await this.#file.write(this.#writing, 0, length, this.#at);
      if (DSYNC === 0) await this.#file.datasync();
      this.#at += length;
      flush.settle();
    }
    this.#isRunning = false;
  }
}

class Flush {
  settle!: () => void;
  readonly done: Promise<void> = new Promise((resolve) => {
    this.settle = resolve;
  });
}
const turn = (): Promise<void> => new Promise((resume) => setImmediate(resume));
