/** The harness that a caller of the store suite provides. */

import type { Store } from '../../../src/core/ports/store.ts';

export interface StoreHarness {
  /** Opens an empty store. */
  open(): Promise<Store>;
  /** Closes the store cleanly and opens it again. */
  reopen(store: Store): Promise<Store>;
  cleanup(): Promise<void>;
  /** Opens an empty store that syncs only on request. Without it, tests of staged data are skipped. */
  openHeld?(): Promise<HeldStore>;
}

interface HeldStore {
  readonly store: Store;
  /** Makes everything staged durable. */
  readonly sync: () => void;
  /** Fails the sync of everything staged. Absent = poisoning is not tested. */
  readonly failSync?: (error: Error) => void;
}

/** The store of the running test; `reopen` replaces it. */
export interface StoreUnderTest {
  readonly store: Store;
  readonly harness: StoreHarness;
  reopen(): Promise<void>;
}
