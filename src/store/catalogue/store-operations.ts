/**
 * Defines journal records that belong to no log: cursors, meta values, operations on whole logs, moved logs.
 * `replay.ts` applies them.
 */

import type { Json } from '../../core/lib/json.ts';
import type { Cursor } from '../../core/ports/store.ts';
import type { LogRecord } from '../index/log-record.ts';
import type { Position, PositionRange } from '../journal/journal-types.ts';

export const OPERATIONS_FAMILY = 'store';

/** `at`: the journal end when the operation was performed. The position of the record may change later. */
export type StoreOperation = {
  readonly at: Position;
} /** `record`: the truncated log, in a new epoch; null if nothing is left. */ & (
  | { readonly operation: 'repaired'; readonly log_id: string; readonly record: LogRecord | null }
  /** This folder is an independent copy: every log has at least this epoch. */
  | { readonly operation: 'restored'; readonly epoch: number }
  /** Quarantined damage, and the number of audit records including damaged ones. */
  | { readonly operation: 'set_aside'; readonly places: readonly PositionRange[]; readonly audited: number }
);

/** Uses the time as the epoch, so that two rewrites of the same history get different epochs. */
export function newEpoch(after: number, nowMs: number): number {
  return Math.max(after + 1, Math.floor(nowMs));
}

export const MOVED_FAMILY = 'moved';

export interface MovedLog {
  readonly log_id: string;
  /** Sort key of the log among sessions by creation. */
  readonly order: string;
  readonly epoch: number;
  /** The archive includes everything before this position; null if the log is still in the journal. */
  readonly archived_at: Position | null;
}

export type LazyRecord =
  | {
      readonly family: 'cursors';
      readonly save: readonly Cursor[];
      readonly drop: readonly Pick<Cursor, 'agent_id' | 'session_id'>[];
      /** Drops all earlier cursors: the complete set follows. */
      readonly all?: true;
    }
  | { readonly family: 'meta'; readonly name: string; readonly value: Json };

const FAMILIES: ReadonlySet<string> = new Set(['cursors', 'meta', 'audit', OPERATIONS_FAMILY, MOVED_FAMILY]);

/** True for the family names of records that belong to no log. */
export function isFamily(name: string): boolean {
  return FAMILIES.has(name);
}

export function lazyText({ family: _family, ...record }: LazyRecord): string {
  return JSON.stringify(record);
}
