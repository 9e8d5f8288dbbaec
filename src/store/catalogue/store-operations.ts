/** What was done to the logs as a whole, as records of the journal: whoever reads it again does the same. */

import type { Position } from '../journal/journal-types.ts';
import type { Catalogue } from './catalogue.ts';
import type { LogRecord } from '../index/log-record.ts';

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

export function applyOperation(catalogue: Catalogue, operation: StoreOperation): void {
  const { at } = operation;
  switch (operation.operation) {
    case 'repaired':
      // It was archived as it was after that.
      if (catalogue.wasArchivedAfter(operation.log_id, at)) return;
      return catalogue.hot(operation.log_id).replace(operation.record && { ...operation.record, repairedAt: at });
    case 'restored':
      return catalogue.restored(at, operation.epoch);
    case 'set_aside':
      return catalogue.setAside(operation.places, operation.audited);
  }
}

/**
 * Another past needs a number that no other past of the log has: two restores of one backup, or a repair and a restore of
 * what was before it, must not get the same. So it is the time.
 */
export function newEpoch(after: number, nowMs: number): number {
  return Math.max(after + 1, Math.floor(nowMs));
}
