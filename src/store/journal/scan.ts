/** Reads a journal from a position to its end. Read-only: safe while the writer runs. */

import { type Files, listSegments, type OpenFile, withSegment } from './files.ts';
import { Findings } from './findings.ts';
import type { Damage, OnProgress, OnRecord, Position } from './journal-types.ts';
import { type Frame, MARK_BYTES, MARK_START, readFrame } from './record.ts';
import { ScanWindow } from './scan-window.ts';

/** Called at every mark with all damage found before it; promises are awaited. */
type OnConfirmed = (damages: readonly Damage[]) => void | Promise<void>;

export interface ScanOptions {
  /** The start of a flush or record (default: the start of the journal). */
  readonly from?: Position | undefined;
  /** Where the scan stops; everything before was confirmed. */
  readonly until?: Position;
  readonly onRecord?: OnRecord | undefined;
  /** Called when everything delivered so far is confirmed; later records may belong to a torn last flush. */
  readonly onConfirmed?: OnConfirmed | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export interface ScanResult {
  readonly records: number;
  readonly damages: readonly Damage[];
  /** The torn flush at the end; null if there is none. `bytes` is 0 if nothing of it reached the disk. */
  readonly torn: { readonly at: Position; readonly bytes: number } | null;
  /** The end of the last intact record; null if there is no segment to scan. */
  readonly end: Position | null;
  /** The newest mark; only its flush may be unconfirmed. null if there is no mark. */
  readonly lastMark: PlacedMark | null;
  /** True if the newest mark has no records and nothing follows it, or if there is no mark. */
  readonly sealed: boolean;
}

export async function scanJournal(files: Files, options: ScanOptions = {}): Promise<ScanResult> {
  const { from = START, until } = options;
  const there = await listSegments(files);
  const segments = there.filter((segment) => segment >= from.segment && segment <= (until?.segment ?? segment));
  const scan = new Scan(options, await lastMarkBefore(files, there, from));
  await scan.plan(files, segments);
  if (from.offset > 0 && !segments.includes(from.segment)) scan.isBehind(from);
  if (from === START && (segments[0] ?? 1) > 1) scan.isBehind({ segment: segments[0] ?? 1, offset: 0 });
  for (const segment of segments) await withSegment(files, segment, (file) => scan.segment(segment, file));
  return scan.result();
}

/** Reads one file that may be damaged but not torn. `segment`: the segment number of its positions. */
export async function scanWhole(file: OpenFile, segment: number, options: ScanOptions = {}): Promise<ScanResult> {
  const scan = new Scan({ ...options, until: { segment, offset: await file.size() } }, null);
  await scan.segment(segment, file);
  return scan.result();
}

class Scan {
  readonly #options: ScanOptions;
  readonly #findings: Findings;
  /** Bytes of the segments already scanned, and of all segments, for progress reports. */
  #passed = 0;
  #total = 0;
  #end: Position | null = null;
  #torn: ScanResult['torn'] = null;
  #lastMark: PlacedMark | null;
  #lastSegment: number | null = null;
  #isSegmentMissing = false;

  constructor(options: ScanOptions, lastMark: PlacedMark | null) {
    this.#options = options;
    this.#findings = new Findings(options.onRecord);
    this.#lastMark = lastMark;
  }

  async plan(files: Files, segments: readonly number[]): Promise<void> {
    if (this.#options.onProgress === undefined) return;
    for (const segment of segments) this.#total += await withSegment(files, segment, (file) => file.size());
  }

  /** Records that the starting position is missing, with everything before it in its segment. */
  isBehind(from: Position): void {
    this.#findings.gap({ segment: from.segment, offset: 0 }, from);
  }

  async segment(segment: number, file: OpenFile): Promise<void> {
    // A segment begins only after everything before is confirmed, so its existence counts as a mark.
    await this.#findings.confirm();
    if (this.#lastSegment !== null && segment > this.#lastSegment + 1) this.#isSegmentMissing = true;
    this.#lastSegment = segment;
    const { from, until } = this.#options;
    const fileSize = await file.size();
    const start = from?.segment === segment ? from.offset : 0;
    const size = until?.segment === segment ? Math.min(fileSize, until.offset) : fileSize;
    if (size < start) this.#findings.gap({ segment, offset: size }, { segment, offset: start });
    const window = new ScanWindow(file, size);
    const end = await this.#walk(segment, window, start);
    await this.#conclude(segment, window, end);
    this.#passed += fileSize;
    this.#progress(0);
  }

  async result(): Promise<ScanResult> {
    if (this.#options.until !== undefined) {
      await this.#findings.confirm();
      this.#torn = null;
    }
    const { records, damages } = this.#findings;
    const [end, lastMark] = [this.#end, this.#lastMark];
    const sealed = lastMark === null || end === null || (lastMark.extent === 0 && isAt(end, endOfMark(lastMark)));
    return { records, damages, torn: this.#torn, end, lastMark, sealed };
  }

  /** Visits every frame; returns the offset where the content ends. */
  async #walk(segment: number, window: ScanWindow, start: number): Promise<number> {
    let at = start;
    let reported = start;
    for (;;) {
      const peeked = window.peek(at);
      const frame = peeked.kind === 'short' ? await window.frame(at) : peeked;
      switch (frame.kind) {
        case 'record': {
          const delivery = this.#record(segment, at, frame);
          if (delivery !== undefined) await delivery;
          at += frame.bytes;
          break;
        }
        case 'damaged':
          this.#findings.damage(segment, at, at + frame.bytes, frame.logId);
          at += frame.bytes;
          break;
        case 'mark':
          await this.#mark(segment, at, frame);
          at += MARK_BYTES;
          break;
        case 'blank':
        case 'junk': {
          const next = await this.#resume(segment, window, at, frame.kind);
          if (next === null) return at;
          at = next;
        }
      }
      if (at - reported < PROGRESS_BYTES) continue;
      reported = at;
      this.#progress(at);
    }
  }

  #record(segment: number, offset: number, frame: Extract<Frame, { kind: 'record' }>): void | Promise<void> {
    const position = { segment, offset };
    // The mark of a record outside every flush is lost.
    if (offset >= this.#flushEnd(segment)) this.#findings.suspect(position);
    const { kind, logId, text } = frame.record;
    return this.#findings.record({ kind, logId, text, position, bytes: frame.bytes });
  }

  async #mark(segment: number, offset: number, frame: Extract<Frame, { kind: 'mark' }>): Promise<void> {
    const last = this.#lastMark?.flush ?? null;
    // A mark that is not newer than the previous one confirms nothing.
    if (last !== null && frame.flush <= last) {
      return this.#findings.damage(segment, offset, offset + MARK_BYTES, null);
    }
    // A rewritten segment has a single mark, so only a missing segment is a gap.
    const isGap = frame.compacted ? this.#isSegmentMissing : frame.flush > (last ?? 0) + 1 + this.#findings.lostMarks;
    this.#isSegmentMissing = false;
    if (last !== null && isGap) {
      this.#findings.gap(this.#end ?? this.#options.from ?? START, { segment, offset });
    }
    await this.#findings.confirm();
    await this.#options.onConfirmed?.(this.#findings.damages);
    this.#findings.lostMarks = 0;
    this.#lastMark = { position: { segment, offset }, flush: frame.flush, extent: frame.extent };
  }

  /** Finds the next frame after zeros or junk and records the range between as damage; null if nothing follows. */
  async #resume(segment: number, window: ScanWindow, at: number, kind: 'blank' | 'junk'): Promise<number | null> {
    const content = kind === 'junk' ? at : await window.nonZero(at);
    if (content >= window.size) return null;
    const next = await window.nextFrame(kind === 'junk' ? at + 1 : content);
    const to = next < window.size ? next : await window.contentEnd(content);
    this.#findings.damage(segment, at, to, null);
    return to;
  }

  async #conclude(segment: number, window: ScanWindow, end: number): Promise<void> {
    const flushEnd = this.#flushEnd(segment);
    if (end < flushEnd) this.#findings.damage(segment, end, flushEnd, null);
    const suspect = this.#findings.suspectFrom;
    const at = suspect ?? { segment, offset: end };
    this.#torn = suspect === null ? null : { at, bytes: (await window.contentEnd(at.offset)) - at.offset };
    this.#end = at;
  }

  /** Where the records of the last mark end; 0 if that mark is not in this segment. */
  #flushEnd(segment: number): number {
    const mark = this.#lastMark;
    return mark === null || mark.position.segment !== segment ? 0 : endOfMark(mark).offset + mark.extent;
  }

  #progress(at: number): void {
    this.#options.onProgress?.({ bytes: Math.min(this.#passed + at, this.#total), of: this.#total });
  }
}

const START: Position = { segment: 0, offset: 0 };
const PROGRESS_BYTES = 4 * 1024 * 1024;

function endOfMark({ position: { segment, offset } }: PlacedMark): Position {
  return { segment, offset: offset + MARK_BYTES };
}

function isAt(a: Position, b: Position): boolean {
  return a.segment === b.segment && a.offset === b.offset;
}

const CHUNK_BYTES = 256 * 1024;

interface PlacedMark {
  readonly position: Position;
  readonly flush: number;
  readonly extent: number;
}

async function lastMarkBefore(files: Files, segments: readonly number[], place: Position): Promise<PlacedMark | null> {
  for (const segment of segments.filter((number) => number <= place.segment).reverse()) {
    const found = await withSegment(files, segment, async (file) => {
      const size = await file.size();
      return lastMarkIn(segment, file, segment === place.segment ? Math.min(size, place.offset) : size);
    });
    if (found !== null) return found;
  }
  return null;
}

async function lastMarkIn(segment: number, file: OpenFile, end: number): Promise<PlacedMark | null> {
  for (let to = end; to > 0; to -= CHUNK_BYTES) {
    const from = Math.max(0, to - CHUNK_BYTES);
    // A mark may begin in this chunk and end in the next.
    const read = await file.read(from, Math.min(to + MARK_BYTES - 1, end) - from);
    const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
    for (
      let at = bytes.lastIndexOf(MARK_START);
      at !== -1;
      at = at === 0 ? -1 : bytes.lastIndexOf(MARK_START, at - 1)
    ) {
      const frame = readFrame(bytes, at);
      if (frame.kind !== 'mark') continue;
      return { position: { segment, offset: from + at }, flush: frame.flush, extent: frame.extent };
    }
  }
  return null;
}
