/**
 * A folder on a disk that loses unsynced data, shaped like the journal's file port. `crash` is a power cut, `kill` the
 * end of the process alone (the page cache stays). All chance comes from the given Random.
 */

import type { Random } from '../../src/testing/lib/random.ts';
import {
  type Act,
  applyPart,
  type DiskEvent,
  type DiskFault,
  type DiskOperation,
  type FilePort,
  failure,
  type Inode,
  SimFile,
} from './sim-file.ts';

/** The folder as one process sees it. */
export interface MountedFolder {
  list(): Promise<readonly string[]>;
  open(name: string, options?: { readonly create?: boolean }): Promise<SimFile>;
  remove(name: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  syncFolder(): Promise<void>;
}

type Names = ReadonlyMap<string, Inode>;

interface ArmedFault extends DiskFault {
  left: number;
}

/** What hardware writes at once: a sector or a page. */
const PAGE_BYTES: readonly number[] = [512, 4096];

export class SimDisk {
  /** All events in order; tests add notes. */
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
  /** States of the folder since its last sync. */
  #nameHistory: Names[] = [];
  #faults: ArmedFault[] = [];
  #gate: { readonly opened: Promise<void>; readonly open: () => void } | null = null;
  /** Operations of a dead process never return. */
  #life = 0;
  #operationsLeft = Number.POSITIVE_INFINITY;
  #died: () => void = () => {};

  // For tests.

  note(text: string): void {
    this.events.push(text);
  }

  fail(fault: DiskFault): void {
    this.#faults.push({ ...fault, left: fault.nth });
  }

  /** Holds file syncs until the result is called. */
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

  /** Cuts the power during the n-th changing operation from now; nothing returns after that. */
  dieAfter(operations: number): Promise<void> {
    this.#operationsLeft = operations;
    return new Promise((resolve) => {
      this.#died = resolve;
    });
  }

  get isDead(): boolean {
    return this.#operationsLeft === 0;
  }

  /** Ends the process; the page cache stays, synced or not. */
  kill(): void {
    this.#life += 1;
    this.#faults = [];
    this.#gate = null;
    this.#operationsLeft = Number.POSITIVE_INFINITY;
  }

  /**
   * Cuts the power: any pages of unsynced writes may survive, and the folder is in one of its states since the last
   * sync.
   */
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

  /** The bytes of a file that survive a power cut for sure. */
  durableBytes(name: string): Uint8Array {
    return this.#inode(name).durable;
  }

  /** Truncates the file, durably. */
  cutAt(name: string, byte: number): void {
    this.replace(name, this.#inode(name).cached.slice(0, byte));
  }

  flipBit(name: string, byte: number, bit: number): void {
    const bytes = this.bytes(name);
    bytes[byte] = (bytes[byte] ?? 0) ^ (1 << bit);
    this.replace(name, bytes);
  }

  /** Sets the bytes of a file, durably; creates it if missing. */
  replace(name: string, bytes: Uint8Array): void {
    const inode = { cached: bytes.slice(), durable: bytes.slice(), unsynced: [] };
    this.#names = new Map(this.#names).set(name, inode);
    this.#durableNames = new Map(this.#durableNames).set(name, inode);
  }

  /** Removes the file, durably. */
  erase(name: string): void {
    this.#names = without(this.#names, name);
    this.#durableNames = without(this.#durableNames, name);
  }

  /** Another disk with the same files, all durable. */
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

  /** The port of the running process; once it is dead, its requests have no effect. */
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

  /** One change: counted, logged, possibly failing; no effect once the power is cut. */
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

  /** The operation during the power cut: except for a sync, it may have reached the disk in part. */
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

function without(names: Names, name: string): Names {
  const left = new Map(names);
  left.delete(name);
  return left;
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
