/**
 * Group commit. What is staged in one turn of the event loop goes together: one write and one sync. It begins early when half as
 * many records wait as went the last time, so that the others are made ready while the disk works. The next flush fills meanwhile
 * and is written only after that sync returned, so a mark on the disk proves that all before it was confirmed.
 */

import { asError, HubError } from '../../core/lib/errors.ts';
import { Batch } from './batch.ts';
import { type Files, type OpenFile, segmentName } from './files.ts';
import type { AppendResult, JournalOutcome, Position, RecordKind } from './journal-types.ts';
import { MARK_BYTES } from './record.ts';
import { SpareSegment } from './spare-segment.ts';

const DURABLE: JournalOutcome = { kind: 'durable' };
/** The next segment is made ready when this part of a segment is full: it takes as long as filling some of the rest. */
const SPARE_FROM = 0.25;
/** Larger ones are given back to the system when their flush is done. */
const MAX_KEPT_BUFFER_BYTES = 4 * 1024 * 1024;
/** So many bytes of lazy records are flushed without being asked: they are all lost in a crash, and they take memory. */
export const MAX_LAZY_BYTES: number = 1024 * 1024;

/** Fewer records than this wait for those that come in the same turn. */
const WORTH_A_FLUSH = 16;

/** Calls `run` when the current turn of the event loop is over. */
export type Defer = (run: () => void) => void;

export interface WriterOptions {
  readonly files: Files;
  readonly segmentBytes: number;
  readonly defer: Defer;
  readonly segment: number;
  readonly file: OpenFile;
  readonly capacity: number;
  /** Where the next flush begins. */
  readonly offset: number;
  readonly lastFlush: number;
  readonly sealed: boolean;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #spare: SpareSegment;
  /** Oldest first; the last one may be filling. Bounded by the caller, who sees `stagedBytes`. */
  readonly #queue: Batch[] = [];
  #filling: Batch | null = null;
  #freeBuffer: Buffer | undefined;
  #stagedBytes = 0;
  /** Where the next batch begins, and how far its segment may be filled. */
  #room: { readonly segment: number; readonly offset: number; readonly capacity: number };
  /** The segment that is written. */
  #active: { readonly segment: number; readonly file: OpenFile };
  #lastFlush: number;
  #sealed: boolean;
  #end: Position;
  #flushing: Promise<void> | null = null;
  /** What waits is written when the turn is over. */
  #isDeferred = false;
  /** So many records are worth a flush before the turn is over. */
  #enough = WORTH_A_FLUSH;
  #refusal: Error | null = null;
  #isPoisoned = false;

  constructor(options: WriterOptions) {
    const { files, segmentBytes, segment, file, capacity, offset, lastFlush, sealed } = options;
    this.#options = options;
    this.#spare = new SpareSegment(files, segmentBytes);
    this.#room = { segment, offset, capacity };
    this.#active = { segment, file };
    this.#lastFlush = lastFlush;
    this.#sealed = sealed;
    this.#end = { segment, offset };
  }

  /** The end of what is confirmed; the next flush begins here, or in the next segment. */
  get end(): Position {
    return this.#end;
  }

  get stagedBytes(): number {
    return this.#stagedBytes;
  }

  /** Why nothing can be appended any more. */
  get refusal(): Error | null {
    return this.#refusal;
  }

  append(kind: RecordKind, logId: string, text: string): AppendResult {
    if (this.#refusal !== null) return this.#refused(this.#refusal);
    let batch = this.#filling ?? this.#begin();
    let bytes = batch.encode(kind, logId, text);
    if (batch.end + bytes + MARK_BYTES > this.#room.capacity) {
      this.#leaveSegment(batch, bytes);
      batch = this.#begin();
      bytes = batch.encode(kind, logId, text);
    }
    const offset = batch.end;
    batch.keep(bytes);
    this.#stage(batch);
    this.#stagedBytes += bytes;
    if (kind === 'unit' || batch.bytes > MAX_LAZY_BYTES) this.#urge(batch);
    return { position: { segment: batch.start.segment, offset }, bytes, outcome: batch.outcome };
  }

  /** Writes what waits, lazy or not. */
  flush(): Promise<JournalOutcome> {
    const last = this.#queue.at(-1);
    if (last !== undefined) {
      this.#urge(last);
      return last.outcome;
    }
    return Promise.resolve(this.#refusal === null ? DURABLE : { kind: 'failed', error: this.#refusal });
  }

  /** What comes next begins another segment, which is there when this returns: those before it are not written any more. */
  async roll(): Promise<void> {
    if (this.#refusal !== null) throw this.#refusal;
    if (this.#filling !== null) this.#seal(this.#filling);
    this.#room = { segment: this.#room.segment + 1, offset: 0, capacity: this.#options.segmentBytes };
    this.#stage(this.#begin());
    const outcome = await this.flush();
    if (outcome.kind === 'failed') throw outcome.error;
  }

  /** Flushes, and leaves a mark which says that nothing before it was torn. */
  async close(): Promise<void> {
    this.#refusal ??= new HubError('journal_closed', 'the journal is closed');
    await this.flush();
    await this.#flushing;
    if (!this.#sealed && !this.#isPoisoned) {
      this.#stage(this.#begin());
      await this.flush();
      await this.#flushing;
    }
    try {
      await this.#spare.drop();
    } finally {
      await this.#active.file.close();
    }
  }

  #begin(): Batch {
    const { segment, offset } = this.#room;
    const batch = new Batch({ segment, offset }, this.#freeBuffer);
    this.#freeBuffer = undefined;
    return batch;
  }

  #stage(batch: Batch): void {
    if (batch === this.#filling) return;
    this.#filling = batch;
    this.#queue.push(batch);
  }

  /** Nothing more comes to the batch. */
  #seal(batch: Batch): void {
    if (batch !== this.#filling) return;
    this.#filling = null;
    this.#room = { ...this.#room, offset: batch.end };
  }

  /** A record of so many bytes does not fit: it begins the next segment, and has one of its own size if it must. */
  #leaveSegment(batch: Batch, bytes: number): void {
    if (batch !== this.#filling) this.#freeBuffer = batch.buffer;
    this.#filling = null;
    const capacity = Math.max(this.#options.segmentBytes, bytes + 2 * MARK_BYTES);
    this.#room = { segment: this.#room.segment + 1, offset: 0, capacity };
  }

  #urge(batch: Batch): void {
    batch.isUrgent = true;
    this.#flushWhenDue();
  }

  /** What is little waits for what else comes in this turn. */
  #flushWhenDue(): void {
    if (this.#isEnough()) this.#flushOldest();
    else if (!this.#isDeferred && this.#isUrgent()) {
      this.#isDeferred = true;
      this.#options.defer(() => {
        this.#isDeferred = false;
        this.#flushOldest();
      });
    }
  }

  #isUrgent(): boolean {
    return this.#queue.some(({ isUrgent }) => isUrgent);
  }

  #isEnough(): boolean {
    const [oldest] = this.#queue;
    return oldest !== undefined && (oldest !== this.#filling || oldest.records >= this.#enough);
  }

  /** Unless one is under way: its end begins the next. */
  #flushOldest(): void {
    const [batch] = this.#queue;
    if (batch === undefined || this.#flushing !== null || !this.#isUrgent()) return;
    this.#seal(batch);
    this.#flushing = this.#write(batch).then(
      () => this.#flushed(batch),
      (thrown: unknown) => this.#poison(batch, asError(thrown)),
    );
  }

  async #write(batch: Batch): Promise<void> {
    if (batch.start.segment !== this.#active.segment) await this.#beginSegment(batch);
    await writeDurably(this.#active.file, batch.start.offset, [batch.sealed(this.#lastFlush + 1)]);
  }

  /** What waits is on its way before those who are confirmed hear of it and append more. */
  #flushed(batch: Batch): void {
    this.#flushing = null;
    this.#confirm(batch);
    this.#flushWhenDue();
    batch.settle(DURABLE);
  }

  /** Its name is durable before anything in it is. */
  async #beginSegment({ start: { segment }, bytes }: Batch): Promise<void> {
    const { files, segmentBytes } = this.#options;
    const isOversize = bytes + MARK_BYTES > segmentBytes;
    const file = isOversize
      ? await files.open(segmentName(segment), { create: true, through: true })
      : await this.#spare.become(segment);
    const left = this.#active.file;
    this.#active = { segment, file };
    await files.syncFolder();
    await left.close();
  }

  #confirm(batch: Batch): void {
    this.#queue.shift();
    this.#lastFlush += 1;
    this.#enough = Math.max(WORTH_A_FLUSH, Math.ceil(batch.records / 2));
    this.#stagedBytes -= batch.bytes - MARK_BYTES;
    this.#sealed = batch.bytes === MARK_BYTES;
    this.#end = { segment: batch.start.segment, offset: batch.end };
    if (batch.buffer.length <= MAX_KEPT_BUFFER_BYTES) this.#freeBuffer = batch.buffer;
    if (this.#refusal === null && this.#end.offset > this.#room.capacity * SPARE_FROM) this.#spare.prepare();
  }

  /** Never tried again: a second sync may succeed although the pages of the first are lost. */
  #poison({ start, bytes }: Batch, cause: Error): void {
    const what = `journal segment ${start.segment} at ${start.offset}: a flush of ${bytes} bytes failed`;
    const error = new HubError('journal_failed', `${what}: ${cause.message}`, { cause });
    this.#flushing = null;
    this.#isPoisoned = true;
    this.#refusal = error;
    this.#filling = null;
    this.#stagedBytes = 0;
    for (const batch of this.#queue.splice(0)) batch.settle({ kind: 'failed', error });
  }

  #refused(error: Error): AppendResult {
    const { segment, offset } = this.#room;
    return { position: { segment, offset }, bytes: 0, outcome: Promise.resolve({ kind: 'failed', error }) };
  }
}

async function writeDurably(file: OpenFile, position: number, chunks: readonly Uint8Array[]): Promise<void> {
  if (file.writeThrough !== undefined) return file.writeThrough(position, chunks);
  await file.write(position, chunks);
  await file.sync();
}
