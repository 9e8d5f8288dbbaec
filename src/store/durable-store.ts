/**
 * The embedded store, in a data folder. It owns the folder alone: a journal, which is the truth; an index, which is a cache
 * of the journal; and an archive of ended sessions. An append is answered when its flush is on the disk, and after the first
 * failed write nothing is appended any more. `open-store.ts` opens a folder, `logs/appender.ts` is the path of an append,
 * `catalogue/` knows every log without reading the journal, `journal/` writes and scans files, `maintenance/` is for operators.
 */

import { HubError } from '../core/lib/errors.ts';
import type { Json } from '../core/lib/json.ts';
import type {
  Append,
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
} from '../core/ports/store.ts';
import type { Entry, Head, Unit } from '../core/records/session/unit.ts';
import { systemClock } from '../system/clock.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { applyOperation } from './catalogue/replay.ts';
import { listSessions, liveChildren, liveRows } from './catalogue/session-lists.ts';
import { newEpoch, OPERATIONS_FAMILY, type StoreOperation } from './catalogue/store-operations.ts';
import { createKey } from './index/index-keys.ts';
import type { LogRecord } from './index/log-record.ts';
import { DamagedIndex } from './index/ordered-index.ts';
import type { Files } from './journal/files.ts';
import { isDamagedAt } from './journal/inspect-damage.ts';
import type { Journal } from './journal/journal.ts';
import type { Position } from './journal/journal-types.ts';
import { type After, Appender, tokenOf } from './logs/appender.ts';
import { readEntries } from './logs/read-entries.ts';
import { SideRecords } from './logs/side-records.ts';
import { type ArchiveOptions, type ArchiveResult, archiveEnded } from './maintenance/archive.ts';
import { type BackupResult, backupTo } from './maintenance/backup.ts';
import type { MaintenanceOptions, StoreInternals } from './maintenance/maintenance-types.ts';
import { type QuarantinedDamage, quarantineDamage, type RepairResult, repairLogs } from './maintenance/repair.ts';
import { type StoreVerification, type VerifyOptions, verifyStore } from './maintenance/verify.ts';

export interface StorePorts {
  readonly after: After;
  /** Damage was found where all was well when the store was opened. */
  onDamage(logId: string, fromSeq: number, error: Error): void;
  /** The index is not to be used by the next start. */
  onIndexDamaged(): void;
  /** The same, and nothing is wrong with it. */
  onIndexRenewed(): void;
  /** Behind everything else: the folder is let go. */
  onClosed(): Promise<void>;
}

export class DurableStore implements Store {
  readonly #files: Files;
  readonly #journal: Journal;
  readonly #catalogue: Catalogue;
  readonly #ports: StorePorts;
  readonly #appender: Appender;
  readonly #side: SideRecords;
  #care: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor(files: Files, journal: Journal, catalogue: Catalogue, ports: StorePorts) {
    this.#files = files;
    this.#journal = journal;
    this.#catalogue = catalogue;
    this.#ports = ports;
    this.#appender = new Appender(journal, catalogue, ports.after);
    this.#side = new SideRecords(journal, catalogue, this.#appender);
  }

  append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    return this.#appender.append(logId, expected, unit);
  }

  onFailure(listener: (error: Error) => void): void {
    this.#appender.onFailure(listener);
  }

  /** The index turned out to be damaged: this process does not go on with it, and the next one does not use it. */
  failIndex(error: DamagedIndex): void {
    this.#ports.onIndexDamaged();
    this.#appender.fail(error);
  }

  async read(logId: string, range: ReadRange): Promise<readonly Entry[]> {
    const record = this.#catalogue.record(logId);
    if (record === null) return [];
    this.#catalogue.showPositions(logId);
    const { positionsVersion: placesVersion } = this.#catalogue;
    const isMoved = () => placesVersion !== this.#catalogue.positionsVersion;
    try {
      const { entries, damage } = await readEntries(this.#journal, this.#catalogue.overlay, logId, record, range);
      if (damage === null) return entries;
      // It was moved while it was read: no damage, it lies elsewhere.
      if (isMoved()) return this.read(logId, range);
      if (!(await isDamagedAt(this.#files, damage.position, this.#journal.end))) {
        throw new DamagedIndex(`it looks for seq ${damage.fromSeq} of log ${logId} where something else is`);
      }
      this.#found(logId, damage.fromSeq, damage.error);
      return entries;
    } catch (thrown) {
      if (!(thrown instanceof DamagedIndex)) throw thrown;
      if (isMoved()) return this.read(logId, range);
      this.failIndex(thrown);
      throw thrown;
    }
  }

  async position(logId: string): Promise<LogPosition | null> {
    const record = this.#catalogue.record(logId);
    if (record === null) return null;
    const { damagedFrom: damaged_from } = record;
    const seq = damaged_from === null ? record.seq : Math.min(record.seq, damaged_from - 1);
    return { token: tokenOf(record), epoch: this.#catalogue.epochOf(record), seq, damaged_from };
  }

  async head(sessionId: string): Promise<StoredHead | null> {
    return this.#stored(this.#catalogue.record(sessionId));
  }

  liveRows(): AsyncIterable<readonly LiveRow[]> {
    return liveRows(this.#catalogue);
  }

  async liveChildren(sessionId: string): Promise<readonly string[]> {
    return liveChildren(this.#catalogue, sessionId);
  }

  async createdUnder(creatorId: string, key: string): Promise<Head | null> {
    this.#catalogue.show();
    const id = this.#catalogue.overlay.get(createKey(creatorId, key));
    const head = id === undefined ? null : (this.#catalogue.record(Buffer.from(id).toString())?.head ?? null);
    return head?.creator_id === creatorId && head.create_key === key ? head : null;
  }

  async newestEnvelopeId(): Promise<string | null> {
    return this.#catalogue.newestEnvelopeId;
  }

  async list(query: SessionQuery): Promise<SessionPage> {
    this.#catalogue.showLists();
    const { found, next } = listSessions(this.#catalogue.overlay, query, (id) => this.#catalogue.record(id));
    return { heads: found.map((record) => this.#stored(record)).filter((head) => head !== null), next };
  }

  saveCursors(cursors: readonly Cursor[]): Promise<void> {
    return this.#side.saveCursors(cursors);
  }

  loadCursors(agentId: string): Promise<readonly Cursor[]> {
    return this.#side.loadCursors(agentId);
  }

  dropCursors(keys: readonly Pick<Cursor, 'agent_id' | 'session_id'>[]): Promise<void> {
    return this.#side.dropCursors(keys);
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#side.saveSnapshot(snapshot);
  }

  loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    return this.#side.loadSnapshot(sessionId);
  }

  audit(record: AuditRecord): void {
    this.#side.audit(record);
  }

  readAudit(range: AuditRange): Promise<readonly AuditEntry[]> {
    return this.#side.readAudit(range);
  }

  getMeta(name: string): Promise<Json | null> {
    return this.#side.getMeta(name);
  }

  setMeta(name: string, value: Json): Promise<void> {
    return this.#side.setMeta(name, value);
  }

  // Maintenance.

  /** A copy of everything confirmed so far; the hub goes on meanwhile. */
  backup(target: string, options: MaintenanceOptions = {}): Promise<BackupResult> {
    return this.#caring(() => backupTo(this.#open(), target, options));
  }

  /** Moves sessions that ended before a time out of the journal; they stay readable, and the hub goes on meanwhile. */
  archive(options: ArchiveOptions): Promise<ArchiveResult> {
    return this.#caring(() => archiveEnded(this.#open(), options));
  }

  /** Cuts damaged logs to what is sound, each in a new epoch. Not beside a running hub, which may hold them in memory. */
  repair(logIds?: readonly string[], options: MaintenanceOptions = {}): Promise<readonly RepairResult[]> {
    return this.#caring(() => repairLogs(this.#open(), logIds, systemClock.now(), options));
  }

  /** Sets aside what is damaged and of no use to any log: damaged records of the audit, and what `repair` cut. Not beside a running hub. */
  setAside(options: MaintenanceOptions & { readonly isSome?: boolean } = {}): Promise<readonly QuarantinedDamage[]> {
    return this.#caring(() => quarantineDamage(this.#open(), options));
  }

  /** Reads and folds everything again and compares; the hub may go on meanwhile. */
  verify(options: VerifyOptions = {}): Promise<StoreVerification> {
    return this.#caring(() => verifyStore(this.#open(), options));
  }

  /** Every log gets a new epoch: this is a copy that goes its own way. */
  async renewEpochs(nowMs: number): Promise<void> {
    await this.perform({
      operation: 'restored',
      at: this.#journal.end,
      epoch: newEpoch(this.#catalogue.lastRestore, nowMs),
    });
  }

  /** Durable, and applied, when it returns. */
  async perform(operation: StoreOperation): Promise<void> {
    if (this.#appender.failure !== null) throw this.#appender.failure;
    this.#appender.appendLazy(OPERATIONS_FAMILY, JSON.stringify(operation), () =>
      applyOperation(this.#catalogue, operation),
    );
    await this.#appender.flush();
  }

  /** Makes durable what is staged, writes the index and lets go of the folder; again = the same. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The care that is under way ends first: it meets a store that takes nothing more. */
  async #close(): Promise<void> {
    try {
      await this.#appender.close(new HubError('store_closed', 'the store is closed; it takes no more units'));
      await this.#care;
    } finally {
      await this.#journal.close();
      await this.#catalogue.overlay.close();
      await this.#ports.onClosed();
    }
  }

  /** One at a time: a copy must not be taken while files are rewritten. */
  #caring<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#care.then(work);
    this.#care = done.catch(() => {});
    return done;
  }

  #open(): StoreInternals {
    return {
      files: this.#files,
      journal: this.#journal,
      catalogue: this.#catalogue,
      settle: () => this.#appender.settle(),
      dumpCursors: () => this.#side.dumpCursors(),
      renewIndex: () => this.#ports.onIndexRenewed(),
      perform: (operation) => this.perform(operation),
    };
  }

  #stored(record: LogRecord | null): StoredHead | null {
    if (record === null || record.head === null) return null;
    const { head, damagedFrom: damaged_from } = record;
    return { head, token: tokenOf(record), epoch: this.#catalogue.epochOf(record), damaged_from };
  }

  #found(logId: string, fromSeq: number, error: Error): void {
    const at: Position = { segment: 0, offset: 0 };
    this.#catalogue.markDamaged(logId, fromSeq, at);
    this.#ports.onDamage(logId, fromSeq, error);
    this.#appender.commitSoon();
  }
}
