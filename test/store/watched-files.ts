/** A file port that records when writes and syncs begin and return, and the rule for giving an answer. */

import type { Files, OpenFile } from '../../src/store/journal/files.ts';

interface Written {
  readonly file: object;
  readonly bytes: Buffer;
  readonly returned: number;
}

interface Synced {
  readonly file: object | null;
  readonly begun: number;
  readonly returned: number;
}

export class Watch {
  /** Moments are increasing numbers. */
  #moment = 0;
  readonly #writes: Written[] = [];
  readonly #syncs: Synced[] = [];
  /** When a file got its name. */
  readonly #named = new Map<string, { readonly file: object; readonly at: number }>();
  readonly segments: Set<string> = new Set();

  get syncs(): number {
    return this.#syncs.length;
  }

  /** Why an answer to an append with these words is too early; null = it is not. */
  fault(words: string): string | null {
    const now = this.#now();
    const write = this.#writes.findLast(({ bytes }) => bytes.includes(words));
    if (write === undefined) return `"${words}" was answered before it was written`;
    const isAfter = ({ begun, returned }: Synced, moment: number) => begun > moment && returned < now;
    if (!this.#syncs.some((sync) => sync.file === write.file && isAfter(sync, write.returned))) {
      return `"${words}" was answered before the sync of its bytes returned`;
    }
    const [name, named] = [...this.#named].find(([, { file }]) => file === write.file) ?? [];
    if (name === undefined || named === undefined) return `"${words}" is in a file without a name`;
    this.segments.add(name);
    if (!this.#syncs.some((sync) => sync.file === null && isAfter(sync, named.at))) {
      return `"${words}" was answered before the name of ${name} was synced`;
    }
    return null;
  }

  files(below: Files): Files {
    return {
      list: () => below.list(),
      remove: (name) => below.remove(name),
      rename: async (from, to) => {
        await below.rename(from, to);
        const { file } = this.#named.get(from) ?? { file: {} };
        this.#named.delete(from);
        this.#named.set(to, { file, at: this.#now() });
      },
      syncFolder: () => this.#sync(null, () => below.syncFolder()),
      open: async (name, options) => {
        const opened = await below.open(name, options);
        if (options?.create === true) this.#named.set(name, { file: {}, at: this.#now() });
        return this.#file(opened, this.#named.get(name)?.file ?? {});
      },
    };
  }

  #file(below: OpenFile, file: object): OpenFile {
    return {
      size: () => below.size(),
      read: (position, length) => below.read(position, length),
      truncate: (length) => below.truncate(length),
      close: () => below.close(),
      write: async (position, chunks) => {
        const bytes = Buffer.concat(chunks);
        await below.write(position, chunks);
        this.#writes.push({ file, bytes, returned: this.#now() });
      },
      sync: () => this.#sync(file, () => below.sync()),
    };
  }

  async #sync(file: object | null, sync: () => Promise<void>): Promise<void> {
    const begun = this.#now();
    await sync();
    this.#syncs.push({ file, begun, returned: this.#now() });
  }

  #now(): number {
    this.#moment += 1;
    return this.#moment;
  }
}
