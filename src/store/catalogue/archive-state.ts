/**
 * What a catalogue knows of moved and archived logs: which logs were moved, as far as this process read that from the
 * journal; the newest file of the archive; the segments that still hold units of archived sessions; and whether the index
 * is of use after a crash.
 */

import { isBefore, type Position } from '../journal/journal-types.ts';
import type { MovedLog } from './store-operations.ts';

export class ArchiveState {
  readonly #movedLogs = new Map<string, MovedLog>();
  readonly #justArchived: string[] = [];
  readonly #leftovers: Set<number>;
  #newestFile: number;
  #isMoving = false;
  #isSpoilt = false;

  constructor(newestFile: number, leftovers: readonly number[]) {
    this.#newestFile = newestFile;
    this.#leftovers = new Set(leftovers);
  }

  /** 0 = there is none. Files of the archive have negative numbers. */
  get newestFile(): number {
    return this.#newestFile;
  }

  /** Segments that still hold units of archived sessions. */
  get leftovers(): ReadonlySet<number> {
    return this.#leftovers;
  }

  addLeftovers(segments: Iterable<number>): void {
    for (const segment of segments) this.#leftovers.add(segment);
  }

  removeLeftover(segment: number): void {
    this.#leftovers.delete(segment);
  }

  /** The log was moved; its units follow in the journal. */
  expectMoved(moved: MovedLog): void {
    // What the archive says counts, also when an older segment says that it had been moved before.
    if (moved.archived_at === null && this.#movedLogs.get(moved.log_id)?.archived_at != null) return;
    this.#movedLogs.set(moved.log_id, moved);
    if (moved.archived_at !== null) this.#justArchived.push(moved.log_id);
  }

  movedLog(logId: string): MovedLog | undefined {
    return this.#movedLogs.get(logId);
  }

  /** The journal has been read to its end: where logs were moved to is in the index. */
  forgetMoved(): void {
    this.#movedLogs.clear();
  }

  /** What was done to the log at this place of the journal is in what was archived of it. */
  wasArchivedAfter(logId: string, position: Position): boolean {
    const at = this.#movedLogs.get(logId)?.archived_at ?? null;
    return at !== null && isBefore(position, at);
  }

  /** All sessions of this file are in the catalogue. Returns those that were read since the last file. */
  recordFile(archive: number): readonly string[] {
    this.#newestFile = Math.min(this.#newestFile, archive);
    return this.#justArchived.splice(0);
  }

  get isMoving(): boolean {
    return this.#isMoving;
  }

  /** While true, the index is of no use after a crash: its places are those of files being replaced. */
  set isMoving(moving: boolean) {
    this.#isMoving = moving || this.#isSpoilt;
  }

  /** An archiving failed half-way: the next start rebuilds the index. */
  invalidate(): void {
    this.#isSpoilt = true;
    this.#isMoving = true;
  }
}
