/**
 * Implements the store in a data folder that it alone writes: a journal (the source of truth), an index (a cache of the
 * journal) and an archive of ended sessions. An append settles once durable; after a failed write, every append fails.
 * `open-store.ts` opens a folder, `logs/appender.ts` appends, `catalogue/` holds the record of every log,
 * `journal/` writes and scans files, `maintenance/` holds the tasks of operators.
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
import {
  type LazyRecord,
  lazyText,
  newEpoch,
  OPERATIONS_FAMILY,
  type StoreOperation,
} from './catalogue/store-operations.ts';
import { createKey, metaKey, snapshotKey, under } from './index/index-keys.ts';
import { decodeJson, type LogRecord } from './index/log-record.ts';
import { DamagedIndex } from './index/ordered-index.ts';
import { isDamagedAt } from './journal/damage.ts';
import type { Files } from './journal/files.ts';
import type { Journal } from './journal/journal.ts';
import { type After, Appender, tokenOf } from './logs/appender.ts';
import { readAudit } from './logs/audit-trail.ts';
import { readEntries } from './logs/read-entries.ts';
import { type ArchiveOptions, type ArchiveResult, archiveEnded } from './maintenance/archive.ts';
import { type BackupResult, backupTo } from './maintenance/backup.ts';
import type { MaintenanceOptions, StoreInternals } from './maintenance/maintenance-types.ts';
import { type QuarantinedDamage, quarantineDamage, type RepairResult, repairLogs } from './maintenance/repair.ts';
import { type StoreVerification, type VerifyOptions, verifyStore } from './maintenance/verify.ts';

const CURSORS_PER_RECORD = 1_000;

export interface StorePorts {
  readonly after: After;
  /** Reports damage found while the store is in use. */
  onDamage(logId: string, fromSeq: number, error: Error): void;
  /** Called when the index is damaged: the next start must discard it. */
  onIndexDamaged(): void;
  /** Called when the next start must rebuild the index although it is intact. */
  onIndexRenewed(): void;
  /** Called last when the store closes; releases the folder. */
  onClosed(): Promise<void>;
}

export class DurableStore implements Store {
  readonly #files: Files;
  readonly #journal: Journal;
  readonly #catalogue: Catalogue;
  readonly #ports: StorePorts;
  readonly #appender: Appender;
  /** Audit records that are not durable yet, oldest first. */
  readonly #freshAudit: AuditEntry[] = [];
  /** The newest maintenance task; the next one waits for it. */
  #maintenance: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor(files: Files, journal: Journal, catalogue: Catalogue, ports: StorePorts) {
    this.#files = files;
    this.#journal = journal;
    this.#catalogue = catalogue;
    this.#ports = ports;
    this.#appender = new Appender(journal, catalogue, ports.after);
  }

  append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    return this.#appender.append(logId, expected, unit);
  }

  onFailure(listener: (error: Error) => void): void {
    this.#appender.onFailure(listener);
  }

  /** Reacts to a damaged index: appends fail, and the next start discards it. */
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
      // Maintenance moved units during the read: they are not damaged, so read again.
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

  async saveCursors(cursors: readonly Cursor[]): Promise<void> {
    if (cursors.length === 0) return;
    this.#appendLazy({ family: 'cursors', save: cursors, drop: [] });
    for (const cursor of cursors) this.#catalogue.saveCursor(cursor);
  }

  async loadCursors(agentId: string): Promise<readonly Cursor[]> {
    return this.#cursors(agentId);
  }

  async dropCursors(keys: readonly Pick<Cursor, 'agent_id' | 'session_id'>[]): Promise<void> {
    if (keys.length === 0) return;
    const drop = keys.map(({ agent_id, session_id }) => ({ agent_id, session_id }));
    this.#appendLazy({ family: 'cursors', save: [], drop });
    for (const { agent_id, session_id } of keys) this.#catalogue.dropCursor(agent_id, session_id);
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#catalogue.overlay.set(snapshotKey(snapshot.session_id), Buffer.from(JSON.stringify(snapshot)));
    this.#appender.commitSoon();
  }

  async loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    const bytes = this.#catalogue.overlay.get(snapshotKey(sessionId));
    // saveSnapshot wrote this value.
    return bytes === undefined ? null : (decodeJson(bytes) as Snapshot);
  }

  audit(record: AuditRecord): void {
    if (this.#appender.failure !== null) return;
    const number = this.#catalogue.nextAudit();
    this.#freshAudit.push({ ...record, number });
    this.#appender.appendLazy('audit', JSON.stringify(record), ({ position }) => {
      this.#freshAudit.shift();
      this.#catalogue.audit(number, position);
    });
  }

  readAudit(range: AuditRange): Promise<readonly AuditEntry[]> {
    return readAudit(this.#journal, this.#catalogue, this.#freshAudit, range);
  }

  async getMeta(name: string): Promise<Json | null> {
    const bytes = this.#catalogue.overlay.get(metaKey(name));
    // setMeta wrote this value.
    return bytes === undefined ? null : (decodeJson(bytes) as Json);
  }

  async setMeta(name: string, value: Json): Promise<void> {
    this.#appendLazy({ family: 'meta', name, value });
    this.#catalogue.setMeta(name, JSON.stringify(value));
    await this.#appender.flush();
  }

  /** Copies all durable data while the hub runs. */
  backup(target: string, options: MaintenanceOptions = {}): Promise<BackupResult> {
    return this.#maintain(() => backupTo(this.#open(), target, options));
  }

  /** Moves sessions that ended before a time to the archive, while the hub runs; they stay readable. */
  archive(options: ArchiveOptions): Promise<ArchiveResult> {
    return this.#maintain(() => archiveEnded(this.#open(), options));
  }

  /** Truncates damaged logs to their intact part, each in a new epoch. The hub must be stopped. */
  repair(logIds?: readonly string[], options: MaintenanceOptions = {}): Promise<readonly RepairResult[]> {
    return this.#maintain(() => repairLogs(this.#open(), logIds, systemClock.now(), options));
  }

  /** Quarantines damage in audit records and in parts that `repair` cut off. The hub must be stopped. */
  setAside(options: MaintenanceOptions & { readonly isSome?: boolean } = {}): Promise<readonly QuarantinedDamage[]> {
    return this.#maintain(() => quarantineDamage(this.#open(), options));
  }

  /** Reads and folds all logs again and compares the result with the index, while the hub runs. */
  verify(options: VerifyOptions = {}): Promise<StoreVerification> {
    return this.#maintain(() => verifyStore(this.#open(), options));
  }

  /** Gives every log a new epoch: this folder becomes an independent copy. */
  async renewEpochs(nowMs: number): Promise<void> {
    const epoch = newEpoch(this.#catalogue.lastRestore, nowMs);
    await this.perform({ operation: 'restored', at: this.#journal.end, epoch });
  }

  /** Performs an operation; it is durable and applied on return. */
  async perform(operation: StoreOperation): Promise<void> {
    if (this.#appender.failure !== null) throw this.#appender.failure;
    this.#appender.appendLazy(OPERATIONS_FAMILY, JSON.stringify(operation), () =>
      applyOperation(this.#catalogue, operation),
    );
    await this.#appender.flush();
  }

  /** Flushes, writes the index and releases the folder. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Closes the appender first: running maintenance then fails at its next append and ends. */
  async #close(): Promise<void> {
    try {
      await this.#appender.close(new HubError('store_closed', 'the store is closed; it takes no more units'));
      await this.#maintenance;
    } finally {
      await this.#journal.close();
      await this.#catalogue.overlay.close();
      await this.#ports.onClosed();
    }
  }

  /** Runs maintenance tasks one at a time: a backup must not copy files that another task rewrites. */
  #maintain<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#maintenance.then(work);
    this.#maintenance = done.catch(() => {});
    return done;
  }

  #open(): StoreInternals {
    return {
      files: this.#files,
      journal: this.#journal,
      catalogue: this.#catalogue,
      settle: () => this.#appender.settle(),
      dumpCursors: () => this.#dumpCursors(),
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
    this.#catalogue.markDamaged(logId, fromSeq, { segment: 0, offset: 0 });
    this.#ports.onDamage(logId, fromSeq, error);
    this.#appender.commitSoon();
  }

  /** Writes every cursor again, which makes older cursor records obsolete. */
  async #dumpCursors(): Promise<void> {
    this.#appendLazy({ family: 'cursors', save: [], drop: [], all: true });
    const cursors = this.#cursors();
    for (let i = 0; i < cursors.length; i += CURSORS_PER_RECORD) {
      this.#appendLazy({ family: 'cursors', save: cursors.slice(i, i + CURSORS_PER_RECORD), drop: [] });
    }
    await this.#appender.flush();
  }

  #cursors(...ofAgent: readonly string[]): readonly Cursor[] {
    const { from, to } = under('r', ...ofAgent);
    // saveCursor wrote these values.
    return [...this.#catalogue.overlay.range(from, to)].map(({ value }) => decodeJson(value) as Cursor);
  }

  #appendLazy(record: LazyRecord): void {
    this.#appender.appendLazy(record.family, lazyText(record));
  }
}
