/** Defines the parts of a store that maintenance uses, and its options. */

import type { Catalogue } from '../catalogue/catalogue.ts';
import type { StoreOperation } from '../catalogue/store-operations.ts';
import type { Files } from '../journal/files.ts';
import type { Journal } from '../journal/journal.ts';

/** The internals of an open store. */
export interface StoreInternals {
  readonly files: Files;
  readonly journal: Journal;
  readonly catalogue: Catalogue;
  /** Makes all staged records durable and indexed. */
  settle(): Promise<void>;
  /** Writes every cursor again, which makes older cursor records obsolete. */
  dumpCursors(): Promise<void>;
  /** Makes the next start discard and rebuild the index. */
  renewIndex(): void;
  /** Performs an operation; it is durable and applied on return. */
  perform(operation: StoreOperation): Promise<void>;
}

/** Long tasks report their progress in bytes. */
export interface MaintenanceOptions {
  readonly onProgress?: (progress: { readonly bytes: number; readonly of: number }) => void;
}
