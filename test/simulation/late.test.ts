import { expect, it } from 'vitest';
import { runs } from '../support/size.ts';
import { LateStore } from './late-store.ts';
import { runHistory } from './run-history.ts';

const SEEDS = runs(200, 24);

it(`[L1, L2, L3, L4, L5, L6] keeps every law in ${SEEDS} random histories on a store with late answers`, {
  timeout: 600_000,
}, async () => {
  let repeated = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { counts } = await runHistory({ seed, store: LateStore.seeded(seed) });
    repeated += (counts.get('repeat answered') ?? 0) + (counts.get('create repeated') ?? 0);
  }
  expect(repeated).toBeGreaterThan(SEEDS);
});
