/** What the contract suite asks of those who run it. */

import type { Store } from '../../core/ports/store.ts';

export interface StoreHarness {
  /** A store with nothing in it. */
  open(): Promise<Store>;
  /** Closes the store cleanly and opens what it kept. */
  reopen(store: Store): Promise<Store>;
  cleanup(): Promise<void>;
  /** A store with nothing in it that waits with its syncs. Without it, what must hold before an outcome is not tested. */
  openHeld?(): Promise<HeldStore>;
}

export interface HeldStore {
  readonly store: Store;
  /** Everything staged becomes durable. */
  readonly sync: () => void;
  /** The sync of everything staged fails. Absent = poisoning is not tested. */
  readonly failSync?: (error: Error) => void;
}

/** The store of the running test; `reopen` replaces it. */
export interface StoreUnderTest {
  readonly store: Store;
  readonly harness: StoreHarness;
  reopen(): Promise<void>;
}
