/** The store in a folder: one journal is the truth, the index a cache of it. An append is answered when its flush is on the disk. */

import type { Entry, Unit } from '../../core/envelope.ts';
import { asError, HubError } from '../../core/errors.ts';
import type { Head } from '../../core/head.ts';
import type { Json } from '../../core/json.ts';
import type {
  Append,
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
} from '../../core/store.ts';
import { unitText } from '../../core/unit-text.ts';
import type { Files } from '../journal/files.ts';
import type { Journal } from '../journal/journal.ts';
import type { Appended, Position } from '../journal/journal-types.ts';
import { type Archived, type ArchiveOptions, archiveEnded } from './archive.ts';
import { type AuditTrail, readAudit } from './audit-trail.ts';
import { type BackedUp, backupTo } from './backup.ts';
import type { CareOptions, OpenParts } from './care-types.ts';
import type { Catalogue } from './catalogue.ts';
import { isDamagedAt } from './damaged-at.ts';
import { DamagedIndex } from './damaged-index.ts';
import { FlushGroup } from './flush-group.ts';
import { checkSeqs, isHead, tokenOf, tokenOfConflict } from './head-token.ts';
import { createKey, metaKey, orderAt, snapshotKey, under } from './index-keys.ts';
import { type LazyRecord, lazyText } from './lazy-records.ts';
import { listSessions } from './listing.ts';
import { decodeJson, extended, type LogRecord } from './log-record.ts';
import { readEntries } from './read-entries.ts';
import { type Repaired, repairLogs } from './repair.ts';
import { applyOperation, OPERATIONS_FAMILY, type StoreOperation } from './store-operations.ts';
import { type Verified, type VerifyOptions, verifyStore } from './verify.ts';

/** The index is written this long after something became durable: often enough that a start replays little, rarely enough to cost nothing. */
export const COMMIT_AFTER_MS = 500;
/** More than this waits for no timer. */
const MANY_CHANGES = 8_192;
const CURSORS_PER_RECORD = 1_000;
/** With more than this waiting, answers wait for the index: it cannot follow, and memory is bounded. */
const TOO_MANY_CHANGES = 262_144;

export interface StorePorts {
  /** Calls `run` once after so many milliseconds; the result cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Damage was found where all was well when the store was opened. */
  onDamage(logId: string, fromSeq: number, error: Error): void;
  /** The index is not to be used by the next start. */
  onIndexDamaged(): void;
  /** Behind everything else: the folder is let go. */
  onClosed(): Promise<void>;
}

export class DurableStore implements Store {
  readonly #files: Files;
  readonly #journal: Journal;
  readonly #catalogue: Catalogue;
  readonly #ports: StorePorts;
  #group: FlushGroup | null = null;
  #gate: Promise<void> | null = null;
  #failure: Error | null = null;
  readonly #failureListeners: ((error: Error) => void)[] = [];
  #cancelCommit: (() => void) | null = null;
  #closing: Promise<void> | null = null;
  #care: Promise<void> = Promise.resolve();
  readonly #audits: AuditTrail = [];

  constructor(files: Files, journal: Journal, catalogue: Catalogue, ports: StorePorts) {
    this.#files = files;
    this.#journal = journal;
    this.#catalogue = catalogue;
    this.#ports = ports;
  }

  /** Nothing is taken any more; whoever asked to hear of it does, once. Gives the error back. */
  fail(error: Error): Error {
    if (this.#failure !== null) return error;
    this.#failure = error;
    if (error instanceof DamagedIndex) this.#ports.onIndexDamaged();
    for (const listener of this.#failureListeners) listener(error);
    return error;
  }

  onFailure(listener: (error: Error) => void): void {
    this.#failureListeners.push(listener);
  }

  append(logId: string, expected: HeadToken | null, unit: Unit): Append {
    const last = unit.entries.at(-1)?.envelope;
    const seq = last?.seq ?? 0;
    if (this.#failure !== null) return this.#failed(seq, this.#failure);
    const log = this.#catalogue.hot(logId);
    const before = log.staged;
    const isDamaged = before !== null && before.damagedFrom !== null;
    // Whoever read a damaged log up to its damage cannot know the seq that would be next.
    if (!isDamaged) checkSeqs(logId, expected, unit);
    if (isDamaged || !isHead(before, expected)) return { token: tokenOfConflict(seq), outcome: this.#conflict() };
    // The fold comes first: if it throws, nothing was written.
    const grown = extended(before, unit);
    const appended = this.#journal.append('unit', logId, unitText(unit));
    const { position } = appended;
    const after = before === null ? { ...grown, order: orderAt(position) } : grown;
    log.stage(after);
    const firstSeq = unit.entries[0]?.envelope.seq ?? 0;
    const step = { after, unit: { firstSeq, position }, lastId: last?.envelope_id ?? null };
    const outcome = this.#groupOf(appended).add(() => {
      this.#catalogue.confirm(log, step);
      this.#applied(appended);
    });
    return { token: tokenOf(after), outcome };
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
      if (thrown instanceof DamagedIndex && isMoved()) return this.read(logId, range);
      throw thrown instanceof DamagedIndex ? this.fail(thrown) : thrown;
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
    return this.#catalogue.liveRows();
  }

  async liveChildren(sessionId: string): Promise<readonly string[]> {
    return this.#catalogue.liveChildren(sessionId);
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
    this.#catalogue.show();
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
    this.#commitSoon();
  }

  async loadSnapshot(sessionId: string): Promise<Snapshot | null> {
    const bytes = this.#catalogue.overlay.get(snapshotKey(sessionId));
    // Written by saveSnapshot.
    return bytes === undefined ? null : (decodeJson(bytes) as Snapshot);
  }

  audit(record: AuditRecord): void {
    if (this.#failure !== null) return;
    const number = this.#catalogue.nextAudit();
    const numbered = { ...record, number };
    const appended = this.#journal.append('lazy', 'audit', JSON.stringify(record));
    this.#audits.push(numbered);
    this.#groupOf(appended).addLazy(() => {
      this.#audits.shift();
      this.#catalogue.audit(number, appended.position);
      this.#applied(appended);
    });
    this.#commitSoon();
  }

  readAudit(range: { readonly after: number; readonly limit: number }): Promise<readonly NumberedAudit[]> {
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
    const outcome = await this.#journal.flushLazy();
    if (outcome.kind === 'failed') throw outcome.error;
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
  repair(logIds?: readonly string[]): Promise<readonly Repaired[]> {
    return this.#caring(() => repairLogs(this.#open(), logIds));
  }

  /** Reads and folds everything again and compares; the hub may go on meanwhile. */
  verify(options: VerifyOptions = {}): Promise<Verified> {
    return this.#caring(() => verifyStore(this.#open(), options));
  }

  async perform(operation: StoreOperation): Promise<void> {
    const appended = this.#journal.append('lazy', OPERATIONS_FAMILY, JSON.stringify(operation));
    this.#groupOf(appended).addLazy(() => {
      applyOperation(this.#catalogue, operation, appended.position);
      this.#applied(appended);
    });
    const outcome = await this.#journal.flushLazy();
    if (outcome.kind === 'failed') throw outcome.error;
  }

  /** Makes durable what is staged, writes the index and lets go of the folder; again = the same. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#failure ??= new HubError('store_closed', 'the store is closed; it takes no more units');
    this.#cancelCommit?.();
    try {
      await this.#journal.flushLazy();
      await this.#group?.flushed;
      await this.#catalogue.commit().catch(() => {});
    } finally {
      await this.#journal.close();
      await this.#catalogue.overlay.close();
      await this.#ports.onClosed();
    }
  }

  /** One at a time: a copy must not be taken while files are rewritten. */
  #caring<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#care.then(work);
    this.#care = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  #open(): OpenParts {
    return {
      files: this.#files,
      journal: this.#journal,
      catalogue: this.#catalogue,
      settle: () => this.#settle(),
      dumpCursors: () => this.#dumpCursors(),
      perform: (operation) => this.perform(operation),
    };
  }

  /** At least one record is written, whatever there is. */
  async #dumpCursors(): Promise<void> {
    let page: Cursor[] = [];
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
    const outcome = await this.#journal.flushLazy();
    if (outcome.kind === 'failed') throw outcome.error;
  }

  async #settle(): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    const outcome = await this.#journal.flushLazy();
    if (outcome.kind === 'failed') throw outcome.error;
    await this.#catalogue.commit();
  }

  #stored(record: LogRecord | null): StoredHead | null {
    if (record === null || record.head === null) return null;
    const { head, damagedFrom: damaged_from } = record;
    return { head, token: tokenOf(record), epoch: this.#catalogue.epochOf(record), damaged_from };
  }

  /** The group of the flush that this record goes with. */
  #groupOf(appended: Appended): FlushGroup {
    if (this.#group?.flushed === appended.outcome) return this.#group;
    const group = new FlushGroup(appended.outcome);
    this.#group = group;
    void group.flushed.then((outcome) => {
      if (this.#group === group) this.#group = null;
      return outcome.kind === 'failed' ? this.#poison(group, outcome.error) : this.#confirm(group);
    });
    return group;
  }

  #confirm(group: FlushGroup): void {
    group.apply();
    if (this.#gate === null && this.#catalogue.size <= TOO_MANY_CHANGES) group.settle();
    else this.#behindGate(() => group.settle());
    this.#commitSoon();
  }

  /** The index cannot follow: answers wait until it has, in order. */
  #behindGate(settle: () => void): void {
    const gate = (this.#gate ?? this.#commit()).then(() => {
      if (this.#gate === gate) this.#gate = null;
      settle();
    });
    this.#gate = gate;
  }

  #poison(group: FlushGroup, error: Error): void {
    this.fail(error);
    group.fail(error);
  }

  #conflict(): Append['outcome'] {
    if (this.#group !== null) return this.#group.addConflict();
    return (this.#gate ?? Promise.resolve()).then(() => ({ kind: 'conflict' }));
  }

  #failed(seq: number, error: Error): Append {
    return { token: tokenOfConflict(seq), outcome: Promise.resolve({ kind: 'failed', error }) };
  }

  #lazily(record: LazyRecord): void {
    if (this.#failure !== null) return;
    const appended = this.#journal.append('lazy', record.family, lazyText(record));
    this.#groupOf(appended).addLazy(() => this.#applied(appended));
    this.#commitSoon();
  }

  #applied({ position: { segment, offset }, bytes }: Appended): void {
    this.#catalogue.applied({ segment, offset: offset + bytes });
  }

  #commitSoon(): void {
    if (this.#failure !== null || this.#cancelCommit !== null) return;
    const ms = this.#catalogue.size > MANY_CHANGES ? 0 : COMMIT_AFTER_MS;
    this.#cancelCommit = this.#ports.after(ms, () => {
      this.#cancelCommit = null;
      void this.#commit();
    });
  }

  /** Lazy records go to the disk no later than the index. An index that cannot be written is a disk that cannot be trusted. */
  async #commit(): Promise<void> {
    try {
      await this.#journal.flushLazy();
      await this.#catalogue.commit();
    } catch (thrown) {
      this.fail(asError(thrown));
    }
  }

  #found(logId: string, fromSeq: number, error: Error): void {
    const at: Position = { segment: 0, offset: 0 };
    this.#catalogue.damaged(logId, fromSeq, at);
    this.#ports.onDamage(logId, fromSeq, error);
    this.#commitSoon();
  }
}
