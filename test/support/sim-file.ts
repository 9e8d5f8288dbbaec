/** A file of the simulated disk: what the system shows, what a power cut leaves, and the changes in between. */

export type DiskOperation = 'create' | 'write' | 'truncate' | 'sync' | 'remove' | 'rename' | 'syncFolder';

export interface DiskEvent {
  readonly operation: DiskOperation;
  readonly phase: 'begun' | 'done' | 'failed';
  /** Empty for the folder itself. */
  readonly name: string;
  readonly position?: number;
  readonly bytes?: number;
}

/** The n-th operation of a kind (from now, 1 = the next) fails. */
export interface DiskFault {
  readonly operation: 'write' | 'sync' | 'syncFolder';
  readonly nth: number;
  readonly code: 'ENOSPC' | 'EIO';
  /** Only files of this name count. */
  readonly name?: string;
  /** Bytes of a failing write, or changes of a failing sync, that reach the file anyway. */
  readonly keeps?: number;
}

export interface Inode {
  /** What the system shows. */
  cached: Uint8Array;
  /** What survives a power cut for sure. */
  durable: Uint8Array;
  unsynced: Change[];
}

export type Change =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly length: number };

export type Act<T> = (fault: DiskFault | undefined) => T | Promise<T>;

/** What an open file uses of its disk. */
export interface FilePort {
  alive<T>(act: () => T): Promise<T>;
  operate<T>(event: Omit<DiskEvent, 'phase'>, act: Act<T>): Promise<T>;
  gate(): Promise<void> | undefined;
  /** Its current name: it may have been renamed. */
  nameOf(inode: Inode): string;
}

export class SimFile {
  readonly #port: FilePort;
  readonly #inode: Inode;

  constructor(port: FilePort, inode: Inode) {
    this.#port = port;
    this.#inode = inode;
  }

  get #name(): string {
    return this.#port.nameOf(this.#inode);
  }

  size(): Promise<number> {
    return this.#port.alive(() => this.#inode.cached.length);
  }

  read(position: number, length: number): Promise<Uint8Array> {
    return this.#port.alive(() => this.#inode.cached.slice(position, position + length));
  }

  write(position: number, chunks: readonly Uint8Array[]): Promise<void> {
    const bytes = joined(chunks);
    const event = { operation: 'write', name: this.#name, position, bytes: bytes.length } as const;
    return this.#port.operate(event, (fault) => {
      const written = fault === undefined ? bytes : bytes.slice(0, fault.keeps ?? 0);
      this.#change({ kind: 'write', position, bytes: written });
      if (fault !== undefined) throw failure(fault.code, `write to ${this.#name} at ${position}`);
    });
  }

  truncate(length: number): Promise<void> {
    const event = { operation: 'truncate', name: this.#name, position: length } as const;
    return this.#port.operate(event, () => this.#change({ kind: 'truncate', length }));
  }

  /** A failed sync leaves pages in the cache and marks them clean, as systems do: no later sync writes them. */
  sync(): Promise<void> {
    const inode = this.#inode;
    return this.#port.operate({ operation: 'sync', name: this.#name }, async (fault) => {
      const changes = inode.unsynced.length;
      const gate = this.#port.gate();
      if (gate !== undefined) await gate;
      await this.#port.alive(() => {});
      const synced = inode.unsynced.splice(0, changes);
      if (fault === undefined) {
        for (const change of synced) inode.durable = applied(inode.durable, change);
        return;
      }
      for (const change of synced.slice(0, fault.keeps ?? 0)) inode.durable = applied(inode.durable, change);
      throw failure(fault.code, `sync of ${this.#name}`);
    });
  }

  close(): Promise<void> {
    return this.#port.alive(() => {});
  }

  #change(change: Change): void {
    this.#inode.cached = applied(this.#inode.cached, change);
    this.#inode.unsynced.push(change);
  }
}

function applied(bytes: Uint8Array, change: Change): Uint8Array {
  if (change.kind === 'truncate') return resized(bytes, change.length);
  const result = resized(bytes, Math.max(bytes.length, change.position + change.bytes.length));
  result.set(change.bytes, change.position);
  return result;
}

/** The pages of the change that are kept. */
export function applyPart(bytes: Uint8Array, change: Change, pageBytes: number, isKept: () => boolean): Uint8Array {
  if (change.kind === 'truncate') return isKept() ? applied(bytes, change) : bytes;
  const { position } = change;
  const end = position + change.bytes.length;
  let result = bytes;
  for (let at = position; at < end; ) {
    const next = Math.min(end, (Math.floor(at / pageBytes) + 1) * pageBytes);
    const part = change.bytes.subarray(at - position, next - position);
    if (isKept()) result = applied(result, { kind: 'write', position: at, bytes: part });
    at = next;
  }
  return result;
}

function resized(bytes: Uint8Array, length: number): Uint8Array {
  const result = new Uint8Array(length);
  result.set(bytes.subarray(0, length));
  return result;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    result.set(chunk, at);
    at += chunk.length;
  }
  return result;
}

export function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}
