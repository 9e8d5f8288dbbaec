import { describe, expect, it } from 'vitest';
import { SPARE_NAME, segmentName } from '../../../src/store/journal/files.ts';
import { MARK_BYTES, RECORD_HEADER_BYTES } from '../../../src/store/journal/record.ts';
import { seededRandom } from '../../../src/testing/lib/random.ts';
import { SimDisk } from '../../support/sim-disk.ts';
import { confirmed, openJournal, SMALL_SEGMENT, turn } from './open-journal.ts';

/** A text whose record takes exactly this many bytes. */
function sized(bytes: number, letter = 'x'): string {
  return letter.repeat(bytes - RECORD_HEADER_BYTES);
}

describe('segments', () => {
  it('[JR10] a new journal has one zeroed segment, durable with its name', async () => {
    const disk = new SimDisk();
    const { journal, recovery } = await openJournal(disk);
    expect(recovery).toEqual({ torn: null, damages: [], records: 0, end: { segment: 1, offset: 0 } });
    disk.crash(seededRandom(2));
    expect(disk.names()).toEqual([segmentName(1)]);
    expect(disk.bytes(segmentName(1))).toEqual(new Uint8Array(SMALL_SEGMENT));
    expect(journal.end).toEqual(recovery.end);
  });

  it('[JR10] a record never spans two: the first that does not fit begins the next, in the same tick', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    const texts = ['a', 'b', 'c', 'd', 'e'].map((letter) => sized(200, letter));
    const appended = texts.map((text) => journal.append('unit', 'a', text));
    const [one, two, three] = [MARK_BYTES, MARK_BYTES + 200, MARK_BYTES + 400];
    const expected = [
      { segment: 1, offset: one },
      { segment: 1, offset: two },
      { segment: 2, offset: one },
      { segment: 2, offset: two },
      { segment: 3, offset: one },
    ];
    expect(appended.map(({ position }) => position)).toEqual(expected);
    // A third would fit, but not with the mark that closes a segment.
    expect(three + 200).toBeGreaterThan(SMALL_SEGMENT - MARK_BYTES);
    for (const { outcome } of appended) expect(await outcome).toEqual({ kind: 'durable' });
    const { records } = await openJournal(disk.copy());
    expect(records.map(({ position }) => position)).toEqual(expected);
    expect(records.map(({ text }) => text)).toEqual(texts);
  });

  it('[JR10] a segment name is durable before its content is written or confirmed', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    await confirmed(journal, sized(500));
    disk.events.length = 0;
    const appended = journal.append('unit', 'a', sized(500, 'y'));
    void appended.outcome.then(() => disk.note('ack'));
    await appended.outcome;
    const second = segmentName(2);
    const order = disk.events.flatMap((event) => {
      if (typeof event === 'string') return [event];
      const isOfSecond = event.name === second || event.operation === 'syncFolder';
      return isOfSecond && event.phase === 'done' ? [event.operation] : [];
    });
    expect(order).toEqual(['rename', 'syncFolder', 'write', 'sync', 'ack']);
  });

  it('[JR10] prepares the next one in the background once part of this one is full', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    await confirmed(journal, sized(50));
    for (let i = 0; i < 10; i++) await turn();
    expect(disk.names()).toEqual([segmentName(1)]);
    await confirmed(journal, sized(200));
    for (let i = 0; i < 10; i++) await turn();
    expect(disk.names()).toEqual([segmentName(1), SPARE_NAME]);
    expect(disk.bytes(SPARE_NAME)).toEqual(new Uint8Array(SMALL_SEGMENT));
    await journal.close();
    expect(disk.names()).toEqual([segmentName(1)]);
  });

  it('[JR10] does not take a spare left by a crash for a segment', async () => {
    const disk = new SimDisk();
    disk.replace(SPARE_NAME, new Uint8Array(10).fill(7));
    const { journal, recovery } = await openJournal(disk);
    expect(recovery.records).toBe(0);
    await confirmed(journal, sized(500), sized(500, 'y'));
    expect((await openJournal(disk.copy())).texts).toEqual([sized(500), sized(500, 'y')]);
  });

  it('[JR10] gives an oversized record its own segment, and what follows the next', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    const texts = ['small', sized(100_000), 'after'];
    const [, large, after] = await confirmed(journal, ...texts);
    expect([large?.position, after?.position]).toEqual([
      { segment: 2, offset: MARK_BYTES },
      { segment: 3, offset: MARK_BYTES },
    ]);
    expect(disk.bytes(segmentName(2)).length).toBe(100_000 + MARK_BYTES);
    if (large !== undefined) expect((await journal.read(large.position)).text).toBe(texts[1]);
    expect((await openJournal(disk.copy())).texts).toEqual(texts);
  });

  it('[JR10] appends after an oversized last record following a restart', async () => {
    const disk = new SimDisk();
    const first = await openJournal(disk);
    await confirmed(first.journal, sized(5_000));
    disk.kill();
    const second = await openJournal(disk);
    await confirmed(second.journal, 'after');
    await second.journal.close();
    const third = await openJournal(disk);
    expect(third.texts).toEqual([sized(5_000), 'after']);
    expect(third.recovery.damages).toEqual([]);
  });

  it('[JR10] handles every record size around the remaining space', async () => {
    for (let size = 440; size <= 620; size++) {
      const disk = new SimDisk();
      const { journal } = await openJournal(disk);
      const texts = [sized(50), sized(size, 'y'), 'z'];
      await confirmed(journal, ...texts);
      if (size % 2 === 0) await journal.close();
      else disk.kill();
      const { texts: found, recovery } = await openJournal(disk);
      expect([found, recovery.torn, recovery.damages], `size ${size}`).toEqual([texts, null, []]);
    }
  });

  it('[JR10] reads and fills segments of another size', async () => {
    const disk = new SimDisk();
    const first = await openJournal(disk, { segmentBytes: 4_000 });
    await confirmed(first.journal, 'large segments');
    await first.journal.close();
    const second = await openJournal(disk, { segmentBytes: 300 });
    await confirmed(second.journal, sized(280), sized(250));
    await second.journal.close();
    expect(disk.names()).toEqual([segmentName(1)]);
    const third = await openJournal(disk, { segmentBytes: 10_000 });
    expect(third.texts).toEqual(['large segments', sized(280), sized(250)]);
  });
});

describe('close', () => {
  it('[JR12] confirms what waits, is idempotent, and rejects later appends', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    const appended = journal.append('unit', 'a', 'last');
    const closing = journal.close();
    const late = journal.append('unit', 'a', 'late');
    expect(await late.outcome).toMatchObject({ kind: 'failed', error: { code: 'journal_closed' } });
    expect(await appended.outcome).toEqual({ kind: 'durable' });
    await Promise.all([closing, journal.close()]);
    await expect(journal.read(appended.position)).rejects.toThrow('closed');
    expect((await openJournal(disk)).texts).toEqual(['last']);
  });

  it('[JR12] reopening and closing repeatedly writes nothing more', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    await confirmed(journal, 'one');
    await journal.close();
    const bytes = disk.bytes(segmentName(1));
    for (let i = 0; i < 3; i++) {
      const again = await openJournal(disk);
      expect(again.recovery).toMatchObject({ records: 1, torn: null, damages: [] });
      await again.journal.close();
    }
    expect(disk.bytes(segmentName(1))).toEqual(bytes);
  });
});
