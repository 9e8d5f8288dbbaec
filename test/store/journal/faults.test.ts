import { describe, expect, it } from 'vitest';
import { SPARE_NAME, segmentName } from '../../../src/store/journal/files.ts';
import { SimDisk } from '../../support/sim-disk.ts';
import type { DiskFault } from '../../support/sim-file.ts';
import { confirmed, openJournal, turn } from './open-journal.ts';

const ROOMY = { segmentBytes: 16_384 };

const faults: readonly DiskFault[] = [
  { operation: 'write', nth: 1, code: 'ENOSPC' },
  { operation: 'write', nth: 1, code: 'ENOSPC', keeps: 30 },
  { operation: 'write', nth: 1, code: 'ENOSPC', keeps: 100 },
  { operation: 'write', nth: 1, code: 'EIO' },
  { operation: 'sync', nth: 1, code: 'EIO' },
  { operation: 'sync', nth: 1, code: 'EIO', keeps: 1 },
  { operation: 'sync', nth: 1, code: 'ENOSPC' },
];

describe.each(faults)('$code on $operation, keeping $keeps', (fault) => {
  it('[JR9] fails everything staged and every later append, and retries nothing', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk, ROOMY);
    const [kept] = await confirmed(journal, 'kept');
    disk.fail(fault);
    const inFlight = [journal.append('unit', 'a', 'first'), journal.append('unit', 'b', 'second')];
    await turn();
    const behind = journal.append('lazy', 'c', 'behind');
    for (const { outcome } of [...inFlight, behind]) {
      expect(await outcome).toMatchObject({
        kind: 'failed',
        error: { code: 'journal_failed', cause: { code: fault.code } },
      });
    }
    const { counts } = disk;
    const operations = { ...counts };
    expect(await journal.append('unit', 'a', 'late').outcome).toMatchObject({ kind: 'failed' });
    expect(await journal.flushLazy()).toMatchObject({ kind: 'failed' });
    if (kept !== undefined) expect(await journal.read(kept.position)).toMatchObject({ text: 'kept' });
    await journal.close();
    expect(counts).toEqual(operations);
  });

  it('[JR9] leaves a journal that opens with everything confirmed and accepts more', async () => {
    const disk = new SimDisk();
    const first = await openJournal(disk, ROOMY);
    await confirmed(first.journal, 'one', 'two');
    disk.fail(fault);
    await expect(confirmed(first.journal, 'in doubt')).rejects.toThrow(fault.code);
    disk.kill();
    const second = await openJournal(disk, ROOMY);
    expect(second.texts.slice(0, 2)).toEqual(['one', 'two']);
    expect(['in doubt', undefined]).toContain(second.texts[2]);
    await confirmed(second.journal, 'three');
    await second.journal.close();
    expect((await openJournal(disk, ROOMY)).texts).toEqual([...second.texts, 'three']);
  });
});

describe('a failing disk', () => {
  it('[JR9] creating a segment: nothing in it is confirmed', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    await confirmed(journal, 'x'.repeat(400));
    disk.fail({ operation: 'syncFolder', nth: 1, code: 'EIO' });
    await expect(confirmed(journal, 'y'.repeat(400))).rejects.toThrow('EIO');
    disk.kill();
    expect((await openJournal(disk)).texts).toEqual(['x'.repeat(400)]);
  });

  it('[JR10] zeroing the next segment: flushes go on in an unprepared segment', async () => {
    for (const operation of ['write', 'sync'] as const) {
      const disk = new SimDisk();
      disk.fail({ operation, nth: 2, code: 'ENOSPC', name: SPARE_NAME });
      const { journal } = await openJournal(disk);
      await confirmed(journal, 'x'.repeat(400), 'y'.repeat(400));
      await journal.close();
      expect(disk.names()).toEqual([segmentName(1), segmentName(2)]);
      expect((await openJournal(disk)).texts).toEqual(['x'.repeat(400), 'y'.repeat(400)]);
    }
  });

  it('[JR9] opening: rejects, and a later attempt finds everything', async () => {
    for (const fault of [{ operation: 'write' }, { operation: 'sync' }, { operation: 'syncFolder' }] as const) {
      const disk = new SimDisk();
      const first = await openJournal(disk);
      await confirmed(first.journal, 'kept');
      disk.kill();
      disk.fail({ ...fault, nth: 1, code: 'EIO' });
      await expect(openJournal(disk)).rejects.toThrow('EIO');
      disk.kill();
      expect((await openJournal(disk)).texts).toEqual(['kept']);
    }
  });
});
