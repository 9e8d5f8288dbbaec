import { spawnSync } from 'node:child_process';
import { constants } from 'node:fs';
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { segmentName } from '../../../src/store/journal/files.ts';
import { Journal } from '../../../src/store/journal/journal.ts';
import type { PlacedRecord } from '../../../src/store/journal/journal-types.ts';
import { realFiles } from '../../../src/store/journal/real-files.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { confirmed, openJournal } from './open-journal.ts';

let folder: string;

beforeEach(async () => {
  folder = tempFolder('journal');
});

describe('a journal on a real disk', () => {
  it('[JR10] rolls over segments, reads by position and opens again', async () => {
    const files = await realFiles(join(folder, 'made', 'deep'));
    const first = await openJournal(files, { segmentBytes: 4_096 });
    const texts = Array.from({ length: 200 }, (_, i) => `{"number":${i},"pad":"${'é'.repeat(i)}"}`);
    const appended = texts.map((text) => first.journal.append('unit', 'f'.repeat(32), text));
    for (const { outcome } of appended) expect(await outcome).toEqual({ kind: 'durable' });
    const records = await first.journal.readMany(appended.map(({ position }) => position));
    expect(records.map(({ text }) => text)).toEqual(texts);
    await confirmed(first.journal, 'x'.repeat(100_000));
    await first.journal.close();
    const second = await openJournal(files, { segmentBytes: 4_096 });
    expect(second.texts).toEqual([...texts, 'x'.repeat(100_000)]);
    expect(second.recovery).toMatchObject({ torn: null, damages: [] });
    await second.journal.close();
  });

  it('[JR5] cuts a torn flush', async () => {
    const files = await realFiles(folder);
    const { journal } = await openJournal(files);
    const [, two] = await confirmed(journal, 'one', 'two');
    const path = join(folder, segmentName(1));
    const torn = (await readFile(path)).subarray(0, (two?.position.offset ?? 0) + 15);
    await journal.close();
    await writeFile(path, torn);
    const again = await openJournal(files);
    expect(again.texts).toEqual(['one']);
    expect(again.recovery.torn).toEqual({ at: two?.position, bytes: 15 });
    await again.journal.close();
  });

  it('[JR2] writes chunks in place, however many the system accepts', async () => {
    const files = await realFiles(folder);
    const file = await files.open('chunks', { create: true });
    const chunks = Array.from({ length: 3_000 }, (_, i) => new Uint8Array(i % 5).fill(i));
    await file.write(3, chunks);
    await file.write(0, [new Uint8Array([1, 2, 3])]);
    await file.write(0, []);
    await file.write(0, [new Uint8Array()]);
    await file.sync();
    expect(Buffer.from(await file.read(0, 100_000))).toEqual(Buffer.concat([Buffer.from([1, 2, 3]), ...chunks]));
    expect(await file.size()).toBe(3 + chunks.reduce((sum, { length }) => sum + length, 0));
    await file.truncate(2);
    expect(await file.read(0, 10)).toEqual(Buffer.from([1, 2]));
    await file.close();
    await expect(files.open('chunks', { create: true })).rejects.toMatchObject({ code: 'EEXIST' });
    await files.rename('chunks', 'renamed');
    expect(await files.list()).toEqual(['renamed']);
    await files.remove('renamed');
    await files.syncFolder();
    expect(await files.list()).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('[JR2] writes a flush through to disk in one step', async () => {
    const descriptors = async () => {
      const numbers = await readdir('/proc/self/fd');
      const lines = numbers.map(async (fd) => {
        const target = await readlink(`/proc/self/fd/${fd}`).catch(() => '');
        return target.startsWith(folder) ? await readFile(`/proc/self/fdinfo/${fd}`, 'utf8') : '';
      });
      const flags = (await Promise.all(lines)).flatMap((text) => /flags:\s*(\d+)/.exec(text)?.[1] ?? []);
      return flags.map((octal) => (Number.parseInt(octal, 8) & constants.O_DSYNC) !== 0).sort();
    };
    const files = await realFiles(folder);
    const file = await files.open('flushed', { create: true, through: true });
    expect(await descriptors()).toEqual([false, true]);
    await files.rename('flushed', 'renamed');
    await file.write(0, [new Uint8Array(8)]);
    await file.writeThrough?.(2, [new Uint8Array([1, 2])]);
    expect(await readFile(join(folder, 'renamed'))).toEqual(Buffer.from([0, 0, 1, 2, 0, 0, 0, 0]));
    await file.close();
    expect(await descriptors()).toEqual([]);
    await expect(files.open('missing', { through: true })).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('[JR12] closes a file after all pending writes', async () => {
    const files = await realFiles(folder);
    const file = await files.open('slow', { create: true });
    const done: string[] = [];
    const bytes = new Uint8Array(32 * 1024 * 1024).fill(7);
    const writing = file.write(0, [bytes]).then(() => done.push('written'));
    const closing = file.close().then(() => done.push('closed'));
    await Promise.all([writing, closing]);
    expect(done).toEqual(['written', 'closed']);
  });

  it('[JR9] fails the flush on a full disk (ulimit -f) and keeps what was confirmed', async () => {
    const script = join(import.meta.dirname, 'fill-disk.ts');
    const command = `ulimit -f 64 && exec "$0" --import tsx "${script}" "${folder}"`;
    const child = spawnSync('bash', ['-c', command, process.execPath], { encoding: 'utf8' });
    expect(child.stderr).toBe('');
    const { confirmed: acked, failed } = JSON.parse(child.stdout);
    expect(acked.length).toBeGreaterThan(10);
    expect(failed).toEqual({ code: 'journal_failed', cause: 'EFBIG', later: 'failed', read: acked[0] });
    const found: string[] = [];
    const onRecord = ({ text }: PlacedRecord): void => void found.push(text);
    const { journal } = await Journal.open(await realFiles(folder), { segmentBytes: 1024 * 1024, onRecord });
    expect(found.slice(0, acked.length)).toEqual(acked);
    await confirmed(journal, 'there is room again');
    await journal.close();
  });
});
