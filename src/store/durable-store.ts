/** The store in a folder: one journal is the truth, the index a cache of it. An append is answered when its flush is on the disk. */

import type { Entry, Unit } from '../core/records/session/envelope.ts';
import { HubError } from '../core/lib/errors.ts';
import type { Head } from '../core/state/fold-head.ts';
import type { Json } from '../core/lib/json.ts';
import type {
  Append,
  AuditRange,
  AuditRecord,
  Cursor,
  HeadToken,
  LiveRow,
  LogPosition,
  NumberedAudit,
  ReadRange,
  SessionPage,
  SessionQuery,
  Snapshot,
  Store,
  StoredHead,
} from '../core/ports/store.ts';
import type { Files } from '../node/journal/files.ts';
import type { Journal } from './journal/journal.ts';
import type { Position } from './journal/journal-types.ts';
import { systemClock } from '../system/clock.ts';
import { type After, Appender } from './logs/appender.ts';
import { type Archived, type ArchiveOptions, archiveEnded } from './maintenance/archive.ts';
import { type AuditTrail, readAudit } from './logs/audit-trail.ts';
import { type BackedUp, backupTo } from '../node/store/backup.ts';
import type { CareOptions, OpenParts } from './maintenance/maintenance-types.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { isDamagedAt } from '../node/store/damaged-at.ts';
import { DamagedIndex } from '../node/store/damaged-index.ts';
import { tokenOf } from '../node/store/head-token.ts';
import { createKey, metaKey, snapshotKey, under } from './index/index-keys.ts';
import { type LazyRecord, lazyText } from '../node/store/lazy-records.ts';
import { listSessions } from './catalogue/session-lists.ts';
import { liveChildren, liveRows } from '../node/store/live-sessions.ts';
import { decodeJson, type LogRecord } from './index/log-record.ts';
import { readEntries } from './logs/read-entries.ts';
import { type Repaired, repairLogs } from '../node/store/repair.ts';
import { type SetAside, setDamageAside } from '../node/store/set-aside.ts';
import { applyOperation, newEpoch, OPERATIONS_FAMILY, type StoreOperation } from './catalogue/store-operations.ts';
import { type Verified, type VerifyOptions, verifyStore } from './maintenance/verify.ts';

const CURSORS_PER_RECORD = 1_000;

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
  readonly #audits: AuditTrail = [];
  #care: Promise<unknown> = Promise.resolve();
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

  /** The index turned out to be damaged: this process does not go on with it, and the next one does not use it. */
  failIndex(error: DamagedIndex): void {
    this.#ports.onIndexDamaged();
    this.#appender.fail(error);
  }

  async read(logId: string, range: ReadRange): Promise<readonly Entry[]> {
    const record = this.#catalogue.record(logId);
    if (record === null) return [];
    this.#catalogue.showPlaces(logId);
    const { placesVersion } = this.#catalogue;
    const isMoved = () => placesVersion !== this.#catalogue.placesVersion;
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

  async saveCursors(cursors: readonly Cursor[]): Promise<void> {
    if (cursors.length === 0) return;
    this.#lazily({ family: 'cursors', save: cursors, drop: [] });
    for (const cursor of cursors) this.#catalogue.saveCursor(cursor);
  }

  async loadCursors(agentId: string): Promise<readonly Cursor[]> {
    const { from, to } = under('r', agentId);
    // Written by saveCursor.
    return [...this.#catalogue.overlay.range(from, to)].map(({ value }) => decodeJson(value) as Cursor);
  }

  async dropCursors(keys: readonly Pick<Cursor, 'agent_id' | 'session_id'>[]): Promise<void> {
    if (keys.length === 0) return;
    const drop = keys.map(({ agent_id, session_id }) => ({ agent_id, session_id }));
    this.#lazily({ family: 'cursors', save: [], drop });
    for (const { agent_id, session_id } of keys) this.#catalogue.dropCursor(agent_id, session_id);
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#catalogue.overlay.set(snapshotKey(snapshot.session_id), Buffer.from(JSON.stringify(snapshot)));
    this.#appender.commitSoon();
  }

  async loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    const bytes = this.#catalogue.overlay.get(snapshotKey(sessionId));
    // Written by saveSnapshot.
    return bytes === undefined ? null : (decodeJson(bytes) as Snapshot);
  }

  audit(record: AuditRecord): void {
    if (this.#appender.failure !== null) return;
    const number = this.#catalogue.nextAudit();
    this.#audits.push({ ...record, number });
    this.#appender.appendLazy('audit', JSON.stringify(record), ({ position }) => {
      this.#audits.shift();
      this.#catalogue.audit(number, position);
    });
  }

  readAudit(range: AuditRange): Promise<readonly NumberedAudit[]> {
    return readAudit(this.#journal, this.#catalogue, this.#audits, range);
  }

  async getMeta(name: string): Promise<Json | null> {
    const bytes = this.#catalogue.overlay.get(metaKey(name));
    // Written by setMeta.
    return bytes === undefined ? null : (decodeJson(bytes) as Json);
  }

  async setMeta(name: string, value: Json): Promise<void> {
    this.#lazily({ family: 'meta', name, value });
    this.#catalogue.setMeta(name, JSON.stringify(value));
    await this.#appender.flush();
  }

  // The care of the data.

  /** A copy of everything confirmed so far; the hub goes on meanwhile. */
  backup(target: string, options: CareOptions = {}): Promise<BackedUp> {
    return this.#caring(() => backupTo(this.#open(), target, options));
  }

  /** Moves sessions that ended before a time out of the journal; they stay readable, and the hub goes on meanwhile. */
  archive(options: ArchiveOptions): Promise<Archived> {
    return this.#caring(() => archiveEnded(this.#open(), options));
  }

  /** Cuts damaged logs to what is sound, each in a new epoch. Not beside a running hub, which may hold them in memory. */
  repair(logIds?: readonly string[], options: CareOptions = {}): Promise<readonly Repaired[]> {
    return this.#caring(() => repairLogs(this.#open(), logIds, systemClock.now(), options));
  }

  /** Sets aside what is damaged and of no use to any log: damaged records of the audit, and what `repair` cut. Not beside a running hub. */
  setAside(options: CareOptions & { readonly isSome?: boolean } = {}): Promise<readonly SetAside[]> {
    return this.#caring(() => setDamageAside(this.#open(), options));
  }

  /** Reads and folds everything again and compares; the hub may go on meanwhile. */
  verify(options: VerifyOptions = {}): Promise<Verified> {
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

  #open(): OpenParts {
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

  /** At least one record is written, whatever there is. */
  async #dumpCursors(): Promise<void> {
    let page: Cursor[] = [];
    // Whatever older records say, of cursors that were dropped meanwhile too, counts no more.
    this.#lazily({ family: 'cursors', save: [], drop: [], all: true });
    const { from, to } = under('r');
    // Written by saveCursor.
    const cursors = [...this.#catalogue.overlay.range(from, to)].map(({ value }) => decodeJson(value) as Cursor);
    for (const cursor of cursors) {
      page.push(cursor);
      if (page.length < CURSORS_PER_RECORD) continue;
      this.#lazily({ family: 'cursors', save: page, drop: [] });
      page = [];
    }
    this.#lazily({ family: 'cursors', save: page, drop: [] });
    await this.#appender.flush();
  }

  #stored(record: LogRecord | null): StoredHead | null {
    if (record === null || record.head === null) return null;
    const { head, damagedFrom: damaged_from } = record;
    return { head, token: tokenOf(record), epoch: this.#catalogue.epochOf(record), damaged_from };
  }

  #lazily(record: LazyRecord): void {
    this.#appender.appendLazy(record.family, lazyText(record));
  }

  #found(logId: string, fromSeq: number, error: Error): void {
    const at: Position = { segment: 0, offset: 0 };
    this.#catalogue.damaged(logId, fromSeq, at);
    this.#ports.onDamage(logId, fromSeq, error);
    this.#appender.commitSoon();
  }
}
