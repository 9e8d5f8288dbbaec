/** Implements the file port on a real folder. */

import { constants, fdatasync, write } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../../core/lib/errors.ts';
import { makeFolder, syncFolder } from '../../system/make-folder.ts';
import type { Files, OpenFile } from './files.ts';

const OPEN = constants.O_RDWR;
const CREATE: number = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
/** Flag that makes writes return once durable; null on systems that lack it or guarantee less (macOS). */
const THROUGH: number | null = process.platform === 'linux' ? constants.O_DSYNC : null;

export async function realFiles(folder: string): Promise<Files> {
  await makeFolder(folder);
  return {
    list: () => readdir(folder),
    async open(name, options = {}) {
      const path = join(folder, name);
      const handle = await open(path, options.create === true ? CREATE : OPEN, 0o600);
      if (options.through !== true || THROUGH === null) return new RealFile(handle);
      return new WriteThroughFile(handle, await openBeside(handle, path, OPEN | THROUGH));
    },
    remove: (name) => rm(join(folder, name)),
    rename: (from, to) => rename(join(folder, from), join(folder, to)),
    syncFolder: () => syncFolder(folder),
  };
}

async function openBeside(first: FileHandle, path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (thrown) {
    await first.close();
    throw thrown;
  }
}

class RealFile implements OpenFile {
  readonly #handle: FileHandle;
  readonly #underway = new Set<Promise<unknown>>();

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  /** Repeats short reads; only a read of zero bytes means the end of the file. */
  async read(position: number, length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled === length ? bytes : bytes.subarray(0, filled);
  }

  /** Repeats short writes, so that a full disk reports its error. */
  async write(position: number, chunks: readonly Uint8Array[]): Promise<void> {
    let at = position;
    let left = chunks;
    while (left.length > 0) {
      const written = await this.#writeSome(at, left);
      at += written;
      left = without(left, written);
      if (written === 0 && left.length > 0) throw new HubError('short_write', `nothing was written at ${at}`);
    }
  }

  truncate(length: number): Promise<void> {
    return this.#handle.truncate(length);
  }

  /** Uses the descriptor, as writes do: the promises of a file handle cost more than a small flush. */
  sync(): Promise<void> {
    return this.#under((fd, done) => fdatasync(fd, (error) => done(error, undefined)));
  }

  /** Waits for pending calls: the number of a closed descriptor may already belong to another file. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underway);
    await this.#handle.close();
  }

  async #writeSome(position: number, chunks: readonly Uint8Array[]): Promise<number> {
    const [only] = chunks;
    if (chunks.length === 1 && only !== undefined) {
      return this.#under((fd, done) => write(fd, only, 0, only.length, position, done));
    }
    return (await this.#handle.writev([...chunks], position)).bytesWritten;
  }

  #under<T>(call: (fd: number, done: (error: Error | null, result: T) => void) => void): Promise<T> {
    const work = new Promise<T>((resolve, reject) => {
      call(this.#handle.fd, (error, result) => {
        this.#underway.delete(work);
        if (error === null) resolve(result);
        else reject(error);
      });
    });
    this.#underway.add(work);
    return work;
  }
}

/** Has a second descriptor for durable writes: one system call instead of two. */
class WriteThroughFile extends RealFile {
  readonly #through: RealFile;

  constructor(handle: FileHandle, through: FileHandle) {
    super(handle);
    this.#through = new RealFile(through);
  }

  writeThrough(position: number, chunks: readonly Uint8Array[]): Promise<void> {
    return this.#through.write(position, chunks);
  }

  override async close(): Promise<void> {
    await this.#through.close();
    await super.close();
  }
}

/** The chunks without their first `written` bytes. */
function without(chunks: readonly Uint8Array[], written: number): readonly Uint8Array[] {
  let rest = written;
  let whole = 0;
  for (const chunk of chunks) {
    if (rest < chunk.length) break;
    rest -= chunk.length;
    whole += 1;
  }
  const left = chunks.slice(whole);
  const [first] = left;
  return first === undefined || rest === 0 ? left : [first.subarray(rest), ...left.slice(1)];
}
