import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/testing/lib/random.ts';
import { SimDisk } from '../../support/sim-disk.ts';

/** Four pages of one unsynced write over older content; what a power cut leaves of each page. */
async function afterCrash(seed: number): Promise<string> {
  const disk = new SimDisk();
  const file = await disk.open('a', { create: true });
  await file.write(0, [new Uint8Array(2048).fill(1)]);
  await file.sync();
  await disk.syncFolder();
  await file.write(0, [new Uint8Array(1024).fill(2), new Uint8Array(1024).fill(2)]);
  disk.crash(seededRandom(seed));
  return [0, 512, 1024, 1536].map((at) => disk.bytes('a')[at]).join('');
}

describe('a simulated disk', () => {
  it('[JR7] keeps synced data and any pages of the rest, deterministically per seed', async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      const pages = await afterCrash(seed);
      expect(pages).toMatch(/^[12]{4}$/);
      expect(await afterCrash(seed)).toBe(pages);
      seen.add(pages);
    }
    expect([...seen]).toEqual(expect.arrayContaining(['1111', '2222', '2111', '1112', '2112']));
  });

  it('[JR7] forgets unsynced names, lengths and removals', async () => {
    const [seen, sizes] = [new Set<string>(), new Set<number>()];
    for (let seed = 1; seed <= 100; seed++) {
      const disk = new SimDisk();
      disk.replace('old', new Uint8Array(100));
      await disk.rename('old', 'new');
      await disk.open('made', { create: true });
      const file = await disk.open('new');
      await file.truncate(10);
      disk.crash(seededRandom(seed));
      seen.add(disk.names().join());
      sizes.add(disk.bytes(disk.names().includes('new') ? 'new' : 'old').length);
    }
    expect([...seen].sort()).toEqual(['made,new', 'new', 'old']);
    expect([...sizes].sort()).toEqual([10, 100]);
  });

  it('[JR7] a killed process loses nothing, but its operations never return', async () => {
    const disk = new SimDisk();
    const file = await disk.open('a', { create: true });
    await file.write(0, [new Uint8Array([1, 2, 3])]);
    disk.holdSyncs();
    const sync = file.sync();
    disk.kill();
    expect(disk.bytes('a')).toEqual(new Uint8Array([1, 2, 3]));
    expect(await Promise.race([sync, new Promise((resolve) => setImmediate(resolve, 'pending'))])).toBe('pending');
  });

  it('[JR9] fails as instructed, once, and writes as much as instructed', async () => {
    const disk = new SimDisk();
    const file = await disk.open('a', { create: true });
    disk.fail({ operation: 'write', nth: 2, code: 'ENOSPC', keeps: 1 });
    disk.fail({ operation: 'write', nth: 1, code: 'EIO', name: 'b' });
    await file.write(0, [new Uint8Array([1])]);
    await expect(file.write(1, [new Uint8Array([2, 3])])).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(disk.bytes('a')).toEqual(new Uint8Array([1, 2]));
    await file.write(2, [new Uint8Array([4])]);
    expect(disk.counts).toMatchObject({ create: 1, write: 3, sync: 0 });
  });
});
