/** Tracks moved and archived logs, and whether the index can be used after a crash. */

import { isBefore, type Position } from '../journal/journal-types.ts';
import type { MovedLog } from './store-operations.ts';

export class ArchiveState {
  readonly #movedLogs = new Map<string, MovedLog>();
  readonly #justArchived: string[] = [];
  /** Segments that still hold units of archived sessions. */
  readonly leftovers: Set<number>;
  /** Archive files have negative numbers; 0 = no archive. */
  newestFile: number;
  #isMoving = false;
  #isSpoilt = false;

  constructor(newestFile: number, leftovers: readonly number[]) {
    this.newestFile = newestFile;
    this.leftovers = new Set(leftovers);
  }

  /** The log was moved; its units follow in the journal. */
  expectMoved(moved: MovedLog): void {
    // The archive wins over an older segment that also reports a move.
    if (moved.archived_at === null && this.#movedLogs.get(moved.log_id)?.archived_at != null) return;
    this.#movedLogs.set(moved.log_id, moved);
    if (moved.archived_at !== null) this.#justArchived.push(moved.log_id);
  }

  movedLog(logId: string): MovedLog | undefined {
    return this.#movedLogs.get(logId);
  }

  /** The journal was read to its end: the index now knows where each log lies. */
  forgetMoved(): void {
    this.#movedLogs.clear();
  }

  /** True if the archived copy already includes what happened to the log at this position. */
  wasArchivedAfter(logId: string, position: Position): boolean {
    const at = this.#movedLogs.get(logId)?.archived_at ?? null;
    return at !== null && isBefore(position, at);
  }

  /** Marks all sessions of this archive file as known. Returns those read since the last file. */
  recordFile(archive: number): readonly string[] {
    this.newestFile = Math.min(this.newestFile, archive);
    return this.#justArchived.splice(0);
  }

  get isMoving(): boolean {
    return this.#isMoving;
  }

  /** While true, the index is useless after a crash: files it points into are being replaced. */
  set isMoving(moving: boolean) {
    this.#isMoving = moving || this.#isSpoilt;
  }

  /** An archive run failed half-way: the next start rebuilds the index. */
  invalidate(): void {
    this.#isSpoilt = true;
    this.#isMoving = true;
  }
}
