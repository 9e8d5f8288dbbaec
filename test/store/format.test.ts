// A data folder says what it is: old ones are brought up to date after a copy was put aside, newer ones are refused.

import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { picture } from './sample-store.ts';

const golden = join(import.meta.dirname, 'golden');
let data: string;

beforeEach(async () => {
  data = join(await mkdtemp(join(tmpdir(), 'parley-format-')), 'data');
  await cp(join(golden, 'format-1'), data, { recursive: true });
});

afterEach(() => rm(join(data, '..'), { recursive: true }));

describe('a data folder', () => {
  it('[DS26] of format 1 reads as it was written', async () => {
    expect(await opened(data)).toEqual(JSON.parse(await readFile(join(golden, 'format-1.json'), 'utf8')));
    expect(JSON.parse(await readFile(join(data, 'parley.json'), 'utf8')).format).toBe(1);
  });

  it('[DS26] of a newer format is refused in one sentence, and nothing in it is changed', async () => {
    const path = join(data, 'parley.json');
    await writeFile(path, JSON.stringify({ format: 2, journal_id: 'x', more: [] }));
    const before = await readdir(data);
    await expect(openStore(data)).rejects.toMatchObject({
      code: 'data_too_new',
      message: `data folder ${data} has format 2 and this program knows formats up to 1; use the program that wrote it, or a newer one`,
    });
    expect((await readdir(data)).filter((name) => name !== 'lock')).toEqual(before);
    expect(await readFile(path, 'utf8')).toContain('"format":2');
  });

  it('[DS26] that does not say what it is, is refused', async () => {
    await expect(withoutName()).rejects.toMatchObject({ code: 'bad_data_folder' });
    for (const text of ['', '{', '{"format":-1,"journal_id":""}', '{"format":"one","journal_id":""}', '[]']) {
      await writeFile(join(data, 'parley.json'), text);
      await expect(openStore(data), text).rejects.toMatchObject({ code: 'bad_data_folder' });
    }
  });

  it('[DS27] of an older format is upgraded after a copy of it was put aside', async () => {
    await toFormat0();
    const before = await files(data);
    expect(await opened(data)).toEqual(JSON.parse(await readFile(join(golden, 'format-1.json'), 'utf8')));
    expect(await files(join(data, 'before-format-1'))).toEqual(before);
    expect((await readdir(data)).filter((name) => name.endsWith('.journal'))).toEqual([]);
  });

  it('[DS27] whose upgrade was cut off is upgraded by the next start', async () => {
    await toFormat0();
    const before = await files(data);
    // As far as an upgrade comes before its last step: the copy is there, one of the files has moved.
    await mkdir(join(data, 'before-format-1'));
    for (const name of Object.keys(before)) await cp(join(data, name), join(data, 'before-format-1', name));
    await mkdir(join(data, 'journal'));
    await rename(join(data, '00000001.journal'), join(data, 'journal', '00000001.journal'));
    expect(await opened(data)).toEqual(JSON.parse(await readFile(join(golden, 'format-1.json'), 'utf8')));
    expect(await files(join(data, 'before-format-1'))).toEqual(before);
  });
});

/** The file that names the format is lost. */
async function withoutName(): Promise<unknown> {
  await rm(join(data, 'parley.json'));
  return openStore(data);
}

async function opened(folder: string): Promise<unknown> {
  const { store, recovery } = await openStore(folder);
  const shown = await picture(store);
  await store.close();
  expect(recovery).toMatchObject({ torn: null, damages: [], damagedLogs: [] });
  return JSON.parse(JSON.stringify(shown));
}

/** Format 0 had the journal in the folder itself and no file that said so. */
async function toFormat0(): Promise<void> {
  for (const name of await readdir(join(data, 'journal'))) await rename(join(data, 'journal', name), join(data, name));
  await rm(join(data, 'journal'), { recursive: true });
  await rm(join(data, 'parley.json'));
}

async function files(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile() && entry.name !== 'lock') found[entry.name] = await readFile(join(folder, entry.name), 'hex');
  }
  return found;
}
