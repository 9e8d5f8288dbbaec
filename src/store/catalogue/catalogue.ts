/** Holds the record of every log: logs being written (hot) in memory, all others in the index. */

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
import type { Position, PositionRange } from '../journal/journal-types.ts';
import { ArchiveState } from './archive-state.ts';
import { HotLog, readRecord } from './hot-log.ts';

/** Maximum resting logs in memory; each takes a few kilobytes. */
const MAX_RESTING = 1_024;

export class Catalogue {
  readonly overlay: Overlay;
  readonly archive: ArchiveState;
  readonly #hot = new Map<string, HotLog>();
  /** Logs that the last commit found cold; kept until the next one, so that a write need not read them again. */
  #resting = new Map<string, HotLog>();
  readonly #journalId: string;
  #at: Position | null;
  newestEnvelopeId: string | null;
  /** The number of the newest durable audit record. */
  audited: number;
  /** The last audit number assigned. */
  #numbered: number;
  #restoredAt: Checkpoint['restoredAt'];
  /** Quarantined damage named in the journal records that this process has applied. */
  readonly quarantined: PositionRange[] = [];
  /** Increases whenever units move: positions looked up earlier may be stale. */
  positionsVersion = 0;
  #committing: Promise<void> | null = null;

  constructor(overlay: Overlay, checkpoint: Checkpoint) {
    this.overlay = overlay;
    this.#journalId = checkpoint.journalId;
    this.#at = checkpoint.at;
    this.newestEnvelopeId = checkpoint.newestEnvelopeId;
    this.audited = checkpoint.audited;
    this.#numbered = checkpoint.audited;
    this.#restoredAt = checkpoint.restoredAt;
    this.archive = new ArchiveState(checkpoint.archive, checkpoint.leftovers);
  }

  /** Number of logs and changes not yet written to the index. */
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

  /** The durable record of a log; null if the log does not exist. */
  record(logId: string): LogRecord | null {
    const log = this.#hot.get(logId);
    return log === undefined ? readRecord(this.overlay, logId) : log.durable;
  }

  /** Makes the positions of a log's units visible in the index. */
  showPositions(logId: string): void {
    this.#hot.get(logId)?.positionsToIndex();
  }

  /** Makes all sessions visible in the index lists; `record` returns their current records. */
  showLists(): void {
    for (const log of this.#hot.values()) log.listsToIndex();
  }

  /** Makes everything durable visible in the index. */
  show(): void {
    for (const log of this.#hot.values()) log.toIndex();
  }

  confirm(log: HotLog, after: LogRecord, unit: PlacedUnit, lastId: string | null): void {
    log.confirm(after, unit);
    this.newestEnvelopeId = laterId(this.newestEnvelopeId, lastId);
  }

  /** Applies a unit found in the journal. It continues its log, is already known, or reveals missing units. */
  recover(logId: string, unit: Unit, position: Position): void {
    const log = this.hot(logId);
    const before = log.durable;
    const firstSeq = unit.entries[0]?.envelope.seq ?? 0;
    const seq = before?.seq ?? 0;
    // Include damaged logs: an envelope id must never be issued twice.
    this.newestEnvelopeId = laterId(this.newestEnvelopeId, unit.entries.at(-1)?.envelope.envelope_id ?? null);
    const isLeftover = position.segment > 0 && this.archive.wasArchivedAfter(logId, position);
    if (isLeftover) this.archive.leftovers.add(position.segment);
    if (isLeftover || firstSeq <= seq) return;
    if (before !== null && before.damagedFrom !== null) return;
    if (firstSeq > seq + 1) return this.markDamaged(logId, seq + 1, position);
    const grown = extendRecord(before, unit);
    const { order = orderAt(position), epoch = 1 } = this.archive.movedLog(logId) ?? {};
    const record = before === null ? { ...grown, order, epoch } : grown;
    log.recover(record, { firstSeq, position });
  }

  /** Marks the log as damaged from this seq on. `at`: the journal position where the damage was found. */
  markDamaged(logId: string, fromSeq: number, at: Position): void {
    const log = this.hot(logId);
    if (log.durable === null) {
      const order = orderAt(at);
      return log.assume({ seq: 0, epoch: 1, head: null, order, damagedFrom: fromSeq, repairedAt: null });
    }
    const known = log.durable.damagedFrom;
    if (known === null || known > fromSeq) log.amend({ damagedFrom: fromSeq });
  }

  /** Starts a new epoch for every existing log: its entries may differ from those clients have seen. */
  addRestore(at: Position, epoch: number): void {
    this.#restoredAt = [...this.#restoredAt, { order: orderAt(at), epoch }];
  }

  /** Adds quarantined damage. The numbers of damaged audit records are not reused. */
  quarantine(ranges: readonly PositionRange[], audited: number): void {
    this.quarantined.push(...ranges);
    this.audited = Math.max(this.audited, audited);
    this.#numbered = Math.max(this.#numbered, audited);
  }

  /** The epoch of the last restore; 1 = never restored. */
  get lastRestore(): number {
    return Math.max(1, ...this.#restoredAt.map(({ epoch }) => epoch));
  }

  /** The epoch that clients see: that of the log, or of a later restore. */
  epochOf(record: LogRecord): number {
    const since = this.#restoredAt.filter(({ order }) => order > record.order);
    return Math.max(record.epoch, ...since.map(({ epoch }) => epoch));
  }

  /** Updates positions after a segment was rewritten. `logIds`: the logs with units in it. */
  relocateSegment(segment: number, logIds: ReadonlySet<string>, offsets: ReadonlyMap<number, number>): void {
    this.positionsVersion += 1;
    const place = (position: Position): Position =>
      position.segment === segment ? { segment, offset: offsets.get(position.offset) ?? position.offset } : position;
    for (const logId of logIds) {
      this.#resting.delete(logId);
      this.#hot.get(logId)?.forgetPositions();
      movePositions(this.overlay, logId, place);
    }
    moveAuditPositions(this.overlay, place);
  }

  moveToArchive(logId: string, units: readonly PlacedUnit[]): void {
    this.positionsVersion += 1;
    this.#resting.delete(logId);
    this.#hot.get(logId)?.forgetPositions();
    const lastRun = replacePositions(this.overlay, logId, units);
    const record = this.record(logId);
    if (record === null) return;
    this.overlay.set(logKey(logId), encodeRecord(record, lastRun));
    this.#hot.delete(logId);
    this.excludeFromArchive(logId);
  }

  /** Records an archive file and excludes its sessions from further archiving. */
  recordArchive(archive: number): void {
    const archived = this.archive.recordFile(archive);
    this.show();
    for (const logId of archived) this.excludeFromArchive(logId);
  }

  /** Journal positions of an archived log that was repaired and continued; null if the log is not archived. */
  positionsBesideArchive(logId: string): ReadonlySet<string> | null {
    this.showPositions(logId);
    const { from, to } = under('u', logId);
    const places = [...this.overlay.range(from, to)].flatMap(({ value }) =>
      decodeRun(value).map(({ position }) => position),
    );
    if (!places.some(({ segment }) => segment < 0)) return null;
    return new Set(places.filter(({ segment }) => segment > 0).map(orderAt));
  }

  /** Excludes a log from further archiving, because it is at least partly in the archive. */
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
    this.audited = number;
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

  /** Writes the durable state and its checkpoint to the index. One commit at a time; later calls wait. */
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
      newestEnvelopeId: this.newestEnvelopeId,
      audited: this.audited,
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
