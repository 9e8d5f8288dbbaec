/** Tracks moved and archived logs, and whether the index can be used after a crash. */

import { isBefore, type Position } from '../journal/journal-types.ts';
import type { MovedLog } from './store-operations.ts';

export class ArchiveState {
  readonly #movedLogs = new Map<string, MovedLog>();
  readonly #justArchived: string[] = [];
  /** Segments that still hold units of archived sessions. */
  readonly leftovers: Set<number>;
  /** The number of the newest archive file, which is negative; 0 = no archive. */
  newestFile: number;
  #isMoving = false;
  #isSpoilt = false;

  constructor(newestFile: number, leftovers: readonly number[]) {
    this.newestFile = newestFile;
    this.leftovers = new Set(leftovers);
  }

  /** Records that a log was moved; its units follow in the same file. */
  expectMoved(moved: MovedLog): void {
    // The archive wins over an older segment that also reports a move.
    if (moved.archived_at === null && this.#movedLogs.get(moved.log_id)?.archived_at != null) return;
    this.#movedLogs.set(moved.log_id, moved);
    if (moved.archived_at !== null) this.#justArchived.push(moved.log_id);
  }

  movedLog(logId: string): MovedLog | undefined {
    return this.#movedLogs.get(logId);
  }

  /** Call when the journal was read to its end: the index now has the positions of every log. */
  forgetMoved(): void {
    this.#movedLogs.clear();
  }

  /** True if the archived copy of the log already includes the record at this position. */
  wasArchivedAfter(logId: string, position: Position): boolean {
    const at = this.#movedLogs.get(logId)?.archived_at ?? null;
    return at !== null && isBefore(position, at);
  }

  /** Records an archive file. Returns the archived sessions found since the previous file. */
  recordFile(archive: number): readonly string[] {
    this.newestFile = Math.min(this.newestFile, archive);
    return this.#justArchived.splice(0);
  }

  get isMoving(): boolean {
    return this.#isMoving;
  }

  /** While true, a crash makes the index unusable: files that it points into are being replaced. */
  set isMoving(moving: boolean) {
    this.#isMoving = moving || this.#isSpoilt;
  }

  /** Call when an archive run failed half-way: the next start rebuilds the index. */
  invalidate(): void {
    this.#isSpoilt = true;
    this.#isMoving = true;
  }
}
