/** Reads confirmed records by position. */

import { ConcurrencyLimit } from '../../core/lib/concurrency-limit.ts';
import { HubError } from '../../core/lib/errors.ts';
import { type Files, type OpenFile, segmentName } from './files.ts';
import { DamagedRecord, type JournalRecord, type Position } from './journal-types.ts';
import { type Frame, readFrame } from './record.ts';

/** Size of a first read; covers most records. */
const GUESS_BYTES = 4 * 1024;
/** Reading across a gap of this size is cheaper than another read. */
const MAX_GAP_BYTES = 32 * 1024;
/** Maximum bytes of a read that covers several records; bounds the memory of a long answer. */
const MAX_RUN_BYTES = 1024 * 1024;
/** Maximum open segments: old ones are read rarely, and the system limits open files. */
const MAX_OPEN_FILES = 32;
/** Node has four file threads: keep one free for the journal write that all appends wait for. */
const MAX_READS = 3;

interface Shared {
  readonly file: Promise<OpenFile>;
  users: number;
}

interface Asked {
  readonly position: Position;
  readonly index: number;
}

export class SegmentReader {
  readonly #files: Files;
  /** Open segments, least recently used first. */
  readonly #open = new Map<number, Shared>();
  /** Replaced files that are still being read. */
  readonly #replaced = new Set<Shared>();
  readonly #reads = new ConcurrencyLimit(MAX_READS);
  #isClosed = false;

  constructor(files: Files) {
    this.#files = files;
  }

  async read(position: Position): Promise<JournalRecord> {
    return this.#use(position.segment, async (file) => {
      const bytes = await this.#readBytes(file, position.offset, GUESS_BYTES);
      return recordOf(await this.#wholeFrame(file, bytes, 0, position.offset), position);
    });
  }

  /** Returns records in the order requested. Rejects with the first damaged record in journal order. */
  async readMany(positions: readonly Position[]): Promise<readonly JournalRecord[]> {
    const records: JournalRecord[] = new Array(positions.length);
    for (const run of runsOf(positions)) await this.#readRun(run, records);
    return records;
  }

  /**
   * Replaces a segment: `exchange` renames the file, `moved` publishes the new positions. Readers before `moved` use
   * the old file and positions, later ones the new.
   */
  async replace(segment: number, exchange: () => Promise<void>, moved: () => void): Promise<void> {
    await this.#use(segment, async () => {
      await exchange();
      const old = this.#open.get(segment);
      this.#open.delete(segment);
      if (old !== undefined) this.#replaced.add(old);
      moved();
    });
    await this.#trim();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [segment, { users }] of [...this.#open]) if (users === 0) await this.#forget(segment);
  }

  async #readRun(run: readonly [Asked, ...Asked[]], records: JournalRecord[]): Promise<void> {
    const { segment, offset: from } = run[0].position;
    const last = run.at(-1) ?? run[0];
    await this.#use(segment, async (file) => {
      const bytes = await this.#readBytes(file, from, last.position.offset - from + GUESS_BYTES);
      for (const { position, index } of run) {
        const frame = await this.#wholeFrame(file, bytes, position.offset - from, position.offset);
        records[index] = recordOf(frame, position);
      }
    });
  }

  async #readBytes(file: OpenFile, position: number, length: number): Promise<Buffer> {
    const read = await this.#reads.run(() => file.read(position, length));
    return Buffer.from(read.buffer, read.byteOffset, read.byteLength);
  }

  /** The frame at `at`; reads it again if `bytes` ends within the frame. */
  async #wholeFrame(file: OpenFile, bytes: Buffer, at: number, position: number): Promise<Frame> {
    const frame = readFrame(bytes, at);
    if (frame.kind !== 'short') return frame;
    return readFrame(await this.#readBytes(file, position, Math.max(frame.bytes, GUESS_BYTES)), 0);
  }

  async #use<T>(segment: number, use: (file: OpenFile) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new HubError('journal_closed', 'the journal is closed');
    const shared: Shared = this.#open.get(segment) ?? { file: this.#files.open(segmentName(segment)), users: 0 };
    this.#open.delete(segment);
    this.#open.set(segment, shared);
    shared.users += 1;
    try {
      return await use(await shared.file);
    } catch (thrown) {
      // Let the next reader retry a file that could not be opened.
      await shared.file.catch(() => this.#open.delete(segment));
      throw thrown;
    } finally {
      shared.users -= 1;
      await this.#trim();
    }
  }

  async #trim(): Promise<void> {
    for (const old of [...this.#replaced]) {
      if (old.users > 0) continue;
      this.#replaced.delete(old);
      await (await old.file).close();
    }
    const limit = this.#isClosed ? 0 : MAX_OPEN_FILES;
    for (const [segment, { users }] of [...this.#open]) {
      if (this.#open.size <= limit) return;
      if (users === 0) await this.#forget(segment);
    }
  }

  async #forget(segment: number): Promise<void> {
    const shared = this.#open.get(segment);
    this.#open.delete(segment);
    await (await shared?.file)?.close();
  }
}

function runsOf(positions: readonly Position[]): readonly (readonly [Asked, ...Asked[]])[] {
  const asked = positions.map((position, index) => ({ position, index }));
  asked.sort((a, b) => a.position.segment - b.position.segment || a.position.offset - b.position.offset);
  const runs: [Asked, ...Asked[]][] = [];
  for (const one of asked) {
    const run = runs.at(-1);
    if (run !== undefined && isNear(run, one.position)) run.push(one);
    else runs.push([one]);
  }
  return runs;
}

function isNear(run: readonly [Asked, ...Asked[]], { segment, offset }: Position): boolean {
  const last = run.at(-1) ?? run[0];
  if (last.position.segment !== segment || offset - last.position.offset > MAX_GAP_BYTES) return false;
  return offset - run[0].position.offset <= MAX_RUN_BYTES;
}

function recordOf(frame: Frame, position: Position): JournalRecord {
  if (frame.kind === 'record') return frame.record;
  const isNamed = frame.kind === 'damaged' || frame.kind === 'short';
  throw new DamagedRecord(position, isNamed ? frame.logId : null);
}
