// Maintenance of a data folder: backup, repair, archive, verify.

import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DurableStore } from '../../../src/store/durable-store.ts';
import { MemoryIndex } from '../../../src/store/index/memory-index.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { StoreRecovery } from '../../../src/store/recover.ts';
import { restoreBackup } from '../../../src/store/restore.ts';
import { createdUnit, textUnit } from '../../support/sample-records.ts';
import { SimDisk } from '../../support/sim-disk.ts';
import { itDeep } from '../../support/size.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { durably, seqs } from '../contract/read-store.ts';
import { damageUnit } from '../damage-unit.ts';
import { AN_HOUR_LATER, fill, picture, sessionId } from '../sample-store.ts';
import { openSimStore } from '../sim-store.ts';
import { eachCutOff } from './interrupted-archive.ts';

const segmentBytes = 32 * 1024;
let root: string;
let data: string;
const opened: DurableStore[] = [];

beforeEach(async () => {
  root = tempFolder('maintenance');
  data = join(root, 'data');
});

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

async function open(folder = data): Promise<DurableStore> {
  return (await openAll(folder)).store;
}

async function openAll(folder = data): Promise<{ store: DurableStore; recovery: StoreRecovery }> {
  const result = await openStore(folder, { segmentBytes });
  opened.push(result.store);
  return result;
}

/** Closed and reopened, with or without its index. */
async function again(store: DurableStore, { index }: { index: 'kept' | 'lost' }, folder = data): Promise<DurableStore> {
  await store.close();
  if (index === 'lost') await rm(join(folder, 'index'), { recursive: true });
  return open(folder);
}

/** A store with sessions, and their ids. */
async function filled(sessions: number, said?: number): Promise<{ store: DurableStore; ids: readonly string[] }> {
  const store = await open();
  return { store, ids: await fill(store, sessions, said) };
}

/** Two sessions; the second is damaged from this seq on, and the store is closed. */
async function damagedFrom(seq: number): Promise<string> {
  const { store, ids } = await filled(2);
  const [, second = ''] = ids;
  await store.close();
  await damageUnit(data, second, seq);
  return second;
}

/** A time: no other history of the log has had it. */
const anotherEpoch = expect.toSatisfy((epoch: number) => epoch > 1_700_000_000);

const withEpoch = (shown: object, epoch: unknown): object => {
  const { sessions, ...rest } = shown as { sessions: readonly object[] };
  return { ...rest, sessions: sessions.map((session) => ({ ...session, epoch })) };
};

describe('a backup', () => {
  it('[DS20] holds everything confirmed before it began and restores to the same in a new epoch', async () => {
    const { store } = await filled(6);
    const shown = await picture(store);
    const progress: { bytes: number; of: number }[] = [];
    const { bytes } = await store.backup(join(root, 'copy'), { onProgress: (at) => progress.push(at) });
    expect(progress.at(-1)).toEqual({ bytes, of: bytes });
    await restoreBackup(join(root, 'copy'), join(root, 'restored'));
    const restored = await open(join(root, 'restored'));
    expect(await picture(restored)).toEqual(withEpoch(shown, anotherEpoch));
  });

  it('[DS20] taken while the hub writes is a prefix of every log in whole units', async () => {
    const { store, ids } = await filled(4, 20);
    const before = new Map(await Promise.all(ids.map(async (id) => [id, (await seqs(store, id)).length] as const)));
    const live = ids.filter((_, i) => i % 2 === 1);
    let isDone = false;
    const writing = live.map(async (id) => {
      for (let seq = before.get(id) ?? 0; !isDone; seq += 3) {
        const token = (await store.position(id))?.token ?? null;
        await durably(store, id, token, textUnit(id, seq + 1, 3));
      }
    });
    await store.backup(join(root, 'copy'));
    isDone = true;
    await Promise.all(writing);
    await restoreBackup(join(root, 'copy'), join(root, 'restored'));
    const restored = await open(join(root, 'restored'));
    for (const id of ids) {
      const everything = { from_seq: 1, limit: 10_000 };
      const [kept, all] = [await restored.read(id, everything), await store.read(id, everything)];
      expect(kept).toEqual(all.slice(0, kept.length));
      expect(kept.length).toBeGreaterThanOrEqual(before.get(id) ?? 0);
      expect((kept.length - (before.get(id) ?? 0)) % 3).toBe(0);
    }
    expect((await restored.verify()).problems).toEqual([]);
  });

  it('[DS20] sessions created after a restore have their own epoch, even without the index', async () => {
    const { store } = await filled(2);
    await store.backup(join(root, 'copy'));
    await restoreBackup(join(root, 'copy'), join(root, 'restored'));
    let restored = await open(join(root, 'restored'));
    await durably(restored, sessionId('new'), null, createdUnit(sessionId('new')));
    restored = await again(restored, { index: 'lost' }, join(root, 'restored'));
    expect((await restored.head(sessionId('1')))?.epoch).toEqual(anotherEpoch);
    expect((await restored.head(sessionId('new')))?.epoch).toBe(1);
  });

  it('[DS21] leaves nothing behind on failure; an interrupted one is recognised', async () => {
    const { store } = await filled(20);
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const onProgress = () => {
      throw full;
    };
    await expect(store.backup(join(root, 'copy'), { onProgress })).rejects.toBe(full);
    expect(await readdir(join(root, 'copy'))).toEqual([]);
    await store.backup(join(root, 'copy'));
    await rm(join(root, 'copy', 'parley-backup.json'));
    await expect(store.backup(join(root, 'copy'))).rejects.toThrow('holds an interrupted backup; delete it');
  });

  it('[DS21] is written only to an empty folder, opened only by restoring, and restored only if complete', async () => {
    const { store } = await filled(2);
    await writeFile(join(root, 'mine.txt'), 'mine');
    await expect(store.backup(root)).rejects.toMatchObject({ code: 'folder_not_empty' });
    expect(await readFile(join(root, 'mine.txt'), 'utf8')).toBe('mine');
    await store.backup(join(root, 'copy'));
    await expect(openStore(join(root, 'copy'))).rejects.toMatchObject({ code: 'is_backup' });
    await expect(restoreBackup(data, join(root, 'new'))).rejects.toMatchObject({ code: 'not_a_backup' });
    await expect(restoreBackup(join(root, 'copy'), data)).rejects.toMatchObject({ code: 'folder_not_empty' });
    await rm(join(root, 'copy', 'parley-backup.json'));
    await expect(restoreBackup(join(root, 'copy'), join(root, 'new'))).rejects.toMatchObject({ code: 'not_a_backup' });
  });
});

describe('a damaged backup', () => {
  it('[DS21] is not restored: a file is short, missing, changed or of a newer format', async () => {
    const { store } = await filled(6);
    const copy = join(root, 'copy');
    await store.backup(copy);
    const path = join(copy, 'journal', (await readdir(join(copy, 'journal')))[0] ?? '');
    const [sound, mark] = [await readFile(path), await readFile(join(copy, 'parley-backup.json'), 'utf8')];
    const changed = Buffer.from(sound);
    changed[100] = (changed[100] ?? 0) ^ 1;
    for (const bytes of [sound.subarray(0, sound.length - 1), changed]) {
      await writeFile(path, bytes);
      await expect(restoreBackup(copy, join(root, 'new'))).rejects.toMatchObject({ code: 'backup_damaged' });
    }
    await rm(path);
    await expect(restoreBackup(copy, join(root, 'new'))).rejects.toMatchObject({ code: 'backup_damaged' });
    await writeFile(path, sound);
    await writeFile(join(copy, 'parley-backup.json'), mark.replace('"format":1', '"format":7'));
    await expect(restoreBackup(copy, join(root, 'new'))).rejects.toMatchObject({ code: 'data_too_new' });
    await writeFile(join(copy, 'parley-backup.json'), mark);
    await restoreBackup(copy, join(root, 'new'));
  });
});

describe('repair', () => {
  it('[DS22] truncates a damaged log to its intact part in a new epoch; it continues, even without the index', async () => {
    const second = await damagedFrom(6);
    let store = await again(await open(), { index: 'lost' });
    expect((await store.head(second))?.damaged_from).toBe(6);
    expect(await seqs(store, second)).toEqual([1, 2, 3, 4, 5]);
    expect(await store.repair()).toEqual([{ log_id: second, kept_seq: 5, epoch: anotherEpoch }]);
    const token = (await store.position(second))?.token ?? null;
    await durably(store, second, token, textUnit(second, 6, 2));
    for (const index of ['kept', 'lost'] as const) {
      store = await again(store, { index });
      expect(await store.head(second)).toMatchObject({ epoch: anotherEpoch, damaged_from: null, head: { seq: 7 } });
      expect(await seqs(store, second)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(await seqs(store, sessionId('1'))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }
  });

  it('[DS22] erases a log that lost its beginning; its id can be reused', async () => {
    const second = await damagedFrom(1);
    let store = await again(await open(), { index: 'lost' });
    expect(await store.repair([second])).toEqual([{ log_id: second, kept_seq: 0, epoch: anotherEpoch }]);
    expect(await store.position(second)).toBeNull();
    await durably(store, second, null, createdUnit(second));
    store = await again(store, { index: 'lost' });
    expect(await seqs(store, second)).toEqual([1]);
  });

  it('[DS22] finds damage nobody has met yet', async () => {
    const second = await damagedFrom(6);
    const store = await open();
    expect(await store.repair()).toEqual([{ log_id: second, kept_seq: 5, epoch: anotherEpoch }]);
  });

  it('[DS22] rejects a log that is not damaged', async () => {
    const store = await open();
    const [first = ''] = await fill(store, 1);
    await expect(store.repair([first])).rejects.toMatchObject({ code: 'not_damaged' });
    expect(await store.repair()).toEqual([]);
  });
});

describe('the archive', () => {
  itDeep('[DS23] frees disk space and changes nothing visible, even without the index', async () => {
    let store = await open();
    await fill(store, 40, 20);
    const [shown, before] = [await picture(store), await usedBytes()];
    const { sessions, freedBytes } = await store.archive({ endedBefore: AN_HOUR_LATER });
    expect(sessions).toBe(20);
    expect(freedBytes).toBeGreaterThan(0);
    expect(await picture(store)).toEqual(shown);
    expect(await usedBytes()).toBeLessThan(before);
    expect((await store.verify()).problems).toEqual([]);
    for (const index of ['kept', 'lost'] as const) {
      store = await again(store, { index });
      expect(await picture(store)).toEqual(shown);
      expect(await store.verify()).toMatchObject({ problems: [], damages: [] });
    }
    await fill(store, 10, 4, 'later');
    expect(await store.archive({ endedBefore: AN_HOUR_LATER })).toMatchObject({ sessions: 5 });
    const later = await picture(store);
    store = await again(store, { index: 'lost' });
    expect(await picture(store)).toEqual(later);
  });

  it('[DS23] takes only sessions that ended before the time, and leaves no trace if there are none', async () => {
    const { store } = await filled(4);
    const files = await readdir(join(data, 'journal'));
    expect(await store.archive({ endedBefore: '2026-01-01T00:00:00.000Z' })).toMatchObject({ sessions: 0 });
    expect(await readdir(join(data, 'journal'))).toEqual(files);
  });

  itDeep(
    '[DS23] is compressed, reports progress in bytes, and reports a missing file even without the index',
    async () => {
      let store = await open();
      await fill(store, 40, 20);
      const progress: { bytes: number; of: number }[] = [];
      const { freedBytes } = await store.archive({ endedBefore: AN_HOUR_LATER, onProgress: (at) => progress.push(at) });
      const { size } = await stat(join(data, 'journal', 'archive-00000001.journal'));
      expect(freedBytes).toBeGreaterThan(2 * size);
      expect(progress.at(-1)?.bytes).toBe(progress.at(-1)?.of);
      expect(progress.at(-1)?.of).toBeGreaterThan(100_000);
      await fill(store, 4, 4, 'later');
      await store.archive({ endedBefore: AN_HOUR_LATER });
      await store.close();
      await rm(join(data, 'journal', 'archive-00000001.journal'));
      await rm(join(data, 'index'), { recursive: true });
      const { store: again, recovery } = await openAll();
      store = again;
      expect(recovery.damages.length).toBeGreaterThan(0);
    },
  );

  it('[DS23] is invisible to concurrent readers and writers', async () => {
    const { store, ids } = await filled(20, 20);
    const expected = new Map(await Promise.all(ids.map(async (id) => [id, await seqs(store, id)] as const)));
    let isDone = false;
    const reading = (async () => {
      for (let i = 0; !isDone; i++) {
        const id = ids[(i * 7) % ids.length] ?? '';
        expect((await seqs(store, id)).slice(0, 41)).toEqual(expected.get(id)?.slice(0, 41));
      }
    })();
    const live = ids[1] ?? '';
    const writing = (async () => {
      for (let seq = 42; !isDone; seq++) {
        await durably(store, live, (await store.position(live))?.token ?? null, textUnit(live, seq));
      }
    })();
    expect(await store.archive({ endedBefore: AN_HOUR_LATER })).toMatchObject({ sessions: 10 });
    isDone = true;
    await Promise.all([reading, writing]);
    expect((await store.verify()).problems).toEqual([]);
  });

  it('[DS24] interrupted at any moment loses nothing', async () => {
    const disk = new SimDisk();
    const { store } = await openSimStore(disk);
    await fill(store, 8, 6);
    const shown = await picture(store);
    await store.close();
    await eachCutOff(disk, AN_HOUR_LATER, async (after, recovery, when) => {
      expect(await picture(after), when).toEqual(shown);
      expect(recovery.damages).toEqual([]);
      expect((await after.verify()).problems).toEqual([]);
    });
  });
});

describe('verify', () => {
  it('[DS25] ignores logs that begin or grow while it reads', async () => {
    const { store } = await filled(20, 10);
    let isDone = false;
    const writing = (async () => {
      for (let i = 0; !isDone; i++) await fill(store, 2, 1, `w${i}-`);
    })();
    for (let i = 0; i < 10; i++) expect((await store.verify()).problems).toEqual([]);
    isDone = true;
    await writing;
  });

  it('[DS25] finds nothing in an intact folder, and names disagreements with the journal', async () => {
    const disk = new SimDisk();
    const index = new MemoryIndex();
    let { store } = await openSimStore(disk, { index });
    const [first = '', second = ''] = await fill(store, 2);
    expect(await store.verify()).toMatchObject({ logs: 2, damages: [], problems: [] });
    await store.close();
    const key = `s\n${first}`;
    const record = JSON.parse(Buffer.from(index.get(key) ?? []).toString());
    await index.write(
      new Map([[key, Buffer.from(JSON.stringify({ ...record, head: { ...record.head, type: 'other' } }))]]),
    );
    ({ store } = await openSimStore(disk, { index }));
    expect((await store.verify()).problems).toEqual([
      { log_id: first, problem: 'folding it again gives another head than the index has' },
    ]);
    const name = disk.names().find((each) => each.endsWith('.journal')) ?? '';
    disk.flipBit(name, Buffer.from(disk.bytes(name)).lastIndexOf('message 4'), 0);
    const { damages, problems } = await store.verify();
    expect(damages).toHaveLength(1);
    expect(problems.map(({ log_id }) => log_id)).toContain(second);
    await store.close();
  });
});

async function usedBytes(): Promise<number> {
  const folder = join(data, 'journal');
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
