/**
 * Journal records that belong to no log: cursors, meta values, operations on whole logs, moved logs. Applied by
 * `replay.ts`.
 */

import type { Json } from '../../core/lib/json.ts';
import type { Cursor } from '../../core/ports/store.ts';
import type { LogRecord } from '../index/log-record.ts';
import type { Position, PositionRange } from '../journal/journal-types.ts';

export const OPERATIONS_FAMILY = 'store';

/** `at`: the journal end at that time. The record's own position changes when it is moved. */
export type StoreOperation = {
  readonly at: Position;
} /** The log ends here, in a new epoch; null = nothing of it is left. */ & (
  | { readonly operation: 'repaired'; readonly log_id: string; readonly record: LogRecord | null }
  /** This folder is an independent copy: every log has at least this epoch. */
  | { readonly operation: 'restored'; readonly epoch: number }
  /** Damage that was dealt with, and the number of audit records including those in it. */
  | { readonly operation: 'set_aside'; readonly places: readonly PositionRange[]; readonly audited: number }
);

/** The epoch is the time, because two rewrites of the same past must get different epochs. */
export function newEpoch(after: number, nowMs: number): number {
  return Math.max(after + 1, Math.floor(nowMs));
}

export const MOVED_FAMILY = 'moved';

export interface MovedLog {
  readonly log_id: string;
  /** Its place among the sessions by creation. */
  readonly order: string;
  readonly epoch: number;
  /** The archive includes everything before this position; null = still in the journal. */
  readonly archived_at: Position | null;
}

export type LazyRecord =
  | {
      readonly family: 'cursors';
      readonly save: readonly Cursor[];
      readonly drop: readonly Pick<Cursor, 'agent_id' | 'session_id'>[];
      /** Forget all earlier cursors: the complete set follows. */
      readonly all?: true;
    }
  | { readonly family: 'meta'; readonly name: string; readonly value: Json };

const FAMILIES: ReadonlySet<string> = new Set(['cursors', 'meta', 'audit', OPERATIONS_FAMILY, MOVED_FAMILY]);

/** True for names of records beside the logs. */
export function isFamily(name: string): boolean {
  return FAMILIES.has(name);
}

export function lazyText({ family: _family, ...record }: LazyRecord): string {
  return JSON.stringify(record);
}
