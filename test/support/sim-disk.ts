/**
 * A folder on a disk that loses what was not synced. It fits the journal's file port by its shape. `crash` is a power cut,
 * `kill` the end of the process alone (the page cache stays). Everything it decides comes from the Random it is given.
 */

import type { Random } from '../../src/testing/lib/random.ts';

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
  /** How many bytes of a failing write, or of what a failing sync should keep, reach the file all the same. */
  readonly keeps?: number;
}

/** The folder as one process has it. */
export interface MountedFolder {
  list(): Promise<readonly string[]>;
  open(name: string, options?: { readonly create?: boolean }): Promise<SimFile>;
  remove(name: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  syncFolder(): Promise<void>;
}

interface Inode {
  /** What the system shows. */
  cached: Uint8Array;
  /** What a power cut leaves for sure. */
  durable: Uint8Array;
  unsynced: Change[];
}

type Change =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly length: number };

type Names = ReadonlyMap<string, Inode>;

interface ArmedFault extends DiskFault {
  left: number;
}

/** What the hardware writes as one: a sector or a page. */
const PAGE_BYTES: readonly number[] = [512, 4096];

export class SimDisk {
  /** Everything that happened, in order; tests add notes of their own. */
  readonly events: (DiskEvent | string)[] = [];
  readonly counts: Record<DiskOperation, number> = {
    create: 0,
    write: 0,
    truncate: 0,
    sync: 0,
    remove: 0,
    rename: 0,
    syncFolder: 0,
  };
  #names: Names = new Map();
  #durableNames: Names = new Map();
  /** The states the folder went through since it was synced. */
  #nameHistory: Names[] = [];
  #faults: ArmedFault[] = [];
  #gate: { readonly opened: Promise<void>; readonly open: () => void } | null = null;
  /** Operations of a process that is gone never return. */
  #life = 0;
  #operationsLeft = Number.POSITIVE_INFINITY;
  #died: () => void = () => {};

  // What a test does to it.

  note(text: string): void {
    this.events.push(text);
  }

  fail(fault: DiskFault): void {
    this.#faults.push({ ...fault, left: fault.nth });
  }

  /** Syncs of files wait until the result is called. */
  holdSyncs(): () => void {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const gate = { opened, open };
    this.#gate = gate;
    return () => {
      if (this.#gate === gate) this.#gate = null;
      gate.open();
    };
  }

  /** The power goes during the so manieth operation from now that changes something; from then on nothing returns. */
  dieAfter(operations: number): Promise<void> {
    this.#operationsLeft = operations;
    return new Promise((resolve) => {
      this.#died = resolve;
    });
  }

  get isDead(): boolean {
    return this.#operationsLeft === 0;
  }

  /** The process ends; what it wrote is in the page cache, synced or not. */
  kill(): void {
    this.#life += 1;
    this.#faults = [];
    this.#gate = null;
    this.#operationsLeft = Number.POSITIVE_INFINITY;
  }

  /** The power is cut: of what was not synced, any pages of any write may be there, and the folder as it was at some time since its last sync. */
  crash(random: Random): void {
    this.kill();
    const folders = [this.#durableNames, ...this.#nameHistory];
    this.#names = random.pick(folders);
    this.#durableNames = this.#names;
    this.#nameHistory = [];
    const style = random.pick<'all' | 'none' | 'some'>(['all', 'none', 'some', 'some']);
    const pageBytes = random.pick(PAGE_BYTES);
    const odds = random.below(100) / 100;
    const isKept = () => style === 'all' || (style === 'some' && random.chance(odds));
    for (const inode of new Set(this.#names.values())) {
      for (const change of inode.unsynced) inode.durable = applyPart(inode.durable, change, pageBytes, isKept);
      inode.cached = inode.durable.slice();
      inode.unsynced = [];
    }
  }

  names(): readonly string[] {
    return [...this.#names.keys()].sort();
  }

  /** The bytes of a file as the system shows them. */
  bytes(name: string): Uint8Array {
    return this.#inode(name).cached.slice();
  }

  /** The bytes of a file that a power cut leaves for sure. */
  durableBytes(name: string): Uint8Array {
    return this.#inode(name).durable;
  }

  /** The file ends here, also on the disk. */
  cutAt(name: string, byte: number): void {
    this.replace(name, this.#inode(name).cached.slice(0, byte));
  }

  flipBit(name: string, byte: number, bit: number): void {
    const bytes = this.bytes(name);
    bytes[byte] = (bytes[byte] ?? 0) ^ (1 << bit);
    this.replace(name, bytes);
  }

  /** The file holds these bytes, also on the disk; it is made if there is none. */
  replace(name: string, bytes: Uint8Array): void {
    const inode = { cached: bytes.slice(), durable: bytes.slice(), unsynced: [] };
    this.#names = new Map(this.#names).set(name, inode);
    this.#durableNames = new Map(this.#durableNames).set(name, inode);
  }

  /** The file is gone, also from the disk. */
  erase(name: string): void {
    this.#names = without(this.#names, name);
    this.#durableNames = without(this.#durableNames, name);
  }

  /** Another disk with the same files, all of them durable. */
  copy(): SimDisk {
    const disk = new SimDisk();
    for (const name of this.names()) disk.replace(name, this.bytes(name));
    return disk;
  }

  // The file port.

  list(): Promise<readonly string[]> {
    return this.mount().list();
  }

  open(name: string, options: { readonly create?: boolean } = {}): Promise<SimFile> {
    return this.mount().open(name, options);
  }

  remove(name: string): Promise<void> {
    return this.mount().remove(name);
  }

  rename(from: string, to: string): Promise<void> {
    return this.mount().rename(from, to);
  }

  syncFolder(): Promise<void> {
    return this.mount().syncFolder();
  }

  /** The port of the process that runs now: when that is gone, nothing it asks for happens. */
  mount(): MountedFolder {
    const life = this.#life;
    return {
      list: () => this.#alive(life, () => this.names()),
      open: async (name, options = {}) => {
        if (options.create !== true) return this.#alive(life, () => new SimFile(this.#port(life), this.#inode(name)));
        return this.#operate(life, { operation: 'create', name }, () => this.#create(life, name));
      },
      remove: (name) =>
        this.#operate(life, { operation: 'remove', name }, () => {
          this.#inode(name);
          this.#rename(without(this.#names, name));
        }),
      rename: (from, to) =>
        this.#operate(life, { operation: 'rename', name: to }, () => {
          const inode = this.#inode(from);
          this.#rename(new Map(without(this.#names, from)).set(to, inode));
        }),
      syncFolder: () =>
        this.#operate(life, { operation: 'syncFolder', name: '' }, (fault) => {
          if (fault !== undefined) throw failure(fault.code, 'sync of the folder');
          this.#durableNames = this.#names;
          this.#nameHistory = [];
        }),
    };
  }

  #create(life: number, name: string): SimFile {
    if (this.#names.has(name)) throw failure('EEXIST', `create ${name}`);
    const inode = { cached: new Uint8Array(), durable: new Uint8Array(), unsynced: [] };
    this.#rename(new Map(this.#names).set(name, inode));
    return new SimFile(this.#port(life), inode);
  }

  #rename(names: Names): void {
    this.#names = names;
    this.#nameHistory.push(names);
  }

  #inode(name: string): Inode {
    const inode = this.#names.get(name);
    if (inode === undefined) throw failure('ENOENT', `no file ${name}`);
    return inode;
  }

  #port(life: number): FilePort {
    return {
      alive: (act) => this.#alive(life, act),
      operate: (event, act) => this.#operate(life, event, act),
      gate: () => this.#gate?.opened,
      nameOf: (inode) => [...this.#names].find(([, named]) => named === inode)?.[0] ?? '(removed)',
    };
  }

  async #alive<T>(life: number, act: () => T): Promise<T> {
    await Promise.resolve();
    return life === this.#life && !this.isDead ? act() : never();
  }

  /** One change: counted, in the order log, perhaps failing; nothing of it happens once the power is gone. */
  async #operate<T>(life: number, event: Omit<DiskEvent, 'phase'>, act: Act<T>): Promise<T> {
    if (life !== this.#life || this.isDead) return never();
    this.#operationsLeft -= 1;
    if (this.isDead) return this.#interrupted(event, act);
    this.counts[event.operation] += 1;
    this.events.push({ ...event, phase: 'begun' });
    const fault = this.#armed(event);
    try {
      const result = await act(fault);
      await Promise.resolve();
      if (life !== this.#life || this.isDead) return never();
      this.events.push({ ...event, phase: 'done' });
      return result;
    } catch (thrown) {
      this.events.push({ ...event, phase: 'failed' });
      throw thrown;
    }
  }

  /** The operation during which the power goes: what is not a sync may have reached the disk, in part. */
  async #interrupted<T>({ operation }: Omit<DiskEvent, 'phase'>, act: Act<T>): Promise<T> {
    this.#died();
    if (operation !== 'sync' && operation !== 'syncFolder') await act(undefined);
    return never();
  }

  #armed({ operation, name }: Omit<DiskEvent, 'phase'>): DiskFault | undefined {
    const counted = this.#faults.filter((fault) => fault.operation === operation && (fault.name ?? name) === name);
    for (const fault of counted) fault.left -= 1;
    const armed = counted.find(({ left }) => left <= 0);
    this.#faults = this.#faults.filter(({ left }) => left > 0);
    return armed;
  }
}

type Act<T> = (fault: DiskFault | undefined) => T | Promise<T>;

/** What an open file needs of its disk. */
interface FilePort {
  alive<T>(act: () => T): Promise<T>;
  operate<T>(event: Omit<DiskEvent, 'phase'>, act: Act<T>): Promise<T>;
  gate(): Promise<void> | undefined;
  /** Its name by now: it may have been renamed since it was opened. */
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

  /** A failed sync leaves the pages in the cache and takes them for clean, as systems do: no later sync writes them. */
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
function applyPart(bytes: Uint8Array, change: Change, pageBytes: number, isKept: () => boolean): Uint8Array {
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

function without(names: Names, name: string): Names {
  const left = new Map(names);
  left.delete(name);
  return left;
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
