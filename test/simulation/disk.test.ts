import { expect, it } from 'vitest';
import { runs } from '../support/size.ts';
import { DiskStore } from './disk-store.ts';
import { runHistory } from './run-history.ts';

const SEEDS = runs(70, 14);
const LEAST_EACH = runs(20, 1);

it(`[L1, L2, L3, L4, L5, L6, L10] keeps every law in ${SEEDS} random histories of the durable store on a disk that loses unsynced data`, {
  timeout: 600_000,
}, async () => {
  const counts = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const report = await runHistory({ seed, store: DiskStore.seeded(seed) });
    for (const [kind, n] of report.counts) counts.set(kind, (counts.get(kind) ?? 0) + n);
  }
  const kinds = ['crash in the sync', 'crash before the sync', 'restart', 'the sync fails', 'repeat answered'];
  console.log(kinds.map((kind) => `${counts.get(kind) ?? 0} ${kind}`).join(', '));
  expect(kinds.filter((kind) => (counts.get(kind) ?? 0) < LEAST_EACH)).toEqual([]);
});
