/** Tracks a log being written: its record in the index, its durable record and its staged record. */

import { createKey, damagedKey, logKey, under, unitsKey } from '../index/index-keys.ts';
import { decodeRecord, encodeRecord, type IndexedRecord, type LogRecord } from '../index/log-record.ts';
import type { Overlay } from '../index/overlay.ts';
import { decodeRun, encodeRun, type PlacedUnit, UNITS_PER_RUN } from '../index/unit-positions.ts';
import { listChanges, unlist } from './head-changes.ts';

const NOTHING: Buffer = Buffer.alloc(0);

export class HotLog {
  readonly logId: string;
  readonly #overlay: Overlay;
  #indexed: LogRecord | null;
  durable: LogRecord | null;
  staged: LogRecord | null;
  #stagedUnits = 0;
  /** The last run of positions, still being filled; null if it was not read from the index yet. */
  #run: PlacedUnit[] | null = null;
  #lastRun: number;
  #isRunChanged = false;

  constructor(logId: string, overlay: Overlay) {
    this.logId = logId;
    this.#overlay = overlay;
    const indexed = readRecord(overlay, logId);
    this.#lastRun = indexed?.lastRun ?? 0;
    this.#indexed = indexed;
    this.durable = indexed;
    this.staged = indexed;
  }

  /** True if nothing is staged and the index is up to date. */
  get isCold(): boolean {
    return this.#stagedUnits === 0 && this.durable === this.#indexed && !this.#isRunChanged;
  }

  stage(after: LogRecord): void {
    this.staged = after;
    this.#stagedUnits += 1;
  }

  confirm(after: LogRecord, unit: PlacedUnit): void {
    this.#stagedUnits -= 1;
    this.#place(after, unit);
  }

  recover(after: LogRecord, unit: PlacedUnit): void {
    this.staged = after;
    this.#place(after, unit);
  }

  /** Sets the record of a log without any known unit. */
  assume(record: LogRecord): void {
    this.durable = record;
    this.staged = record;
  }

  /** Changes the record without an entry, for example when damage is found. */
  amend(change: Partial<LogRecord>): void {
    if (this.durable !== null) this.durable = { ...this.durable, ...change };
    if (this.staged !== null) this.staged = { ...this.staged, ...change };
  }

  /** Rewrites history: the log now ends at `record.seq`; null removes it. */
  replace(record: LogRecord | null): void {
    this.toIndex();
    const put = (key: string, value: Uint8Array | null) => this.#overlay.set(key, value);
    if (this.#indexed !== null) unlist(this.#indexed, put);
    put(damagedKey(this.logId), null);
    if (record === null) put(logKey(this.logId), null);
    this.#cutRuns(record?.seq ?? 0);
    this.#indexed = null;
    this.durable = record;
    this.staged = record;
  }

  /** Call before changing the positions of this log in the index. */
  forgetPositions(): void {
    this.positionsToIndex();
    this.#run = null;
  }

  positionsToIndex(): void {
    const [first] = this.#run ?? [];
    if (!this.#isRunChanged || first === undefined || this.#run === null) return;
    this.#overlay.set(unitsKey(this.logId, first.firstSeq), encodeRun(this.#run));
    this.#isRunChanged = false;
  }

  /** Updates the session lists. Most entries change no list and cost only this check. */
  listsToIndex(): void {
    const [before, after] = [this.#indexed?.head ?? null, this.durable?.head ?? null];
    if (before !== null && after !== null && before.members === after.members && before.state === after.state) return;
    this.toIndex();
  }

  /** Writes everything durable to the index. */
  toIndex(): void {
    this.positionsToIndex();
    if (this.durable === null || this.durable === this.#indexed) return;
    this.#overlay.set(logKey(this.logId), encodeRecord(this.durable, this.#lastRun));
    const isDamaged = this.durable.damagedFrom !== null;
    if (isDamaged !== (this.#indexed !== null && this.#indexed.damagedFrom !== null)) {
      this.#overlay.set(damagedKey(this.logId), isDamaged ? NOTHING : null);
    }
    listChanges(this.#indexed, this.durable, (key, value) => this.#overlay.set(key, value));
    this.#claimCreateKey(this.#indexed, this.durable);
    this.#indexed = this.durable;
  }

  /** Maps the create key to the session; if two sessions share a key, the newer one wins in any reading order. */
  #claimCreateKey(before: LogRecord | null, { head, order }: LogRecord): void {
    if (before !== null || head === null || head.create_key === null) return;
    const key = createKey(head.creator_id, head.create_key);
    const known = this.#overlay.get(key);
    const other = known === undefined ? null : readRecord(this.#overlay, Buffer.from(known).toString());
    if (other === null || other.order < order) this.#overlay.set(key, Buffer.from(head.session_id));
  }

  #place(after: LogRecord, unit: PlacedUnit): void {
    const damagedFrom = this.durable?.damagedFrom ?? null;
    this.durable = damagedFrom === null ? after : { ...after, damagedFrom };
    this.#run ??= this.#readRun();
    if (this.#run.length >= UNITS_PER_RUN) {
      this.positionsToIndex();
      this.#run = [];
    }
    this.#run.push(unit);
    this.#lastRun = this.#run[0]?.firstSeq ?? 0;
    this.#isRunChanged = true;
  }

  #readRun(): PlacedUnit[] {
    const bytes = this.#lastRun === 0 ? undefined : this.#overlay.get(unitsKey(this.logId, this.#lastRun));
    return bytes === undefined ? [] : decodeRun(bytes);
  }

  #cutRuns(lastSeq: number): void {
    const { from, to } = under('u', this.logId);
    this.#lastRun = 0;
    for (const { key, value } of [...this.#overlay.range(from, to)]) {
      const kept = decodeRun(value).filter(({ firstSeq }) => firstSeq <= lastSeq);
      this.#overlay.set(key, kept.length === 0 ? null : encodeRun(kept));
      this.#lastRun = kept[0]?.firstSeq ?? this.#lastRun;
    }
    this.#run = null;
    this.#isRunChanged = false;
  }
}

export function readRecord(overlay: Overlay, logId: string): IndexedRecord | null {
  const bytes = overlay.get(logKey(logId));
  return bytes === undefined ? null : decodeRecord(bytes);
}
