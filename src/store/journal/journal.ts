/** Stores all logs of a hub in one order, durable before confirmation. One writer; its owner locks the folder. */

import { HubError } from '../../core/lib/errors.ts';
import { type Files, listSegments, type OpenFile, publishFile, SPARE_NAME, segmentName } from './files.ts';
import {
  type AppendResult,
  type Damage,
  isBefore,
  type JournalOutcome,
  type JournalRecord,
  type Position,
  type RecordKind,
} from './journal-types.ts';
import { MARK_BYTES, writeMark } from './record.ts';
import { type ScanOptions, type ScanResult, scanJournal } from './scan.ts';
import { SegmentReader } from './segment-reader.ts';
import { SpareSegment, zeros } from './spare-segment.ts';
import { type Defer, Writer } from './writer.ts';

export const SEGMENT_BYTES: number = 64 * 1024 * 1024;

/** `from`: skip records before this position, because a checkpoint covers them. */
export interface JournalOptions extends Omit<ScanOptions, 'until'> {
  readonly segmentBytes?: number | undefined;
  /** Schedules a call at the end of the tick; simulations pass their own function. */
  readonly defer?: Defer | undefined;
}

export interface Recovery {
  /** The torn last flush that was cut off; null if there was none. */
  readonly torn: { readonly at: Position; readonly bytes: number } | null;
  readonly damages: readonly Damage[];
  readonly records: number;
  /** Where the next flush will begin: a scan from here finds exactly what is appended later. */
  readonly end: Position;
}

export class Journal {
  readonly #files: Files;
  readonly #writer: Writer;
  readonly #reader: SegmentReader;
  #closing: Promise<void> | null = null;

  private constructor(files: Files, writer: Writer) {
    this.#files = files;
    this.#writer = writer;
    this.#reader = new SegmentReader(files);
  }

  /** Opens the journal even if it is damaged; rejects only if files cannot be read or written. */
  static async open(files: Files, options: JournalOptions = {}): Promise<{ journal: Journal; recovery: Recovery }> {
    const { segmentBytes = SEGMENT_BYTES, defer = setImmediate } = options;
    if ((await files.list()).includes(SPARE_NAME)) await files.remove(SPARE_NAME);
    const scanned = await scanJournal(files, options);
    const segment = await lastSegment(files, segmentBytes, options.from);
    const file = await files.open(segmentName(segment), { through: true });
    try {
      const { end: offset, lastFlush } = await repairTail(file, segment, scanned);
      await files.syncFolder();
      const capacity = Math.max(segmentBytes, await file.size());
      const writer = new Writer({ files, segmentBytes, defer, segment, file, capacity, offset, lastFlush });
      const { records, damages, torn } = scanned;
      return { journal: new Journal(files, writer), recovery: { records, damages, torn, end: writer.end } };
    } catch (thrown) {
      await file.close();
      throw thrown;
    }
  }

  /** The confirmed end; a scan from here finds exactly what is appended later. */
  get end(): Position {
    return this.#writer.end;
  }

  /** Synchronous: records are stored in the order of the calls. A lazy record waits for the next flush. */
  append(kind: RecordKind, logId: string, text: string): AppendResult {
    return this.#writer.append(kind, logId, text);
  }

  /** Makes waiting lazy records durable. */
  flushLazy(): Promise<JournalOutcome> {
    return this.#writer.flush();
  }

  /** Reads a confirmed record; rejects with DamagedRecord if it is no longer intact. */
  async read(position: Position): Promise<JournalRecord> {
    this.#assertConfirmed(position);
    return this.#reader.read(position);
  }

  /** Reads confirmed records, returned in the order requested; adjacent ones share a read. */
  async readMany(positions: readonly Position[]): Promise<readonly JournalRecord[]> {
    for (const position of positions) this.#assertConfirmed(position);
    return this.#reader.readMany(positions);
  }

  /** Starts a new segment; earlier ones are never written again. */
  roll(): Promise<void> {
    return this.#writer.roll();
  }

  /** Replaces a sealed segment with the file `part`, then calls `moved` to publish the new positions. */
  replaceSegment(segment: number, part: string, moved: () => void): Promise<void> {
    return this.#reader.replace(segment, () => publishFile(this.#files, part, segment), moved);
  }

  /** Makes staged records durable and closes the files. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#writer.close();
    await this.#reader.close();
  }

  #assertConfirmed(position: Position): void {
    if (isBefore(position, this.end)) return;
    const { segment, offset } = this.end;
    throw new HubError(
      'not_confirmed',
      `only durable records can be read; ${position.segment}/${position.offset} is not before ${segment}/${offset}`,
    );
  }
}

/** The segment to append to; creates one beyond the checkpoint if necessary. */
async function lastSegment(files: Files, bytes: number, from: Position | undefined): Promise<number> {
  const last = (await listSegments(files)).at(-1);
  if (last !== undefined && last >= (from?.segment ?? 0)) return last;
  const segment = from === undefined ? 1 : from.segment + 1;
  const spare = new SpareSegment(files, bytes);
  await spare.ready();
  await (await spare.become(segment)).close();
  return segment;
}

interface RepairedTail {
  /** Where the next flush will begin. */
  readonly end: number;
  readonly lastFlush: number;
}

/** Ends the journal with a mark after the last confirmed record, so that later damage is not taken for a torn write. */
async function repairTail(file: OpenFile, segment: number, scanned: ScanResult): Promise<RepairedTail> {
  const { lastMark, torn } = scanned;
  const end = scanned.end?.segment === segment ? scanned.end.offset : 0;
  const from = lastMark?.position.segment === segment ? lastMark.position.offset : end;
  // Rewrite even intact bytes: after a failed sync, cached pages may not be on disk.
  const found = await file.read(from, Math.max(0, end - from));
  await file.write(from, [found, ...zeros(torn?.bytes ?? 0)]);
  await file.sync();
  const lastFlush = lastMark?.flush ?? 0;
  if (scanned.sealed) return { end, lastFlush };
  // Write the mark last: it states that everything before it is durable.
  const mark = Buffer.alloc(MARK_BYTES);
  writeMark(mark, 0, lastFlush + 1, 0);
  await file.write(end, [mark]);
  await file.sync();
  return { end: end + MARK_BYTES, lastFlush: lastFlush + 1 };
}
