// Repair, restore, archive and a lost index in sequence: each must respect the others.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DurableStore } from '../../../src/store/durable-store.ts';
import { MemoryIndex } from '../../../src/store/index/memory-index.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { restoreBackup } from '../../../src/store/restore.ts';
import { createdUnit, hubUnit, textUnit } from '../../support/sample-records.ts';
import { SimDisk } from '../../support/sim-disk.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { durably, seqs } from '../contract/read-store.ts';
import { damageUnit } from '../damage-unit.ts';
import { AN_HOUR_LATER, sessionId } from '../sample-store.ts';
import { openSimStore } from '../sim-store.ts';

const [L, M] = [sessionId('L'), sessionId('M')];
const archiveAll = { endedBefore: AN_HOUR_LATER };
let root: string;
let data: string;
let store: DurableStore;

beforeEach(async () => {
  root = tempFolder('combined');
  data = join(root, 'data');
  await open();
});

afterEach(async () => {
  await store.close();
});

async function open(folder = data): Promise<void> {
  ({ store } = await openStore(folder, { segmentBytes: 32 * 1024 }));
}

async function reopen({ index }: { index: 'kept' | 'lost' }): Promise<void> {
  await store.close();
  if (index === 'lost') await rm(join(data, 'index'), { recursive: true });
  await open();
}

async function say(id: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { token, seq } = (await store.position(id)) ?? { token: null, seq: 0 };
    await durably(store, id, token, seq === 0 ? createdUnit(id) : textUnit(id, seq + 1));
  }
}

async function close(id: string): Promise<void> {
  const { token, seq } = (await store.position(id)) ?? { token: null, seq: 0 };
  await durably(store, id, token, hubUnit(id, seq + 1, 'session.closed', { reason: 'done' }));
}

async function sound(id: string): Promise<unknown> {
  const head = await store.head(id);
  return { seqs: await seqs(store, id), state: head?.head.state, damaged: head?.damaged_from, epoch: head?.epoch };
}

describe('combined maintenance', () => {
  it('[DS22, DS23] a repaired, ended and archived log is the same without the index', async () => {
    await say(L, 10);
    await damage(L, 4);
    expect(await store.repair()).toMatchObject([{ log_id: L, kept_seq: 3 }]);
    await say(L, 1);
    await close(L);
    const shown = await sound(L);
    await store.archive(archiveAll);
    expect(await sound(L)).toEqual(shown);
    expect((await store.verify()).problems).toEqual([]);
    await reopen({ index: 'lost' });
    expect(await sound(L)).toEqual(shown);
  });

  it('[DS22, DS23] a repaired archived log continues and is not archived again', async () => {
    await say(L, 5);
    await close(L);
    await store.archive(archiveAll);
    await damage(L, 6);
    expect(await store.repair()).toMatchObject([{ log_id: L, kept_seq: 5 }]);
    await say(L, 2);
    await say(M, 3);
    await close(M);
    await store.archive(archiveAll);
    const shown = await sound(L);
    expect(shown).toMatchObject({ seqs: [1, 2, 3, 4, 5, 6, 7], damaged: null });
    for (const index of ['kept', 'lost'] as const) {
      await reopen({ index });
      expect(await sound(L)).toEqual(shown);
    }
  });

  it('[DS20, DS22] no two histories of a log have the same epoch', async () => {
    await say(L, 3);
    await store.backup(join(root, 'copy'));
    const epochs = new Set<unknown>([(await store.head(L))?.epoch]);
    await damage(L, 3);
    epochs.add((await store.repair())[0]?.epoch);
    for (const name of ['one', 'two']) {
      await restoreBackup(join(root, 'copy'), join(root, name));
      await store.close();
      await open(join(root, name));
      epochs.add((await store.head(L))?.epoch);
    }
    expect(epochs.size).toBe(4);
  });

  it('[DS20, DS23] a restored log keeps its epoch when archived, compacted and without the index', async () => {
    await say(L, 5);
    await say(M, 5);
    await store.backup(join(root, 'copy'));
    await store.close();
    await restoreBackup(join(root, 'copy'), join(root, 'restored'));
    data = join(root, 'restored');
    await open();
    await close(L);
    const shown = [await sound(L), await sound(M)];
    await store.archive(archiveAll);
    await reopen({ index: 'lost' });
    expect([await sound(L), await sound(M)]).toEqual(shown);
  });

  it('[ST15, DS23] cursors, including dropped ones, survive archiving and a lost index', async () => {
    const cursor = { agent_id: 'bob', session_id: M, epoch: 1, seq: 2, beyond: [] };
    await say(L, 3);
    await say(M, 3);
    await store.saveCursors([cursor, { ...cursor, agent_id: 'carol' }]);
    await store.dropCursors([cursor]);
    await close(L);
    await store.archive(archiveAll);
    await reopen({ index: 'lost' });
    expect(await store.loadCursors('bob')).toEqual([]);
    expect(await store.loadCursors('carol')).toEqual([{ ...cursor, agent_id: 'carol' }]);
  });

  it('[ST19, DS23] finds the newer of two sessions under one key, even if the older was archived later', async () => {
    await durably(store, L, null, createdUnit(L, { create_key: 'key' }));
    await durably(store, M, null, createdUnit(M, { create_key: 'key' }));
    await close(M);
    await store.archive(archiveAll);
    await close(L);
    await reopen({ index: 'lost' });
    expect((await store.createdUnder('alice', 'key'))?.session_id).toBe(M);
  });

  it('[DS23] archives a log of many units completely', async () => {
    await say(L, 300);
    await close(L);
    const shown = await store.read(L, { from_seq: 1, limit: 1000 });
    expect(await store.archive(archiveAll)).toMatchObject({ sessions: 1 });
    expect(await store.read(L, { from_seq: 1, limit: 1000 })).toEqual(shown);
    await reopen({ index: 'lost' });
    expect(await store.read(L, { from_seq: 1, limit: 1000 })).toEqual(shown);
  });
});

describe('an index that cannot be written', () => {
  class FailingOnce extends MemoryIndex {
    isFailing = false;
    override async write(changes: ReadonlyMap<string, Uint8Array | null>): Promise<void> {
      if (!this.isFailing) return super.write(changes);
      this.isFailing = false;
      throw new Error('ENOSPC');
    }
  }

  it.each(['beside the hub', 'in its care'])(
    '[L1, L10, DS3] %s stops the store, and nothing acked is missing afterwards',
    async (when) => {
      const disk = new SimDisk();
      const index = new FailingOnce();
      const { store: failing } = await openSimStore(disk, { index });
      const failed = new Promise((resolve) => failing.onFailure(resolve));
      index.isFailing = true;
      const token = await durably(failing, L, null, createdUnit(L));
      if (when === 'in its care') await expect(failing.verify()).rejects.toThrow('ENOSPC');
      await failed;
      expect((await failing.append(L, token, textUnit(L, 2)).outcome).kind).toBe('failed');
      await failing.close();
      const { store: again } = await openSimStore(disk, { index });
      expect(await seqs(again, L)).toEqual([1]);
      expect((await again.verify()).problems).toEqual([]);
      await again.close();
    },
  );
});

async function damage(id: string, seq: number): Promise<void> {
  await store.close();
  await damageUnit(data, id, seq);
  await open();
}
