// A data folder describes itself; newer and unknown formats are rejected.

import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { picture } from './sample-store.ts';

const golden = join(import.meta.dirname, 'golden');
let data: string;

beforeEach(async () => {
  data = join(tempFolder('format'), 'data');
  await cp(join(golden, 'format-1'), data, { recursive: true });
});

describe('a data folder', () => {
  it('[DS26] of format 1 reads as it was written', async () => {
    expect(await opened(data)).toEqual(JSON.parse(await readFile(join(golden, 'format-1.json'), 'utf8')));
    expect(JSON.parse(await readFile(join(data, 'parley.json'), 'utf8')).format).toBe(1);
  });

  it('[DS26] of a newer format is rejected in one sentence and not changed', async () => {
    const path = join(data, 'parley.json');
    await writeFile(path, JSON.stringify({ format: 2, journal_id: 'x', more: [] }));
    const before = await readdir(data);
    await expect(openStore(data)).rejects.toMatchObject({
      code: 'data_too_new',
      message: `data folder ${data} has format 2, but this program knows formats up to 1; use the program that wrote it, or a newer one`,
    });
    expect((await readdir(data)).filter((name) => name !== 'lock')).toEqual(before);
    expect(await readFile(path, 'utf8')).toContain('"format":2');
  });

  it('[DS26] without a valid description is rejected', async () => {
    await expect(withoutName()).rejects.toMatchObject({ code: 'bad_data_folder' });
    for (const text of ['', '{', '{"format":-1,"journal_id":""}', '{"format":"one","journal_id":""}', '[]']) {
      await writeFile(join(data, 'parley.json'), text);
      await expect(openStore(data), text).rejects.toMatchObject({ code: 'bad_data_folder' });
    }
  });

  it('[DS27] with journal files outside its journal folder is rejected and not changed', async () => {
    const journal = join(data, 'journal');
    for (const name of await readdir(journal)) await rename(join(journal, name), join(data, name));
    await rm(journal, { recursive: true });
    const before = await filesIn(data);
    await expect(withoutName()).rejects.toMatchObject({ code: 'bad_data_folder' });
    expect(await filesIn(data)).toEqual({ ...before, 'parley.json': undefined });
  });

  it('[DS27] of a format that no released version wrote is rejected and not changed', async () => {
    await writeFile(join(data, 'parley.json'), '{"format":0,"journal_id":""}');
    const before = await filesIn(join(data, 'journal'));
    await expect(openStore(data)).rejects.toMatchObject({ code: 'bad_data_folder' });
    expect(await filesIn(join(data, 'journal'))).toEqual(before);
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

async function filesIn(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile() && entry.name !== 'lock') found[entry.name] = await readFile(join(folder, entry.name), 'hex');
  }
  return found;
}
