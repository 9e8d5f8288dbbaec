import { describe, expect, it } from 'vitest';
import { segmentName } from '../../../src/store/journal/files.ts';
import type { AppendResult } from '../../../src/store/journal/journal-types.ts';
import { MARK_BYTES } from '../../../src/store/journal/record.ts';
import { MAX_LAZY_BYTES } from '../../../src/store/journal/writer.ts';
import { SimDisk } from '../../support/sim-disk.ts';
import { openJournal, stateOf, turn } from './open-journal.ts';
import { patchFiles } from './patched-files.ts';

const ROOMY = { segmentBytes: 16_384 };
const FIRST = segmentName(1);

/** Events of the first segment, and the test's notes. */
function story(disk: SimDisk): readonly string[] {
  return disk.events.flatMap((event) => {
    if (typeof event === 'string') return [event];
    return event.name === FIRST && event.phase !== 'begun' ? [event.operation] : [];
  });
}

function noted(disk: SimDisk, note: string, appended: AppendResult): void {
  void appended.outcome.then(() => disk.note(note));
}

describe('group commit', () => {
  it('[JR2] writes everything staged in one tick with one write and one sync', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk, ROOMY);
    disk.events.length = 0;
    noted(disk, 'ack 1', journal.append('unit', 'a', '1'));
    noted(disk, 'ack 2', journal.append('unit', 'b', '2'));
    void Promise.resolve().then(() => noted(disk, 'ack 3', journal.append('unit', 'a', '3')));
    await turn();
    await journal.flushLazy();
    expect(story(disk)).toEqual(['write', 'sync', 'ack 1', 'ack 2', 'ack 3']);
  });

  it('[JR3] settles no outcome and writes no second flush before the sync returned', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk, ROOMY);
    disk.events.length = 0;
    const release = disk.holdSyncs();
    const first = journal.append('unit', 'a', '1');
    noted(disk, 'ack 1', first);
    for (let i = 0; i < 5; i++) await turn();
    const second = journal.append('unit', 'a', '2');
    noted(disk, 'ack 2', second);
    for (let i = 0; i < 5; i++) await turn();
    expect([await stateOf(first), await stateOf(second)]).toEqual(['pending', 'pending']);
    expect(story(disk)).toEqual(['write']);
    expect(journal.end).toEqual({ segment: 1, offset: 0 });
    release();
    await second.outcome;
    expect(story(disk)).toEqual(['write', 'sync', 'ack 1', 'write', 'sync', 'ack 2']);
  });

  it('[JR3] the disk log reveals an outcome before its sync', async () => {
    const disk = new SimDisk();
    const hasty = patchFiles(disk, { file: (file) => ({ sync: async () => void file.sync() }) });
    const { journal } = await openJournal(hasty, ROOMY);
    disk.events.length = 0;
    const release = disk.holdSyncs();
    const appended = journal.append('unit', 'a', '1');
    noted(disk, 'ack 1', appended);
    await appended.outcome;
    release();
    await turn();
    expect(story(disk)).toEqual(['write', 'ack 1', 'sync']);
  });

  it('[JR2] writes early once half of the last flush waits, but at least sixteen records', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk, ROOMY);
    const before = disk.counts.write;
    const append = (count: number) => {
      for (let i = 0; i < count; i++) journal.append('unit', 'a', String(i));
    };
    append(15);
    expect(disk.counts.write - before).toBe(0);
    append(1);
    expect(disk.counts.write - before).toBe(1);
    append(40);
    await journal.flushLazy();
    expect(disk.counts.write - before).toBe(2);
    append(19);
    expect(disk.counts.write - before).toBe(2);
    append(1);
    expect(disk.counts.write - before).toBe(3);
    await journal.flushLazy();
  });

  it('[JR2] writes a large batch before the confirmed callers append more', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk, { segmentBytes: 1 << 20 });
    let left = 1_000;
    const caller = async (slot: number): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await journal.append('unit', 'a', String(slot)).outcome;
      }
    };
    const { sync } = disk.counts;
    await Promise.all(Array.from({ length: 64 }, (_, slot) => caller(slot)));
    // Two halves in turn: some thirty flushes instead of sixteen.
    expect(disk.counts.sync - sync).toBeGreaterThan(24);
    expect(disk.counts.sync - sync).toBeLessThan(40);
  });

  it('[JR2] fills the next flush while one syncs', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk, ROOMY);
    disk.events.length = 0;
    const release = disk.holdSyncs();
    const appends: AppendResult[] = [];
    for (let i = 0; i < 10; i++) {
      appends.push(journal.append('unit', 'a', String(i)));
      await turn();
    }
    release();
    for (const { outcome } of appends) expect(await outcome).toEqual({ kind: 'durable' });
    expect(story(disk)).toEqual(['write', 'sync', 'write', 'sync']);
    const flushes = disk.events.flatMap((event) =>
      typeof event !== 'string' && event.operation === 'write' && event.phase === 'done' ? [event.bytes] : [],
    );
    const one = appends[0]?.bytes ?? 0;
    expect(flushes).toEqual([MARK_BYTES + one, MARK_BYTES + 9 * one]);
  });

  it('[JR2] includes appends caused by a confirmation in the very next flush', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk, ROOMY);
    disk.events.length = 0;
    const first = journal.append('unit', 'a', '1');
    const answers: Promise<unknown>[] = [];
    const after = async (steps: number) => {
      await first.outcome;
      for (let i = 0; i < steps; i++) await Promise.resolve();
      await journal.append('unit', 'a', `after ${steps}`).outcome;
    };
    for (const steps of [0, 1, 5, 20]) answers.push(after(steps));
    await Promise.all(answers);
    expect(story(disk)).toEqual(['write', 'sync', 'write', 'sync']);
  });

  it('[JR2] settles outcomes in append order, across flushes and segments', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    const settled: number[] = [];
    const outcomes = Array.from({ length: 100 }, async (_, i) => {
      if (i % 7 === 0) await turn();
      const { outcome } = journal.append('unit', 'a', `number ${i}`);
      const number = i;
      return outcome.then(() => settled.push(number));
    });
    await Promise.all(outcomes);
    await journal.close();
    const { texts } = await openJournal(disk);
    expect(settled.map((i) => `number ${i}`)).toEqual(texts);
  });

  it('[JR2] a simulation decides when a tick ends', async () => {
    const disk = new SimDisk();
    const turns: (() => void)[] = [];
    const { journal } = await openJournal(disk, { ...ROOMY, defer: (run) => turns.push(run) });
    const appended = journal.append('unit', 'a', '1');
    for (let i = 0; i < 5; i++) await turn();
    expect([turns.length, await stateOf(appended)]).toEqual([1, 'pending']);
    turns.shift()?.();
    expect(await appended.outcome).toEqual({ kind: 'durable' });
  });

  it('[JR4] lazy records cause no flush and keep their place in the next one', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk, ROOMY);
    disk.events.length = 0;
    const lazy = journal.append('lazy', 'cursors', 'lazy 1');
    for (let i = 0; i < 5; i++) await turn();
    expect([story(disk), await stateOf(lazy)]).toEqual([[], 'pending']);
    const unit = journal.append('unit', 'a', 'unit');
    journal.append('lazy', 'cursors', 'lazy 2');
    expect(await unit.outcome).toEqual({ kind: 'durable' });
    expect(story(disk)).toEqual(['write', 'sync']);
    const { texts } = await openJournal(disk, ROOMY);
    expect(texts).toEqual(['lazy 1', 'unit', 'lazy 2']);
  });

  it('[JR4] flushLazy and close make lazy records durable', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk, ROOMY);
    expect(await journal.flushLazy()).toEqual({ kind: 'durable' });
    journal.append('lazy', 'cursors', 'asked for');
    expect(await journal.flushLazy()).toEqual({ kind: 'durable' });
    journal.append('lazy', 'cursors', 'closed over');
    await journal.close();
    const { texts } = await openJournal(disk, ROOMY);
    expect(texts).toEqual(['asked for', 'closed over']);
  });

  it('[JR4] flushes lazy records that would fill the memory', async () => {
    const { journal } = await openJournal(new SimDisk(), { segmentBytes: 4 * MAX_LAZY_BYTES });
    const appended = journal.append('lazy', 'audit', 'x'.repeat(MAX_LAZY_BYTES));
    expect(await appended.outcome).toEqual({ kind: 'durable' });
  });
});
