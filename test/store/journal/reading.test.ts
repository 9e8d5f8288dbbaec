import { describe, expect, it } from 'vitest';
import { segmentName } from '../../../src/store/journal/files.ts';
import type { Position } from '../../../src/store/journal/journal-types.ts';
import { seededRandom } from '../../../src/testing/lib/random.ts';
import { SimDisk } from '../../support/sim-disk.ts';
import { confirmed, logOf, openJournal, turn } from './open-journal.ts';
import { patchFiles } from './patched-files.ts';

const NOWHERE: Position = { segment: 9, offset: 0 };

describe('reading by position', () => {
  it('[JR11] returns every record as appended, one by one, together and in any order', async () => {
    const { journal } = await openJournal(new SimDisk());
    const random = seededRandom(7);
    const texts = Array.from(
      { length: 60 },
      (_, i) => `${i} ${'é'.repeat(random.below(random.pick([10, 100, 5_000])))}`,
    );
    const positions = (await confirmed(journal, ...texts)).map(({ position }) => position);
    for (const [i, position] of positions.entries()) {
      expect(await journal.read(position)).toEqual({ kind: 'unit', logId: logOf(texts[i] ?? ''), text: texts[i] });
    }
    const order = Array.from({ length: 100 }, () => random.below(texts.length));
    const records = await journal.readMany(order.map((i) => positions[i] ?? NOWHERE));
    expect(records.map(({ text }) => text)).toEqual(order.map((i) => texts[i]));
    expect(await journal.readMany([])).toEqual([]);
  });

  it('[JR11] reads neighbours together', async () => {
    const disk = new SimDisk();
    let reads = 0;
    const port = patchFiles(disk, {
      file: (file) => ({
        read(position, length) {
          reads += 1;
          return file.read(position, length);
        },
      }),
    });
    const { journal } = await openJournal(port, { segmentBytes: 1024 * 1024 });
    const texts = Array.from({ length: 50 }, (_, i) => `message ${i}`);
    const positions = (await confirmed(journal, ...texts)).map(({ position }) => position);
    reads = 0;
    const records = await journal.readMany(positions);
    expect(records.map(({ text }) => text)).toEqual(texts);
    expect(reads).toBe(1);
  });

  it('[JR11] runs three reads at a time in order, even if some records are damaged', async () => {
    const disk = new SimDisk();
    let [under, most] = [0, 0];
    const port = patchFiles(disk, {
      file: (file) => ({
        async read(position, length) {
          under += 1;
          most = Math.max(most, under);
          await turn();
          under -= 1;
          return file.read(position, length);
        },
      }),
    });
    const { journal } = await openJournal(port, { segmentBytes: 1024 * 1024 });
    const texts = Array.from({ length: 40 }, (_, i) => `message ${i}`);
    const positions = (await confirmed(journal, ...texts)).map(({ position }) => position);
    const [seventh] = positions.slice(7);
    disk.flipBit(segmentName(1), (seventh?.offset ?? 0) + 20, 3);
    most = 0;
    const answered: number[] = [];
    const reads = positions.map(async (position, i) => {
      const record = await journal.read(position).finally(() => answered.push(i));
      return record.text;
    });
    const outcomes = await Promise.allSettled(reads);
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : null))).toEqual(
      texts.map((text, i) => (i === 7 ? null : text)),
    );
    expect(answered).toEqual(texts.map((_, i) => i));
    expect(most).toBe(3);
    expect((await journal.read(positions[1] ?? NOWHERE)).text).toBe('message 1');
  });

  it('[JR11] reads only confirmed records', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    disk.holdSyncs();
    const { position } = journal.append('unit', 'a', 'not yet');
    for (let i = 0; i < 5; i++) await turn();
    await expect(journal.read(position)).rejects.toMatchObject({ code: 'not_confirmed' });
    await expect(journal.readMany([position])).rejects.toMatchObject({ code: 'not_confirmed' });
  });

  it('[JR11] rejects a damaged record with its position and log; reads the others', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    const [one, two, three] = await confirmed(journal, 'one', 'two', 'three');
    const places = [one, two, three].map((appended) => appended?.position ?? NOWHERE);
    disk.flipBit(segmentName(1), (one?.position.offset ?? 0) + 20, 0);
    disk.flipBit(segmentName(1), (two?.position.offset ?? 0) + (two?.bytes ?? 0) - 1, 0);
    await expect(journal.read(places[0] ?? NOWHERE)).rejects.toMatchObject({ position: places[0], logId: null });
    await expect(journal.read(places[1] ?? NOWHERE)).rejects.toMatchObject({
      code: 'damaged_record',
      position: places[1],
      logId: logOf('two'),
    });
    await expect(journal.readMany(places.slice(1))).rejects.toMatchObject({ position: places[1] });
    expect(await journal.read(places[2] ?? NOWHERE)).toMatchObject({ text: 'three' });
  });

  it('[JR11] keeps few files open, however many segments are read concurrently', async () => {
    const disk = new SimDisk();
    let [open, most] = [0, 0];
    const port = patchFiles(disk, {
      file(file) {
        open += 1;
        most = Math.max(most, open);
        return {
          close() {
            open -= 1;
            return file.close();
          },
        };
      },
    });
    const { journal } = await openJournal(port, { segmentBytes: 100 });
    const texts = Array.from({ length: 100 }, (_, i) => `${i} ${'x'.repeat(40)}`);
    const positions = (await confirmed(journal, ...texts)).map(({ position }) => position);
    for (const [i, position] of positions.entries()) expect((await journal.read(position)).text).toBe(texts[i]);
    expect(most).toBeLessThan(40);
    const together = await Promise.all(positions.map((position) => journal.read(position)));
    expect(together.map(({ text }) => text)).toEqual(texts);
    await journal.close();
    expect(open).toBe(0);
  });
});

describe('opening from a checkpoint', () => {
  it('[JR13] can start at every end and every record, and delivers exactly what follows', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    const ends: Position[] = [journal.end];
    const texts: string[] = [];
    for (let flush = 0; flush < 12; flush++) {
      for (let i = 0; i <= flush % 3; i++) {
        const text = `flush ${flush}, record ${i}`;
        texts.push(text);
        journal.append('unit', 'a', text);
      }
      await journal.flushLazy();
      ends.push(journal.end);
    }
    disk.kill();
    const whole = await openJournal(disk.copy());
    expect(whole.texts).toEqual(texts);
    const after = (from: Position) =>
      whole.records.filter(({ position: { segment, offset } }) => {
        return segment > from.segment || (segment === from.segment && offset >= from.offset);
      });
    const places = [...ends, ...whole.records.map(({ position }) => position), ...whole.records.map(endOf)];
    for (const from of places) {
      const copy = disk.copy();
      const expected = after(from).map(({ text }) => text);
      const first = await openJournal(copy, { from });
      expect(first.texts, `from ${from.segment}/${from.offset}`).toEqual(expected);
      expect([first.recovery.torn, first.recovery.damages]).toEqual([null, []]);
      await confirmed(first.journal, 'more');
      copy.kill();
      const second = await openJournal(copy);
      expect(second.texts).toEqual([...texts, 'more']);
      expect(second.recovery.damages).toEqual([]);
    }
  });

  it('[JR13] cuts a torn flush after the checkpoint, even if the checkpoint is within it', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    await confirmed(journal, 'zero');
    const appended = ['one', 'two', 'three'].map((text) => journal.append('unit', 'a', text));
    await journal.flushLazy();
    disk.kill();
    const [one, two] = appended;
    disk.cutAt(segmentName(1), (two?.position.offset ?? 0) + 15);
    const { texts, recovery } = await openJournal(disk, { from: one?.position ?? NOWHERE });
    expect(texts).toEqual(['one']);
    expect(recovery.torn).toEqual({ at: two?.position, bytes: 15 });
  });

  it('[JR13] a checkpoint beyond the journal is damage; new records go after it', async () => {
    const disk = new SimDisk();
    const { journal } = await openJournal(disk);
    await confirmed(journal, 'one', 'two', 'three');
    await journal.close();
    const from = journal.end;
    disk.cutAt(segmentName(1), 50);
    const shorter = await openJournal(disk, { from });
    expect(shorter.recovery.damages).toMatchObject([{ from: { segment: 1, offset: 50 }, to: from, unknown: true }]);
    const [more] = await confirmed(shorter.journal, 'more');
    expect(more?.position.offset).toBeGreaterThan(from.offset);
    disk.erase(segmentName(1));
    const gone = await openJournal(disk, { from });
    expect(gone.recovery.damages).toMatchObject([{ to: from, unknown: true }]);
    expect(gone.recovery.end).toEqual({ segment: 2, offset: 0 });
  });

  it('[JR13] awaits an asynchronous reader and reports progress to the end', async () => {
    const disk = new SimDisk();
    const first = await openJournal(disk);
    await confirmed(first.journal, ...Array.from({ length: 30 }, (_, i) => `number ${i}`));
    await first.journal.close();
    const [seen, progress]: [string[], number[][]] = [[], []];
    await openJournal(disk, {
      async onRecord({ text }) {
        await turn();
        seen.push(text);
      },
      onProgress: ({ bytes, of }) => progress.push([bytes, of]),
    });
    expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => `number ${i}`));
    expect(progress.at(-1)?.[0]).toBe(progress.at(-1)?.[1]);
    expect(progress.length).toBeGreaterThan(1);
  });
});

function endOf({ position, bytes }: { readonly position: Position; readonly bytes: number }): Position {
  return { segment: position.segment, offset: position.offset + bytes };
}
