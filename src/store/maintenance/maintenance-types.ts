/** What maintenance needs from a store, and its options. */

import type { Catalogue } from '../catalogue/catalogue.ts';
import type { StoreOperation } from '../catalogue/store-operations.ts';
import type { Files } from '../journal/files.ts';
import type { Journal } from '../journal/journal.ts';

/** An open store from the inside. */
export interface StoreInternals {
  readonly files: Files;
  readonly journal: Journal;
  readonly catalogue: Catalogue;
  /** Makes everything so far durable and indexed. */
  settle(): Promise<void>;
  /** Writes every cursor again, which makes older cursor records obsolete. */
  dumpCursors(): Promise<void>;
  /** The next start discards the index and builds another. */
  renewIndex(): void;
  /** Durable and applied on return. */
  perform(operation: StoreOperation): Promise<void>;
}

/** Long work reports its progress in bytes. */
export interface MaintenanceOptions {
  readonly onProgress?: (progress: { readonly bytes: number; readonly of: number }) => void;
}
