import { beforeAll, describe, expect, it } from 'vitest';
import { segmentName } from '../../../src/store/journal/files.ts';
import { seededRandom } from '../../../src/testing/lib/random.ts';
import type { SimDisk } from '../../support/sim-disk.ts';
import { itDeep } from '../../support/size.ts';
import { confirmed, openJournal } from './open-journal.ts';
import { cutCopy, type RecordedRun, recordedRun, wholeBefore } from './recorded-run.ts';

let run: RecordedRun;

beforeAll(async () => {
  run = await recordedRun(false);
});

function everyPlace(): readonly { readonly segment: number; readonly offset: number }[] {
  return run.segments.flatMap((segment) =>
    Array.from({ length: run.disk.bytes(segmentName(segment)).length + 1 }, (_, offset) => ({ segment, offset })),
  );
}

/** The same length, with zeros after a position: like a torn write to a preallocated file. */
function blankedCopy(segment: number, offset: number): SimDisk {
  const disk = cutCopy(run, { segment, offset });
  const bytes = new Uint8Array(run.disk.bytes(segmentName(segment)).length);
  bytes.set(disk.bytes(segmentName(segment)));
  disk.replace(segmentName(segment), bytes);
  return disk;
}

describe('a journal cut at every byte', () => {
  it('is a run of several flushes over three segments', () => {
    expect(run.segments).toEqual([1, 2, 3]);
    expect(run.records.length).toBe(16);
  });

  itDeep('[JR5] opens with exactly the whole records before the cut, accepts more, and reopens with both', async () => {
    for (const place of everyPlace()) {
      const disk = cutCopy(run, place);
      const expected = wholeBefore(run.records, place);
      const first = await openJournal(disk);
      expect(first.texts, `cut at ${place.segment}/${place.offset}`).toEqual(expected);
      expect(first.recovery.damages).toEqual([]);
      await confirmed(first.journal, 'more');
      disk.crash(seededRandom(place.offset));
      const second = await openJournal(disk);
      expect(second.texts, `reopened after ${place.segment}/${place.offset}`).toEqual([...expected, 'more']);
      expect([second.recovery.damages, second.recovery.torn]).toEqual([[], null]);
    }
  });

  it('[JR5] and zeros after the cut: the same', async () => {
    for (const { segment, offset } of everyPlace()) {
      const disk = blankedCopy(segment, offset);
      const first = await openJournal(disk);
      expect(first.texts, `blank from ${segment}/${offset}`).toEqual(wholeBefore(run.records, { segment, offset }));
      expect(first.recovery.damages).toEqual([]);
    }
  });

  it('[JR5] reports once where and how much was cut', async () => {
    const record = run.records.at(-2);
    if (record === undefined) throw new Error('there are records');
    const { segment, offset } = record.position;
    const disk = cutCopy(run, { segment, offset: offset + 13 });
    const first = await openJournal(disk);
    expect(first.recovery.torn).toEqual({ at: { segment, offset }, bytes: 13 });
    disk.kill();
    const second = await openJournal(disk);
    expect(second.recovery).toEqual({ ...first.recovery, torn: null });
    expect(second.texts).toEqual(first.texts);
  });

  it('[JR8] never restores truncated records, even if later records are intact on disk', async () => {
    for (const victim of run.records.filter(({ position }) => position.segment === 3)) {
      const disk = run.disk.copy();
      // Only the flush of the newest mark can be torn.
      disk.flipBit(segmentName(3), victim.position.offset + victim.bytes - 1, 0);
      const first = await openJournal(disk);
      if (first.recovery.torn === null) continue;
      const kept = wholeBefore(run.records, first.recovery.torn.at);
      expect(first.texts).toEqual(kept);
      for (const text of ['a', 'bc'.repeat(20), 'd']) {
        await confirmed(first.journal, text);
        const copy = disk.copy();
        const again = await openJournal(copy);
        expect(again.texts.slice(0, kept.length)).toEqual(kept);
        expect(again.texts.slice(kept.length)).not.toContain(victim.text);
        expect([again.recovery.torn, again.recovery.damages]).toEqual([null, []]);
      }
    }
  });

  it('[JR8] blanks the end of a cut journal before appending', async () => {
    const last = run.records.at(-3);
    if (last === undefined) throw new Error('there are records');
    const disk = run.disk.copy();
    disk.flipBit(segmentName(3), last.position.offset + 3, 1);
    const { recovery } = await openJournal(disk);
    expect(recovery.torn?.at).toEqual(last.position);
    expect(recovery.torn?.bytes).toBeGreaterThan(last.bytes);
    expect(
      disk
        .bytes(segmentName(3))
        .subarray(recovery.end.offset)
        .every((byte) => byte === 0),
    ).toBe(true);
  });
});
