/** What was done to the logs as a whole, as records of the journal: whoever reads it again does the same. */

import type { Position } from '../journal/journal-types.ts';
import type { Catalogue } from './catalogue.ts';
import type { LogRecord } from './log-record.ts';

/** The family of these records. */
export const OPERATIONS_FAMILY = 'store';

export type StoreOperation =
  /** The log ends here now, in a new epoch; null = nothing of it is left. */
  | { readonly operation: 'repaired'; readonly log_id: string; readonly record: LogRecord | null }
  /** All this is a copy that goes its own way: every log there is has a new epoch. */
  | { readonly operation: 'restored' };

export function applyOperation(catalogue: Catalogue, operation: StoreOperation, at: Position): void {
  switch (operation.operation) {
    case 'repaired':
      // It was archived as it was after that.
      if (catalogue.wasArchivedAfter(operation.log_id, at)) return;
      return catalogue.hot(operation.log_id).replace(operation.record && { ...operation.record, repairedAt: at });
    case 'restored':
      return catalogue.restored(at);
  }
}
