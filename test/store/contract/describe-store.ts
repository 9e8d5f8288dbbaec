/** The contract tests of the Store port; every store implementation must pass them. */

import { afterEach, beforeEach, describe, it } from 'vitest';
import type { Store } from '../../../src/core/ports/store.ts';
import { appendRules } from './append-rules.ts';
import { dueRules } from './due-rules.ts';
import { failureRules } from './failure-rules.ts';
import type { StoreHarness, StoreUnderTest } from './harness.ts';
import { headRules } from './head-rules.ts';
import { keepingRules } from './keeping-rules.ts';
import { listRules } from './list-rules.ts';
import { checkStoreModel } from './model.ts';
import { readRules } from './read-rules.ts';
import { recordRules } from './record-rules.ts';

export type { StoreHarness } from './harness.ts';

export interface DescribeStoreOptions {
  /** Number of random histories compared with a naive model; each opens a new store. */
  readonly runs?: number;
}

/** Calls `makeHarness` before every test, and its `cleanup` after it. */
export function describeStore(
  name: string,
  makeHarness: () => StoreHarness | Promise<StoreHarness>,
  { runs = 1000 }: DescribeStoreOptions = {},
): void {
  describe(`${name} is a store`, () => {
    let harness: StoreHarness;
    let store: Store;
    const at: StoreUnderTest = {
      get harness() {
        return harness;
      },
      get store() {
        return store;
      },
      async reopen() {
        store = await harness.reopen(store);
      },
    };

    beforeEach(async () => {
      harness = await makeHarness();
      store = await harness.open();
    });

    afterEach(async () => {
      await store.close();
      await harness.cleanup();
    });

    appendRules(at);
    keepingRules(at);
    failureRules(at);
    readRules(at);
    headRules(at);
    dueRules(at);
    listRules(at);
    recordRules(at);

    it(`[ST1, ST2, ST9, ST11, ST12, ST13, ST14, ST18, ST19, ST20] ${runs} random histories agree with a naive model`, async () => {
      await checkStoreModel(() => harness.open(), runs);
    });
  });
}
