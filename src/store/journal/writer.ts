/**
 * Commits in groups: records staged in one tick become durable with one write and one sync. A flush starts before the
 * tick ends once half as many records wait as the last flush had, so that the next fills while the disk works. It is
 * written only after the previous sync returned: a mark on disk proves that everything before it was confirmed.
 */

import { asError, HubError } from '../../core/lib/errors.ts';
import { Batch } from './batch.ts';
import { type Files, type OpenFile, segmentName } from './files.ts';
import type { AppendResult, JournalOutcome, Position, RecordKind } from './journal-types.ts';
import { MARK_BYTES } from './record.ts';
import { SpareSegment } from './spare-segment.ts';

const DURABLE: JournalOutcome = { kind: 'durable' };
/** Prepare the next segment once the current one is filled to this share. */
const SPARE_FROM = 0.25;
/** Larger buffers are released after their flush. */
const MAX_KEPT_BUFFER_BYTES = 4 * 1024 * 1024;
/** Above this size, lazy records are flushed without waiting for a unit, because they take memory and a crash would lose them. */
export const MAX_LAZY_BYTES: number = 1024 * 1024;

/** Minimum number of records for a flush before the tick ends. */
const WORTH_A_FLUSH = 16;

/** Calls `run` at the end of the current tick. */
export type Defer = (run: () => void) => void;

interface WriterOptions {
  readonly files: Files;
  readonly segmentBytes: number;
  readonly defer: Defer;
  readonly segment: number;
  readonly file: OpenFile;
  readonly capacity: number;
  /** Where the next flush begins. */
  readonly offset: number;
  readonly lastFlush: number;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #spare: SpareSegment;
  /** Batches to write, oldest first; the last one may still be filling. The hub bounds the queue. */
  readonly #queue: Batch[] = [];
  #filling: Batch | null = null;
  #freeBuffer: Buffer | undefined;
  /** Where the next batch begins, and the capacity of its segment. */
  #room: { readonly segment: number; readonly offset: number; readonly capacity: number };
  #active: { readonly segment: number; readonly file: OpenFile };
  #lastFlush: number;
  /** True if the last flush had no records: its mark states that nothing before it was torn. */
  #sealed = true;
  /** The confirmed end; the next flush begins here or in the next segment. */
  end: Position;
  #flushing: Promise<void> | null = null;
  /** True if a flush at the end of the tick is scheduled. */
  #isDeferred = false;
  /** Number of waiting records that starts a flush before the tick ends. */
  #enough = WORTH_A_FLUSH;
  #refusal: Error | null = null;
  #isPoisoned = false;

  constructor(options: WriterOptions) {
    const { files, segmentBytes, segment, file, capacity, offset, lastFlush } = options;
    this.#options = options;
    this.#spare = new SpareSegment(files, segmentBytes);
    this.#room = { segment, offset, capacity };
    this.#active = { segment, file };
    this.#lastFlush = lastFlush;
    this.end = { segment, offset };
  }

  append(kind: RecordKind, logId: string, text: string): AppendResult {
    if (this.#refusal !== null) {
      const { segment, offset } = this.#room;
      const outcome = Promise.resolve({ kind: 'failed', error: this.#refusal } as const);
      return { position: { segment, offset }, bytes: 0, outcome };
    }
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
    if (kind === 'unit' || batch.bytes > MAX_LAZY_BYTES) this.#urge(batch);
    return { position: { segment: batch.start.segment, offset }, bytes, outcome: batch.outcome };
  }

  flush(): Promise<JournalOutcome> {
    const last = this.#queue.at(-1);
    if (last !== undefined) {
      this.#urge(last);
      return last.outcome;
    }
    return Promise.resolve(this.#refusal === null ? DURABLE : { kind: 'failed', error: this.#refusal });
  }

  /** Starts the next segment, which exists on return; earlier ones are never written again. */
  async roll(): Promise<void> {
    if (this.#refusal !== null) throw this.#refusal;
    if (this.#filling !== null) this.#seal(this.#filling);
    this.#room = { segment: this.#room.segment + 1, offset: 0, capacity: this.#options.segmentBytes };
    this.#stage(this.#begin());
    const outcome = await this.flush();
    if (outcome.kind === 'failed') throw outcome.error;
  }

  /** Flushes, then writes a mark stating that nothing before it was torn. */
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

  /** Closes the batch to further records. */
  #seal(batch: Batch): void {
    if (batch !== this.#filling) return;
    this.#filling = null;
    this.#room = { ...this.#room, offset: batch.end };
  }

  /** Starts the next segment for a record that does not fit; the segment is larger than usual if necessary. */
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

  /** Flushes immediately if enough records wait, otherwise at the end of the tick. */
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

  /** No-op while a flush is running: its end starts the next. */
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
    const { file } = this.#active;
    const chunks = [batch.sealed(this.#lastFlush + 1)];
    if (file.writeThrough !== undefined) return file.writeThrough(batch.start.offset, chunks);
    await file.write(batch.start.offset, chunks);
    await file.sync();
  }

  /** Starts the next flush before it settles this one, whose callers may append more. */
  #flushed(batch: Batch): void {
    this.#flushing = null;
    this.#confirm(batch);
    this.#flushWhenDue();
    batch.settle(DURABLE);
  }

  /** Opens a segment; its file name becomes durable before its content. */
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
    this.#sealed = batch.bytes === MARK_BYTES;
    this.end = { segment: batch.start.segment, offset: batch.end };
    if (batch.buffer.length <= MAX_KEPT_BUFFER_BYTES) this.#freeBuffer = batch.buffer;
    if (this.#refusal === null && this.end.offset > this.#room.capacity * SPARE_FROM) this.#spare.prepare();
  }

  /** Fails all batches. Never retries: a second sync may succeed although pages of the first are lost. */
  #poison({ start, bytes }: Batch, cause: Error): void {
    const what = `journal segment ${start.segment} at ${start.offset}: a flush of ${bytes} bytes failed`;
    const error = new HubError('journal_failed', `${what}: ${cause.message}`, { cause });
    this.#flushing = null;
    this.#isPoisoned = true;
    this.#refusal = error;
    this.#filling = null;
    for (const batch of this.#queue.splice(0)) batch.settle({ kind: 'failed', error });
  }
}
