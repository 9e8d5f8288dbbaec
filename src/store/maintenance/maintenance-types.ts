/** What the care of a data folder works with, and what it tells. */

import type { Catalogue } from '../catalogue/catalogue.ts';
import type { StoreOperation } from '../catalogue/store-operations.ts';
import type { Files } from '../journal/files.ts';
import type { Journal } from '../journal/journal.ts';

/** An open store from the inside. */
export interface StoreInternals {
  readonly files: Files;
  readonly journal: Journal;
  readonly catalogue: Catalogue;
  /** Everything so far is durable and in the index. */
  settle(): Promise<void>;
  /** Writes every cursor again: what was written of them before is of no use then. */
  dumpCursors(): Promise<void>;
  /** The next start throws the index away and builds another. */
  renewIndex(): void;
  /** Durable, and applied, when it returns. */
  perform(operation: StoreOperation): Promise<void>;
}

/** Long work says how far it is: so many bytes of so many. */
export interface MaintenanceOptions {
  readonly onProgress?: (progress: { readonly bytes: number; readonly of: number }) => void;
}
