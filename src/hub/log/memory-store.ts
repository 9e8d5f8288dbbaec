/** Implements a store in memory, lost when the process ends: for tests, demonstrations, and hubs that need no history. */

import { asError, HubError } from '../../core/lib/errors.ts';
import type { Json } from '../../core/lib/json.ts';
import type {
  Append,
  AppendOutcome,
  AuditEntry,
  AuditRange,
  AuditRecord,
  Cursor,
  HeadToken,
  LiveRow,
  LogPosition,
  ReadRange,
  SessionPage,
  SessionQuery,
  Snapshot,
  Store,
  StoredHead,
} from '../../core/ports/store.ts';
import type { Entry, Head, Unit } from '../../core/records/session/unit.ts';
import {
  type CursorKey,
  frozenCopy,
  MEMORY_EPOCH,
  MemoryDisk,
  type StagedUnit,
  seqOf,
  stageUnit,
  toStoredHead,
} from './memory-disk.ts';

interface MemoryStoreOptions {
  readonly disk?: MemoryDisk;
  /** Called when the first unit is staged. `flush` makes durable what was staged before it runs (default: in a microtask). */
  readonly schedule?: (flush: () => void) => void;
}

export class MemoryStore implements Store {
  readonly #disk: MemoryDisk;
  readonly #schedule: (flush: () => void) => void;
  readonly #commit: GroupCommit;

  constructor({ disk = new MemoryDisk(), schedule = inMicrotask }: MemoryStoreOptions = {}) {
    this.#disk = disk;
    this.#schedule = schedule;
    this.#commit = new GroupCommit(disk);
  }

  append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    const append = this.#commit.append(logId, expected, unit);
    if (this.#commit.size === 1) this.#schedule(() => this.#commit.flush());
    return append;
  }

  async read(logId: string, range: ReadRange): Promise<readonly Entry[]> {
    return this.#disk.log(logId)?.read(range) ?? [];
  }

  async position(logId: string): Promise<LogPosition | null> {
    const token = this.#disk.token(logId);
    return token === null ? null : { token, epoch: MEMORY_EPOCH, seq: seqOf(token), damaged_from: null };
  }

  async head(sessionId: string): Promise<StoredHead | null> {
    return toStoredHead(this.#disk.log(sessionId));
  }

  async *liveRows(): AsyncGenerator<readonly LiveRow[], void, void> {
    yield this.#disk.liveRows();
  }

  async liveChildren(sessionId: string): Promise<readonly string[]> {
    return this.#disk.liveChildren(sessionId);
  }

  async createdUnder(creatorId: string, key: string): Promise<Head | null> {
    return this.#disk.createdUnder(creatorId, key);
  }

  async newestEnvelopeId(): Promise<string | null> {
    return this.#disk.newestEnvelopeId();
  }

  async list(query: SessionQuery): Promise<SessionPage> {
    return this.#disk.list(query);
  }

  async saveCursors(cursors: readonly Cursor[]): Promise<void> {
    for (const cursor of cursors) this.#disk.saveCursor(frozenCopy(cursor));
  }

  async loadCursors(agentId: string): Promise<readonly Cursor[]> {
    return this.#disk.cursors(agentId);
  }

  async dropCursors(keys: readonly CursorKey[]): Promise<void> {
    for (const key of keys) this.#disk.dropCursor(key);
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#disk.saveSnapshot(frozenCopy(snapshot));
  }

  async loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    return this.#disk.snapshot(sessionId);
  }

  audit(record: AuditRecord): void {
    this.#disk.audit(record);
  }

  async readAudit(range: AuditRange): Promise<readonly AuditEntry[]> {
    return this.#disk.readAudit(range);
  }

  async getMeta(key: string): Promise<Json | null> {
    return this.#disk.getMeta(key);
  }

  async setMeta(key: string, value: Json): Promise<void> {
    this.#disk.setMeta(key, value);
  }

  /** Makes staged units durable; later appends fail. */
  async close(): Promise<void> {
    this.#commit.flush();
    this.#commit.fail(new HubError('store_closed', 'the store is closed; it takes no more units'));
  }
}

function inMicrotask(flush: () => void): void {
  void Promise.resolve().then(flush);
}

interface Waiting {
  readonly unit: StagedUnit;
  readonly settle: (outcome: AppendOutcome) => void;
}

export class GroupCommit {
  readonly #disk: MemoryDisk;
  /** Bounded by the caller, which counts the bytes it stages (Limits.maxStagedBytes). */
  readonly #waiting: Waiting[] = [];
  #poison: Error | null = null;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
  }

  get size(): number {
    return this.#waiting.length;
  }

  append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    const staged = stageUnit(logId, expected, unit);
    const outcome = new Promise<AppendOutcome>((settle) => {
      if (this.#poison === null) this.#waiting.push({ unit: staged, settle });
      else settle({ kind: 'failed', error: this.#poison });
    });
    return { token: staged.token, outcome };
  }

  /** Makes the first `count` waiting units durable, or reports a conflict. If the disk throws, they and all later ones fail. */
  flush(count: number = this.#waiting.length): void {
    for (const { unit, settle } of this.#waiting.slice(0, count)) {
      try {
        settle({ kind: this.#disk.commit(unit) ? 'durable' : 'conflict' });
      } catch (thrown) {
        this.fail(asError(thrown));
        return;
      }
      this.#waiting.shift();
    }
  }

  fail(error: Error): readonly StagedUnit[] {
    this.#poison ??= error;
    const failed = this.#waiting.splice(0);
    for (const { settle } of failed) settle({ kind: 'failed', error: this.#poison });
    return failed.map(({ unit }) => unit);
  }

  /** Forgets waiting units, as a crash does: their outcomes never settle. */
  abandon(): readonly StagedUnit[] {
    return this.#waiting.splice(0).map(({ unit }) => unit);
  }
}
