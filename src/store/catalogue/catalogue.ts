/** What is known of every log without reading the journal: a few logs that are written to, and the index for all others. */

import { msFromIso } from '../../core/lib/time.ts';
import type { Cursor } from '../../core/ports/store.ts';
import { laterId } from '../../core/records/session/stamp.ts';
import type { Unit } from '../../core/records/session/unit.ts';
import { type Checkpoint, emptyCheckpoint, encodeCheckpoint } from '../index/checkpoint.ts';
import {
  auditKey,
  CHECKPOINT_KEY,
  cursorKey,
  logKey,
  metaKey,
  orderAt,
  unarchivedKey,
  under,
} from '../index/index-keys.ts';
import { encodeRecord, extendRecord, type LogRecord } from '../index/log-record.ts';
import type { Overlay } from '../index/overlay.ts';
import {
  decodeRun,
  encodePosition,
  moveAuditPositions,
  movePositions,
  type PlacedUnit,
  replacePositions,
} from '../index/unit-positions.ts';
import type { Position } from '../journal/journal-types.ts';
import { ArchiveState } from './archive-state.ts';
import { HotLog, readRecord } from './hot-log.ts';

/** Some kilobytes each. */
const MAX_RESTING = 1_024;

export class Catalogue {
  readonly overlay: Overlay;
  readonly archive: ArchiveState;
  readonly #hot = new Map<string, HotLog>();
  /** Those the last commit found cold. One that is written to again by the next commit need not be read from the index. */
  #resting = new Map<string, HotLog>();
  readonly #journalId: string;
  #at: Position | null;
  #newestId: string | null;
  /** Audit records in the index, and those that have a number. */
  #audited: number;
  #numbered: number;
  #restoredAt: Checkpoint['restoredAt'];
  readonly #aside: { readonly from: Position; readonly to: Position }[] = [];
  #placesVersion = 0;
  #committing: Promise<void> | null = null;

  constructor(overlay: Overlay, checkpoint: Checkpoint) {
    this.overlay = overlay;
    this.#journalId = checkpoint.journalId;
    this.#at = checkpoint.at;
    this.#newestId = checkpoint.newestEnvelopeId;
    this.#audited = checkpoint.audited;
    this.#numbered = checkpoint.audited;
    this.#restoredAt = checkpoint.restoredAt;
    this.archive = new ArchiveState(checkpoint.archive, checkpoint.leftovers);
  }

  /** Changes whenever units get other places: what was looked up before may not be there any more. */
  get positionsVersion(): number {
    return this.#placesVersion;
  }

  get newestEnvelopeId(): string | null {
    return this.#newestId;
  }

  /** Audit records that are durable. */
  get audited(): number {
    return this.#audited;
  }

  /** Logs and changes that wait to be written. */
  get size(): number {
    return this.#hot.size + this.overlay.size;
  }

  hot(logId: string): HotLog {
    let log = this.#hot.get(logId);
    if (log === undefined) {
      log = this.#resting.get(logId) ?? new HotLog(logId, this.overlay);
      this.#resting.delete(logId);
      this.#hot.set(logId, log);
    }
    return log;
  }

  /** What is durable of a log. */
  record(logId: string): LogRecord | null {
    const log = this.#hot.get(logId);
    return log === undefined ? readRecord(this.overlay, logId) : log.durable;
  }

  /** Makes the places of a log's units visible in the index. */
  showPositions(logId: string): void {
    this.#hot.get(logId)?.positionsToIndex();
  }

  /** Makes all sessions visible in the lists of the index; what is in them is asked of `record`. */
  showLists(): void {
    for (const log of this.#hot.values()) log.listsToIndex();
  }

  /** Makes everything durable visible in the index. */
  show(): void {
    for (const log of this.#hot.values()) log.toIndex();
  }

  // What becomes durable, in the order of the journal.

  confirm(log: HotLog, after: LogRecord, unit: PlacedUnit, lastId: string | null): void {
    log.confirm(after, unit);
    this.#newestId = laterId(this.#newestId, lastId);
  }

  /** A unit found in the journal: it goes on where its log ends, is known already, or shows that something is missing. */
  recover(logId: string, unit: Unit, position: Position): void {
    const log = this.hot(logId);
    const before = log.durable;
    const firstSeq = unit.entries[0]?.envelope.seq ?? 0;
    const seq = before?.seq ?? 0;
    // Also of a damaged log: no id is ever given out twice.
    this.#newestId = laterId(this.#newestId, unit.entries.at(-1)?.envelope.envelope_id ?? null);
    const isLeftover = position.segment > 0 && this.archive.wasArchivedAfter(logId, position);
    if (isLeftover) this.archive.addLeftovers([position.segment]);
    if (isLeftover || firstSeq <= seq) return;
    if (before !== null && before.damagedFrom !== null) return;
    if (firstSeq > seq + 1) return this.markDamaged(logId, seq + 1, position);
    const grown = extendRecord(before, unit);
    const { order = orderAt(position), epoch = 1 } = this.archive.movedLog(logId) ?? {};
    const record = before === null ? { ...grown, order, epoch } : grown;
    log.recover(record, { firstSeq, position });
  }

  /** From this seq on the log is not to be trusted. `at`: where that was noticed. */
  markDamaged(logId: string, fromSeq: number, at: Position): void {
    const log = this.hot(logId);
    if (log.durable === null) {
      const order = orderAt(at);
      return log.assume({ seq: 0, epoch: 1, head: null, order, damagedFrom: fromSeq, repairedAt: null });
    }
    const known = log.durable.damagedFrom;
    if (known === null || known > fromSeq) log.amend({ damagedFrom: fromSeq });
  }

  /** Every log there is by now is in a new epoch: its past may be another than the one its readers know. */
  addRestore(at: Position, epoch: number): void {
    this.#restoredAt = [...this.#restoredAt, { order: orderAt(at), epoch }];
  }

  /** Damage that is known, as far as that was read from the journal by this process. */
  get quarantined(): readonly { readonly from: Position; readonly to: Position }[] {
    return this.#aside;
  }

  /** Audit records whose place was damaged have had their numbers: no other gets them. */
  quarantine(places: readonly { readonly from: Position; readonly to: Position }[], audited: number): void {
    this.#aside.push(...places);
    this.#audited = Math.max(this.#audited, audited);
    this.#numbered = Math.max(this.#numbered, audited);
  }

  /** The epoch of the last restore; 1 = there was none. */
  get lastRestore(): number {
    return Math.max(1, ...this.#restoredAt.map(({ epoch }) => epoch));
  }

  /** What its readers know it by: its own, or that of the last restore since it began. */
  epochOf(record: LogRecord): number {
    const since = this.#restoredAt.filter(({ order }) => order > record.order);
    return Math.max(record.epoch, ...since.map(({ epoch }) => epoch));
  }

  /** A rewritten segment has its records at other places; the logs that have any in it are named. */
  relocateSegment(segment: number, logIds: ReadonlySet<string>, offsets: ReadonlyMap<number, number>): void {
    this.#placesVersion += 1;
    const place = (position: Position): Position =>
      position.segment === segment ? { segment, offset: offsets.get(position.offset) ?? position.offset } : position;
    for (const logId of logIds) {
      this.#resting.delete(logId);
      this.#hot.get(logId)?.forgetPositions();
      movePositions(this.overlay, logId, place);
    }
    moveAuditPositions(this.overlay, place);
  }

  /** An ended session lies in the archive from now on. */
  moveToArchive(logId: string, units: readonly PlacedUnit[]): void {
    this.#placesVersion += 1;
    this.#resting.delete(logId);
    this.#hot.get(logId)?.forgetPositions();
    const lastRun = replacePositions(this.overlay, logId, units);
    const record = this.record(logId);
    if (record === null) return;
    this.overlay.set(logKey(logId), encodeRecord(record, lastRun));
    this.#hot.delete(logId);
    this.excludeFromArchive(logId);
  }

  /** All sessions of this file of the archive are in here, and are not to be archived again. */
  recordArchive(archive: number): void {
    const archived = this.archive.recordFile(archive);
    this.show();
    for (const logId of archived) this.excludeFromArchive(logId);
  }

  /** The places that a log in the archive has in the journal all the same: it was repaired and went on. null = it is not in the archive. */
  positionsBesideArchive(logId: string): ReadonlySet<string> | null {
    this.showPositions(logId);
    const { from, to } = under('u', logId);
    const places = [...this.overlay.range(from, to)].flatMap(({ value }) =>
      decodeRun(value).map(({ position }) => position),
    );
    if (!places.some(({ segment }) => segment < 0)) return null;
    return new Set(places.filter(({ segment }) => segment > 0).map(orderAt));
  }

  /** It is in the archive, as a whole or in part, and is not archived again. */
  excludeFromArchive(logId: string): void {
    const closed_at = this.record(logId)?.head?.closed_at ?? null;
    if (closed_at !== null) this.overlay.set(unarchivedKey(msFromIso(closed_at), logId), null);
  }

  advanceTo(at: Position): void {
    this.#at = at;
  }

  nextAudit(): number {
    this.#numbered += 1;
    return this.#numbered;
  }

  audit(number: number, position: Position): void {
    this.overlay.set(auditKey(number), encodePosition(position));
    this.#audited = number;
    this.#numbered = Math.max(this.#numbered, number);
  }

  saveCursor(cursor: Cursor): void {
    this.overlay.set(cursorKey(cursor.agent_id, cursor.session_id), Buffer.from(JSON.stringify(cursor)));
  }

  dropCursor(agentId: string, sessionId: string): void {
    this.overlay.set(cursorKey(agentId, sessionId), null);
  }

  dropAllCursors(): void {
    const { from, to } = under('r');
    for (const { key } of [...this.overlay.range(from, to)]) this.overlay.set(key, null);
  }

  setMeta(name: string, text: string): void {
    this.overlay.set(metaKey(name), Buffer.from(text));
  }

  /** Writes to the index what is durable by now, with the place in the journal that it stands for. One at a time; later calls wait. */
  async commit(): Promise<void> {
    while (this.#committing !== null) await this.#committing;
    this.#committing = this.#write().finally(() => {
      this.#committing = null;
    });
    await this.#committing;
  }

  async #write(): Promise<void> {
    this.show();
    const checkpoint: Checkpoint = {
      ...emptyCheckpoint(this.#journalId),
      at: this.#at,
      newestEnvelopeId: this.#newestId,
      audited: this.#audited,
      restoredAt: this.#restoredAt,
      archive: this.archive.newestFile,
      leftovers: [...this.archive.leftovers],
      moving: this.archive.isMoving,
    };
    this.overlay.set(CHECKPOINT_KEY, encodeCheckpoint(checkpoint));
    this.#restCold();
    await this.overlay.write();
  }

  #restCold(): void {
    this.#resting = new Map();
    for (const [logId, log] of this.#hot) {
      if (!log.isCold) continue;
      this.#hot.delete(logId);
      if (this.#resting.size < MAX_RESTING) this.#resting.set(logId, log);
    }
  }
}
