/** What a history does to a store beside using it. */

import type { Store } from '../../src/core/ports/store.ts';
import type { Entry, Unit } from '../../src/core/records/session/unit.ts';

export interface SimulatedStore extends Store {
  readonly counts: { readonly snapshot: number };
  stagedUnits(): number;
  /** What is staged becomes durable: all of it, or as many units as told if that can be had. */
  sync(count?: number): void;
  /** The sync fails, whatever reaches the disk. */
  failSync(error: Error, keep: () => boolean): void;
  /** The process dies; the result is what a new one opens. Of what was staged, what `keep` says may have reached the disk. */
  crash(keep: () => boolean, keepCursor: () => boolean, keepSnapshot: () => boolean): this | Promise<this>;
  /** What a power cut would leave of a log. */
  durableEntries(logId: string): readonly Entry[];
  logIds(): readonly string[];
  /** Absent = nobody else can write to it. */
  conflict?(logId: string): void;
  foreignAppend?(logId: string, unit: Unit): void;
}
