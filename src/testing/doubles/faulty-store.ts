/** An in-memory store whose disk the test controls: it can wait, sync, fail, conflict and crash. */

import type { Json } from '../../core/lib/json.ts';
import type {
  Append,
  AuditEntry,
  AuditRange,
  AuditRecord,
  Cursor,
  HeadToken,
  LiveRow,
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
  MemoryDisk,
  type StagedUnit,
  stageUnit,
  tokenAt,
} from '../../hub/log/memory-disk.ts';
import { GroupCommit, MemoryStore } from '../../hub/log/memory-store.ts';

/** Whether an unconfirmed unit reached the disk. Asked in append order; the first false drops the rest of its log. */
export type KeepUnit = (logId: string, unit: Unit) => boolean;

/** Whether an unflushed cursor write reached the disk. */
export type KeepCursor = (key: CursorKey) => boolean;

/** Whether an unflushed snapshot reached the disk. */
type KeepSnapshot = (sessionId: string) => boolean;

interface CursorWrite {
  readonly key: CursorKey;
  /** null if the cursor was dropped. */
  readonly cursor: Cursor | null;
}

const nothing = (): boolean => false;

export class FaultyStore implements Store {
  /** Numbers of calls; `snapshot` counts only loads that found a snapshot. */
  readonly counts: { append: number; read: number; snapshot: number } = { append: 0, read: 0, snapshot: 0 };
  readonly #disk: MemoryDisk;
  /** Reads durable data. */
  readonly #reader: MemoryStore;
  readonly #commit: GroupCommit;
  readonly #conflicts = new Set<string>();
  readonly #cursorWrites: CursorWrite[] = [];
  readonly #snapshotWrites: Snapshot[] = [];
  /** Units on the disk after a failed sync; visible only after the disk is opened again. */
  readonly #leftBehind: StagedUnit[] = [];
  #crashed = false;

  constructor(disk: MemoryDisk = new MemoryDisk()) {
    this.#disk = disk;
    this.#reader = new MemoryStore({ disk });
    this.#commit = new GroupCommit(disk);
  }

  // Controls for tests.

  get crashed(): boolean {
    return this.#crashed;
  }

  stagedUnits(): number {
    return this.#commit.size;
  }

  /** Makes the first `count` staged units (default: all) durable in order, with all lazy writes. */
  sync(count: number = this.#commit.size): void {
    this.#commit.flush(count);
    this.flushCursors();
    this.#writeSnapshots(() => true);
  }

  /** Fails the sync and poisons the store. Units that `keep` selects are on the disk when it is opened again. */
  failSync(error: Error, keep: KeepUnit = nothing): void {
    this.#leftBehind.push(...leadingRuns(this.#commit.fail(error), keep));
  }

  /** Makes the next append to this log conflict, even with a valid token. */
  conflict(logId: string): void {
    this.#conflicts.add(logId);
  }

  /** Appends a durable unit as another writer: everything staged on the old head conflicts. */
  foreignAppend(logId: string, unit: Unit): void {
    this.#disk.commit(stageUnit(logId, this.#disk.token(logId), unit));
  }

  flushCursors(): void {
    this.#writeCursors(() => true);
  }

  /** Simulates a crash: pending calls never settle, and later calls do nothing. Returns the store that a new process opens:
   * durable data, and of each log the first staged units that `keep` selects. */
  crash(keep: KeepUnit = nothing, keepCursor: KeepCursor = nothing, keepSnapshot: KeepSnapshot = nothing): this {
    const kept = [...this.#leftBehind, ...leadingRuns(this.#commit.abandon(), keep)];
    for (const unit of kept) this.#disk.commit(unit);
    this.#writeCursors(keepCursor);
    this.#writeSnapshots(keepSnapshot);
    this.#crashed = true;
    // Subclasses share this constructor, so that their faults survive the crash.
    return new (this.constructor as new (disk: MemoryDisk) => this)(this.#disk);
  }

  durableEntries(logId: string): readonly Entry[] {
    return this.#disk.log(logId)?.entries ?? [];
  }

  logIds(): readonly string[] {
    return this.#disk.logIds();
  }

  append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    this.counts.append += 1;
    if (this.#crashed) return { token: stageUnit(logId, expected, unit).token, outcome: never() };
    if (!this.#conflicts.delete(logId)) return this.#commit.append(logId, expected, unit);
    return this.#commit.append(logId, tokenAt((unit.entries[0]?.envelope.seq ?? 1) - 1), unit);
  }

  read(logId: string, range: ReadRange): Promise<readonly Entry[]> {
    this.counts.read += 1;
    return this.#alive(() => this.#reader.read(logId, range));
  }

  position(logId: string): ReturnType<Store['position']> {
    return this.#alive(() => this.#reader.position(logId));
  }

  head(sessionId: string): Promise<StoredHead | null> {
    return this.#alive(() => this.#reader.head(sessionId));
  }

  async *liveRows(): AsyncGenerator<readonly LiveRow[], void, void> {
    if (this.#crashed) await never();
    yield* this.#reader.liveRows();
  }

  liveChildren(sessionId: string): Promise<readonly string[]> {
    return this.#alive(() => this.#reader.liveChildren(sessionId));
  }

  createdUnder(creatorId: string, key: string): Promise<Head | null> {
    return this.#alive(() => this.#reader.createdUnder(creatorId, key));
  }

  newestEnvelopeId(): Promise<string | null> {
    return this.#alive(() => this.#reader.newestEnvelopeId());
  }

  list(query: SessionQuery): Promise<SessionPage> {
    return this.#alive(() => this.#reader.list(query));
  }

  saveCursors(cursors: readonly Cursor[]): Promise<void> {
    return this.#alive(async () => {
      for (const cursor of cursors) this.#cursorWrites.push({ key: cursor, cursor: frozenCopy(cursor) });
    });
  }

  loadCursors(agentId: string): Promise<readonly Cursor[]> {
    return this.#alive(async () => {
      const cursors = new Map(this.#disk.cursors(agentId).map((cursor) => [cursor.session_id, cursor]));
      for (const { key, cursor } of this.#cursorWrites) {
        if (key.agent_id !== agentId) continue;
        if (cursor === null) cursors.delete(key.session_id);
        else cursors.set(key.session_id, cursor);
      }
      return [...cursors.values()];
    });
  }

  dropCursors(keys: readonly CursorKey[]): Promise<void> {
    return this.#alive(async () => {
      for (const key of keys) this.#cursorWrites.push({ key, cursor: null });
    });
  }

  saveSnapshot(snapshot: Snapshot): void {
    if (!this.#crashed) this.#snapshotWrites.push(frozenCopy(snapshot));
  }

  loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    return this.#alive(async () => {
      const waiting = this.#snapshotWrites.findLast(({ session_id }) => session_id === sessionId);
      const found = waiting ?? (await this.#reader.loadSnapshot(sessionId));
      if (found !== null) this.counts.snapshot += 1;
      return found;
    });
  }

  audit(record: AuditRecord): void {
    if (!this.#crashed) this.#disk.audit(record);
  }

  readAudit(range: AuditRange): Promise<readonly AuditEntry[]> {
    return this.#alive(() => this.#reader.readAudit(range));
  }

  getMeta(key: string): Promise<Json | null> {
    return this.#alive(() => this.#reader.getMeta(key));
  }

  setMeta(key: string, value: Json): Promise<void> {
    return this.#alive(() => this.#reader.setMeta(key, value));
  }

  /** A clean close syncs first; a crashed store has nothing to close. */
  async close(): Promise<void> {
    if (this.#crashed) return;
    this.sync();
    this.#commit.fail(new Error('the store is closed'));
  }

  #alive<T>(call: () => Promise<T>): Promise<T> {
    return this.#crashed ? never() : call();
  }

  #writeSnapshots(keep: KeepSnapshot): void {
    for (const snapshot of this.#snapshotWrites.splice(0)) {
      if (keep(snapshot.session_id)) this.#disk.saveSnapshot(snapshot);
    }
  }

  #writeCursors(keep: KeepCursor): void {
    for (const { key, cursor } of this.#cursorWrites.splice(0)) {
      if (!keep(key)) continue;
      if (cursor === null) this.#disk.dropCursor(key);
      else this.#disk.saveCursor(cursor);
    }
  }
}

/** Keeps the units of each log up to the first lost one. */
function leadingRuns(units: readonly StagedUnit[], keep: KeepUnit): readonly StagedUnit[] {
  const cut = new Set<string>();
  return units.filter((unit) => {
    if (cut.has(unit.logId)) return false;
    if (keep(unit.logId, unit)) return true;
    cut.add(unit.logId);
    return false;
  });
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
