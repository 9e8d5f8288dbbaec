/** What a history does to a store, beside using it. */

import type { Store } from '../../src/core/ports/store.ts';
import type { Entry, Unit } from '../../src/core/records/session/unit.ts';

export interface SimulatedStore extends Store {
  readonly counts: { readonly snapshot: number };
  stagedUnits(): number;
  /** Makes staged units durable: all, or this many if possible. */
  sync(count?: number): void;
  /** The sync fails, whatever reaches the disk. */
  failSync(error: Error, keep: () => boolean): void;
  /** The process dies; returns what a new one opens. `keep` says which staged units reached the disk. */
  crash(keep: () => boolean, keepCursor: () => boolean, keepSnapshot: () => boolean): this | Promise<this>;
  /** What a power cut would leave of a log. */
  durableEntries(logId: string): readonly Entry[];
  logIds(): readonly string[];
  /** Absent = no other writer exists. */
  conflict?(logId: string): void;
  foreignAppend?(logId: string, unit: Unit): void;
}
