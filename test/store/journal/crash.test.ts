import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/testing/lib/random.ts';
import { SimDisk } from '../../support/sim-disk.ts';
import { runs } from '../../support/size.ts';
import { crashHistory } from './crash-history.ts';
import { confirmed, openJournal, turn } from './open-journal.ts';
import { patchFiles } from './patched-files.ts';

// Seed 233 finds a start that does not sync the repaired tail.
const HISTORIES = runs(1_500, 240);

describe('a power cut at any moment', () => {
  it(`[JR7] ${HISTORIES} histories: everything confirmed is there in order, and nothing else`, async () => {
    const totals = { confirmed: 0, torn: 0 };
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const { fault, confirmed, torn } = await crashHistory(seed);
      expect(fault).toBeNull();
      totals.confirmed += confirmed;
      totals.torn += torn;
    }
    // Histories without events would prove nothing.
    expect(totals.confirmed).toBeGreaterThan(HISTORIES);
    expect(totals.torn).toBeGreaterThan(HISTORIES / 10);
  }, 120_000);

  it('[JR7] the histories detect a port that does not sync its files', async () => {
    expect(await faults((disk) => patchFiles(disk, { file: () => ({ sync: async () => {} }) }))).toBeGreaterThan(10);
  });

  it('[JR7] the histories detect a port that does not sync its folder', async () => {
    expect(await faults((disk) => patchFiles(disk, { folder: { syncFolder: async () => {} } }))).toBeGreaterThan(10);
  });

  it('[JR7] makes pages a killed process left in the cache durable before reporting them', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    disk.holdSyncs();
    journal.append('unit', 'a', 'written, not synced');
    for (let i = 0; i < 5; i++) await turn();
    disk.kill();
    const first = await openJournal(disk);
    expect(first.texts).toEqual(['written, not synced']);
    for (let seed = 1; seed <= 20; seed++) disk.crash(seededRandom(seed));
    expect((await openJournal(disk)).texts).toEqual(first.texts);
  });

  it('[JR9] ignores pages that only a failed sync left in the cache', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    await confirmed(journal, 'kept');
    disk.fail({ operation: 'sync', nth: 1, code: 'EIO' });
    await expect(confirmed(journal, 'in doubt')).rejects.toThrow('EIO');
    disk.kill();
    const first = await openJournal(disk);
    expect(first.texts).toEqual(['kept', 'in doubt']);
    disk.crash(seededRandom(1));
    expect((await openJournal(disk)).texts).toEqual(first.texts);
  });
});

async function faults(wrap: Parameters<typeof crashHistory>[1]): Promise<number> {
  let found = 0;
  for (let seed = 1; seed <= 100; seed++) {
    // Such a port may leave worse than a wrong answer.
    const result = await crashHistory(seed, wrap).catch((thrown: Error) => ({ fault: thrown.message }));
    if (result.fault !== null) found += 1;
  }
  return found;
}
