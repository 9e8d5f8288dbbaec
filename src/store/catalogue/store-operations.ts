/**
 * Records of the journal that belong to no log, by family: cursors and small values, operations on whole logs, and the
 * places of logs that were moved. `replay.ts` applies them.
 */

import type { Json } from '../../core/lib/json.ts';
import type { Cursor } from '../../core/ports/store.ts';
import type { LogRecord } from '../index/log-record.ts';
import type { Position } from '../journal/journal-types.ts';

/** The family of these records. */
export const OPERATIONS_FAMILY = 'store';

/** `at`: where the journal ended then. The record itself may be moved, and its place says nothing any more. */
export type StoreOperation =
  /** The log ends here now, in a new epoch; null = nothing of it is left. */
  | {
      readonly operation: 'repaired';
      readonly at: Position;
      readonly log_id: string;
      readonly record: LogRecord | null;
    }
  /** All this is a copy that goes its own way: every log there is has this epoch at least. */
  | { readonly operation: 'restored'; readonly at: Position; readonly epoch: number }
  /** Damage that is known and no problem any more; and how many audit records there were, those in it included. */
  | {
      readonly operation: 'set_aside';
      readonly at: Position;
      readonly places: readonly { readonly from: Position; readonly to: Position }[];
      readonly audited: number;
    };

/**
 * Another past needs a number that no other past of the log has: two restores of one backup, or a repair and a restore of
 * what was before it, must not get the same. So it is the time.
 */
export function newEpoch(after: number, nowMs: number): number {
  return Math.max(after + 1, Math.floor(nowMs));
}

export const MOVED_FAMILY = 'moved';

export interface MovedLog {
  readonly log_id: string;
  /** Its place among the sessions by creation. */
  readonly order: string;
  readonly epoch: number;
  /** It is in the archive, with all that was done to it before this place of the journal; null = it is still in the journal. */
  readonly archived_at: Position | null;
}

export type LazyRecord =
  | {
      readonly family: 'cursors';
      readonly save: readonly Cursor[];
      readonly drop: readonly Pick<Cursor, 'agent_id' | 'session_id'>[];
      /** All there are follow: whatever was before is forgotten. */
      readonly all?: true;
    }
  | { readonly family: 'meta'; readonly name: string; readonly value: Json };

const FAMILIES: ReadonlySet<string> = new Set(['cursors', 'meta', 'audit', OPERATIONS_FAMILY, MOVED_FAMILY]);

/** The name is that of records beside the logs, not of a log. */
export function isFamily(name: string): boolean {
  return FAMILIES.has(name);
}

export function lazyText({ family: _family, ...record }: LazyRecord): string {
  return JSON.stringify(record);
}
