/**
 * The durable store on a simulated disk: pages of an unfinished write may be lost, and the index may be old or
 * missing.
 */

import type { Json } from '../../src/core/lib/json.ts';
import type { Append, AuditRecord, HeadToken, LiveRow, Snapshot, Store } from '../../src/core/ports/store.ts';
import type { Entry, Unit } from '../../src/core/records/session/unit.ts';
import type { DurableStore } from '../../src/store/durable-store.ts';
import { MemoryIndex } from '../../src/store/index/memory-index.ts';
import { type Random, seededRandom } from '../../src/testing/lib/random.ts';
import { patchFiles } from '../store/journal/patched-files.ts';
import { openSimStore } from '../store/sim-store.ts';
import { SimDisk } from '../support/sim-disk.ts';
import { DurableEntries } from './durable-entries.ts';
import type { SimulatedStore } from './simulated-store.ts';

type Values = ReadonlyMap<string, Uint8Array>;

/** Earlier states of the index that a crash may leave. */
const INDEXES_KEPT = 3;

export class DiskStore implements SimulatedStore {
  readonly counts = { snapshot: 0 };
  readonly #disk: SimDisk;
  readonly #isSynced: boolean;
  readonly #random: Random;
  readonly #index: MemoryIndex;
  readonly #entries: DurableEntries;
  readonly #opening: Promise<DurableStore>;
  #store!: DurableStore;
  /** Ticks the journal waits for, and timers of the store. */
  #turns: (() => void)[] = [];
  #timers = new Set<() => void>();
  #indexes: Values[] = [];
  #isHeld = true;
  #staged = 0;

  private constructor(disk: SimDisk, random: Random, values: Values, isSynced: boolean) {
    this.#disk = disk;
    this.#isSynced = isSynced;
    this.#random = random;
    this.#index = new MemoryIndex(values);
    this.#entries = new DurableEntries(disk);
    this.#opening = this.#open();
  }

  /** `isSynced` false = a mutant whose syncs do nothing. */
  static seeded(seed: number, { isSynced = true } = {}): DiskStore {
    return new DiskStore(new SimDisk(), seededRandom(seed), new Map(), isSynced);
  }

  async #open(): Promise<DurableStore> {
    const { store } = await openSimStore(
      this.#isSynced ? this.#disk.mount() : patchFiles(this.#disk.mount(), { file: () => ({ sync: async () => {} }) }),
      {
        index: this.#index,
        defer: (run) => (this.#isHeld ? void this.#turns.push(run) : run()),
        ports: {
          after: (_ms, run) => {
            this.#timers.add(run);
            return () => this.#timers.delete(run);
          },
        },
      },
    );
    this.#store = store;
    return store;
  }

  /** The method of the store, once it is open. */
  #opened<Name extends keyof Store>(name: Name): Store[Name] {
    const call = async (...args: unknown[]): Promise<unknown> => {
      const store = (await this.#opening) as unknown as Record<Name, (...given: unknown[]) => unknown>;
      return store[name](...args);
    };
    return call as unknown as Store[Name];
  }

  // Called by a history.

  stagedUnits(): number {
    return this.#staged;
  }

  sync(): void {
    this.#indexes = [...this.#indexes, this.#index.copy()].slice(-INDEXES_KEPT);
    for (const run of [...this.#timers]) run();
    this.#timers.clear();
    for (const run of this.#turns.splice(0)) run();
  }

  failSync(): void {
    const operation = this.#random.pick<'write' | 'sync'>(['write', 'sync', 'sync']);
    this.#disk.fail({ operation, nth: 1, code: this.#random.pick(['ENOSPC', 'EIO']), keeps: this.#random.below(600) });
    this.sync();
  }

  async crash(keep: () => boolean): Promise<this> {
    // A requested sync has ended.
    await new Promise((resolve) => setImmediate(resolve));
    if (keep()) {
      // It dies in the sync: each page may be written or not.
      this.#disk.holdSyncs();
      this.sync();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#disk.crash(this.#random);
    const left = this.#random.pick([this.#index.copy(), this.#index.copy(), ...this.#indexes, new Map()]);
    const next = new DiskStore(this.#disk, this.#random, left, this.#isSynced);
    await next.#opening;
    // No subclass exists, so the cast is safe.
    return next as this;
  }

  durableEntries(logId: string): readonly Entry[] {
    return this.#entries.of(logId);
  }

  logIds(): readonly string[] {
    return this.#entries.logIds();
  }

  // The store.

  append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    const append = this.#store.append(logId, expected, unit);
    this.#staged += 1;
    void append.outcome.then(() => {
      this.#staged -= 1;
    });
    return append;
  }

  readonly read: Store['read'] = this.#opened('read');
  readonly position: Store['position'] = this.#opened('position');
  readonly head: Store['head'] = this.#opened('head');
  readonly liveChildren: Store['liveChildren'] = this.#opened('liveChildren');
  readonly createdUnder: Store['createdUnder'] = this.#opened('createdUnder');
  readonly newestEnvelopeId: Store['newestEnvelopeId'] = this.#opened('newestEnvelopeId');
  readonly list: Store['list'] = this.#opened('list');
  readonly saveCursors: Store['saveCursors'] = this.#opened('saveCursors');
  readonly loadCursors: Store['loadCursors'] = this.#opened('loadCursors');
  readonly dropCursors: Store['dropCursors'] = this.#opened('dropCursors');
  readonly readAudit: Store['readAudit'] = this.#opened('readAudit');
  readonly getMeta: Store['getMeta'] = this.#opened('getMeta');

  async *liveRows(): AsyncGenerator<readonly LiveRow[], void, void> {
    yield* (await this.#opening).liveRows();
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#store.saveSnapshot(snapshot);
  }

  async loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    const found = await (await this.#opening).loadSnapshot(sessionId);
    if (found !== null) this.counts.snapshot += 1;
    return found;
  }

  audit(record: AuditRecord): void {
    this.#store.audit(record);
  }

  /** Waits for a sync like a unit. The hub id syncs itself: nothing else syncs during a start. */
  async setMeta(key: string, value: Json): Promise<void> {
    const done = (await this.#opening).setMeta(key, value);
    if (key === 'hub_id') this.sync();
    this.#staged += 1;
    await done.finally(() => {
      this.#staged -= 1;
    });
  }

  async close(): Promise<void> {
    this.#isHeld = false;
    this.sync();
    await (await this.#opening).close();
  }
}
