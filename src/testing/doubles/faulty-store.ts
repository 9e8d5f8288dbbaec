/** A store in memory whose disk does only what a test tells it: wait, sync, fail, meet another writer, crash. */

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

/** Whether a unit that was not confirmed reached the disk. Asked in the order of the appends; after a no, its log is cut. */
export type KeepUnit = (logId: string, unit: Unit) => boolean;

/** Whether a write of this cursor that was not flushed reached the disk. */
export type KeepCursor = (key: CursorKey) => boolean;

/** Whether a snapshot that was not flushed reached the disk. */
export type KeepSnapshot = (sessionId: string) => boolean;

interface CursorWrite {
  readonly key: CursorKey;
  /** null = dropped. */
  readonly cursor: Cursor | null;
}

const nothing = (): boolean => false;

export class FaultyStore implements Store {
  /** `snapshot`: those that were found. */
  readonly counts: { append: number; read: number; snapshot: number } = { append: 0, read: 0, snapshot: 0 };
  readonly #disk: MemoryDisk;
  /** Reads what is durable. */
  readonly #reader: MemoryStore;
  readonly #commit: GroupCommit;
  readonly #conflicts = new Set<string>();
  readonly #cursorWrites: CursorWrite[] = [];
  readonly #snapshotWrites: Snapshot[] = [];
  /** What a failed sync left on the disk: nobody sees it before the disk is opened again. */
  readonly #leftBehind: StagedUnit[] = [];
  #crashed = false;

  constructor(disk: MemoryDisk = new MemoryDisk()) {
    this.#disk = disk;
    this.#reader = new MemoryStore({ disk });
    this.#commit = new GroupCommit(disk);
  }

  // What a test does to it.

  get crashed(): boolean {
    return this.#crashed;
  }

  stagedUnits(): number {
    return this.#commit.size;
  }

  /** The first `count` staged units (all of them, unless told) become durable in order, and what is lazy with them. */
  sync(count: number = this.#commit.size): void {
    this.#commit.flush(count);
    this.flushCursors();
    this.#writeSnapshots(() => true);
  }

  /** The sync fails: the store is poisoned. What `keep` says is on the disk all the same, for those who open it later. */
  failSync(error: Error, keep: KeepUnit = nothing): void {
    this.#leftBehind.push(...leadingRuns(this.#commit.fail(error), keep));
  }

  /** The next append to this log conflicts, though its token may be right. */
  conflict(logId: string): void {
    this.#conflicts.add(logId);
  }

  /** Another writer appends a unit, durable at once: whatever was staged on the old head conflicts. */
  foreignAppend(logId: string, unit: Unit): void {
    this.#disk.commit(stageUnit(logId, this.#disk.token(logId), unit));
  }

  flushCursors(): void {
    this.#writeCursors(() => true);
  }

  /**
   * The process dies: nothing outstanding here ever settles, later calls do nothing. The result is the store a new
   * process opens: what was durable, and of each log the leading run of staged units that `keep` names.
   */
  crash(keep: KeepUnit = nothing, keepCursor: KeepCursor = nothing, keepSnapshot: KeepSnapshot = nothing): this {
    const kept = [...this.#leftBehind, ...leadingRuns(this.#commit.abandon(), keep)];
    for (const unit of kept) this.#disk.commit(unit);
    this.#writeCursors(keepCursor);
    this.#writeSnapshots(keepSnapshot);
    this.#crashed = true;
    // A subclass keeps this constructor, so that what it breaks stays broken after the crash.
    return new (this.constructor as new (disk: MemoryDisk) => this)(this.#disk);
  }

  durableEntries(logId: string): readonly Entry[] {
    return this.#disk.log(logId)?.entries ?? [];
  }

  logIds(): readonly string[] {
    return this.#disk.logIds();
  }

  // The store.

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

  /** A clean close waits for the sync, so it does it; after a crash there is nothing to close. */
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

/** A log keeps its units up to the first that was lost. */
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
