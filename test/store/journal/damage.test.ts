import { beforeAll, describe, expect, it } from 'vitest';
import { segmentName } from '../../../src/store/journal/files.ts';
import type { PlacedRecord } from '../../../src/store/journal/journal-types.ts';
import { MARK_BYTES, RECORD_HEADER_BYTES } from '../../../src/store/journal/record.ts';
import { scanJournal } from '../../../src/store/journal/scan.ts';
import { confirmed, openJournal } from './open-journal.ts';
import { type RecordedRun, recordedRun } from './recorded-run.ts';

let run: RecordedRun;

beforeAll(async () => {
  run = await recordedRun(true);
});

function recordAt(segment: number, byte: number): PlacedRecord | undefined {
  return run.records.find(({ position, bytes }) => {
    return position.segment === segment && position.offset <= byte && byte < position.offset + bytes;
  });
}

function without(victim: PlacedRecord | undefined): readonly string[] {
  return run.records.filter((record) => record !== victim).map(({ text }) => text);
}

describe('damage before the last confirmed flush', () => {
  it('[JR6] one bit at every byte: loses or moves nothing intact, and names the log while its header survives', async () => {
    for (const segment of run.segments) {
      const size = run.disk.bytes(segmentName(segment)).length;
      for (let byte = 0; byte < size; byte++) {
        const where = `bit of ${segment}/${byte}`;
        const disk = run.disk.copy();
        disk.flipBit(segmentName(segment), byte, byte % 8);
        const spoilt = disk.bytes(segmentName(segment));
        const { texts, recovery } = await openJournal(disk);
        const victim = recordAt(segment, byte);
        expect(texts, where).toEqual(without(victim));
        if (victim === undefined) continue;
        const { offset } = victim.position;
        const [damage, ...others] = recovery.damages;
        expect(others, where).toEqual([]);
        expect(damage, where).toEqual({
          from: victim.position,
          to: { segment, offset: offset + victim.bytes },
          logIds: byte < offset + RECORD_HEADER_BYTES ? [] : [victim.logId],
          unknown: byte < offset + RECORD_HEADER_BYTES,
        });
        expect(recovery.torn, where).toBeNull();
        expect(Buffer.compare(disk.bytes(segmentName(segment)), spoilt), where).toBe(0);
      }
    }
  });

  it('[JR6] a lost mark loses no record', async () => {
    const disk = run.disk.copy();
    disk.flipBit(segmentName(2), 5, 0);
    const { texts, recovery } = await openJournal(disk);
    expect(texts).toEqual(without(undefined));
    const [from, to] = [0, MARK_BYTES].map((offset) => ({ segment: 2, offset }));
    expect(recovery.damages).toEqual([{ from, to, logIds: [], unknown: false }]);
  });

  it('[JR6] a blank page in the middle is damage, not the end', async () => {
    for (const segment of run.segments) {
      const bytes = run.disk.bytes(segmentName(segment));
      for (let from = 0; from < bytes.length; from += 16) {
        const to = from + 128;
        const disk = run.disk.copy();
        disk.replace(segmentName(segment), bytes.slice().fill(0, from, to));
        const { texts, recovery } = await openJournal(disk);
        const healthy = run.records.filter(({ position, bytes: length }) => {
          return position.segment !== segment || position.offset + length <= from || position.offset >= to;
        });
        const where = `zeros from ${segment}/${from}`;
        // At the end of the last segment damage looks like an unconfirmed flush.
        const isTail = segment === 3 && recovery.torn !== null;
        if (isTail) expect(texts, where).toEqual(upTo(healthy, from));
        else expect(texts, where).toEqual(healthy.map(({ text }) => text));
        if (!isTail && healthy.length < run.records.length) expect(recovery.damages.length, where).toBeGreaterThan(0);
      }
    }
  });

  it('[JR6] the next flush number reveals a segment that lost its end, or all of it', async () => {
    const size = run.disk.bytes(segmentName(2)).length;
    for (let cut = 0; cut < size; cut++) {
      const disk = run.disk.copy();
      disk.cutAt(segmentName(2), cut);
      const { texts, recovery } = await openJournal(disk);
      const isLost = ({ position, bytes }: PlacedRecord) => position.segment === 2 && position.offset + bytes > cut;
      expect(texts, `cut at ${cut}`).toEqual(run.records.filter((record) => !isLost(record)).map(({ text }) => text));
      const named = recovery.damages.flatMap(({ logIds }) => logIds);
      const isUnknown = recovery.damages.some(({ unknown }) => unknown);
      for (const { logId } of run.records.filter(isLost)) expect(isUnknown || named.includes(logId)).toBe(true);
    }
    const disk = run.disk.copy();
    disk.erase(segmentName(2));
    const { recovery } = await openJournal(disk);
    expect(recovery.damages).toMatchObject([{ to: { segment: 3, offset: 0 }, logIds: [], unknown: true }]);
  });

  it('[JR6] is found again the next time, and appending continues after it', async () => {
    const disk = run.disk.copy();
    const victim = run.records[4];
    if (victim === undefined) throw new Error('there are records');
    disk.flipBit(segmentName(victim.position.segment), victim.position.offset + victim.bytes - 1, 3);
    const first = await openJournal(disk);
    await confirmed(first.journal, 'more');
    await first.journal.close();
    const second = await openJournal(disk);
    expect(second.texts).toEqual([...without(victim), 'more']);
    expect(second.recovery.damages).toEqual(first.recovery.damages);
  });

  it('[JR6] names each of several damaged places', async () => {
    const disk = run.disk.copy();
    const victims = [run.records[1], run.records[2], run.records[9]].filter((record) => record !== undefined);
    for (const { position, bytes } of victims) {
      disk.flipBit(segmentName(position.segment), position.offset + bytes - 1, 3);
    }
    const { texts, recovery } = await openJournal(disk);
    expect(texts).toEqual(run.records.filter((record) => !victims.includes(record)).map(({ text }) => text));
    const [first, second, third] = victims;
    expect(recovery.damages).toEqual([
      {
        from: first?.position,
        to: { segment: 1, offset: (second?.position.offset ?? 0) + (second?.bytes ?? 0) },
        logIds: [...new Set([first?.logId, second?.logId])],
        unknown: false,
      },
      expect.objectContaining({ from: third?.position, logIds: [third?.logId] }),
    ]);
  });

  it('[JR12] the last flush of a closed journal is not torn when a bit flips', async () => {
    const last = run.records.at(-1);
    if (last === undefined) throw new Error('there are records');
    const disk = run.disk.copy();
    disk.flipBit(segmentName(last.position.segment), last.position.offset + last.bytes - 1, 3);
    const { recovery } = await openJournal(disk);
    expect(recovery.torn).toBeNull();
    expect(recovery.damages).toMatchObject([{ from: last.position, logIds: [last.logId] }]);
  });

  it('[JR6] a live journal finds it, even in its last flush', async () => {
    const disk = run.disk.copy();
    const { journal } = await openJournal(disk);
    const [appended] = await confirmed(journal, 'spoilt');
    const { segment, offset } = appended?.position ?? { segment: 0, offset: 0 };
    const sound = await scanJournal(disk, { until: journal.end });
    expect(sound).toMatchObject({ records: run.records.length + 1, damages: [] });
    disk.flipBit(segmentName(segment), offset + RECORD_HEADER_BYTES, 0);
    const spoilt = await scanJournal(disk, { until: journal.end });
    expect(spoilt).toMatchObject({ records: run.records.length, damages: [{ from: { segment, offset } }] });
  });

  it('[JR6] inspecting changes nothing', async () => {
    const disk = run.disk.copy();
    disk.cutAt(segmentName(3), 50);
    const seen = disk.names().map((name) => disk.bytes(name));
    const scanned = await scanJournal(disk);
    expect(scanned.torn).not.toBeNull();
    expect(disk.names().map((name) => disk.bytes(name))).toEqual(seen);
    expect(disk.events).toEqual([]);
  });
});

function upTo(healthy: readonly PlacedRecord[], offset: number): readonly string[] {
  return healthy.filter(({ position }) => position.segment < 3 || position.offset < offset).map(({ text }) => text);
}
