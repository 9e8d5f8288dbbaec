// Damage no log needs: it is named, quarantined with a copy, and no problem from then on.

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DurableStore } from '../../../src/store/durable-store.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { restoreBackup } from '../../../src/store/restore.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { damageRecord, damageUnit } from '../damage-unit.ts';
import { AN_HOUR_LATER, fill } from '../sample-store.ts';

let root: string;
let data: string;
let store: DurableStore;

beforeEach(async () => {
  root = tempFolder('quarantine');
  data = join(root, 'data');
});
afterEach(async () => {
  await store.close();
});

async function open(folder = data) {
  const opened = await openStore(folder, { segmentBytes: 32 * 1024 });
  store = opened.store;
  return opened.recovery;
}

async function reopen({ index }: { index: 'kept' | 'lost' }) {
  await store.close();
  if (index === 'lost') await rm(join(data, 'index'), { recursive: true });
  return open();
}

const rounds = async (): Promise<readonly unknown[]> =>
  (await store.readAudit({ after: 0, limit: 100 })).map(({ detail }) => detail.round);
const lastNumber = async () => (await store.readAudit({ after: 0, limit: 100 })).at(-1)?.number ?? 0;

/** A folder in which the second of four audit records is damaged. */
async function damagedAudit() {
  await open();
  const ids = await fill(store, 2);
  await store.close();
  const record = await damageRecord(data, ({ logId, text }) => logId === 'audit' && text.includes('"round":"1"'));
  await open();
  return { ids, from: record.position, bytes: record.bytes };
}

it('[DS25] verify names a damaged audit record by its position', async () => {
  const { from, bytes } = await damagedAudit();
  const to = { ...from, offset: from.offset + bytes };
  expect((await store.verify()).damages).toEqual([{ from, to, logIds: ['audit'], unknown: false }]);
});

it('[DS34] quarantines it with a copy; the audit continues without it and reports no problem', async () => {
  const { from, bytes } = await damagedAudit();
  const to = from.offset + bytes;
  const name = `damaged-00000001-${from.offset}-${to}.bytes`;
  const there = (await readFile(join(data, 'journal', '00000001.journal'))).subarray(from.offset, to);
  expect(await store.setAside()).toEqual([
    { file: '00000001.journal', begin: from.offset, end: to, logs: ['audit'], others: false, copy: name },
  ]);
  expect(await readFile(join(data, 'journal', name))).toEqual(there);
  expect(await store.setAside()).toEqual([]);
  for (const index of ['kept', 'lost'] as const) {
    expect(await reopen({ index })).toMatchObject({ damages: [], damagedLogs: [] });
    expect(await store.verify()).toMatchObject({ damages: [], problems: [], set_aside: 1 });
    expect(await rounds()).toEqual(['0', '2', '3']);
  }
});

it('[DS34, ST16] never reuses the numbers of damaged audit records, even without the index', async () => {
  await damagedAudit();
  const before = await lastNumber();
  await store.setAside();
  await reopen({ index: 'lost' });
  store.audit({ at: AN_HOUR_LATER, kind: 'round', actor: null, session_id: null, detail: { round: 'new' } });
  expect(await store.readAudit({ after: before, limit: 10 })).toMatchObject([{ detail: { round: 'new' } }]);
});

it('[DS34] does not quarantine what a damaged log needs until it is repaired', async () => {
  await open();
  const [first = '', second = ''] = await fill(store, 2);
  await store.close();
  await damageUnit(data, second, 6);
  await damageUnit(data, first, 4);
  await open();
  await store.repair([first]);
  expect(await store.setAside({ isSome: true })).toMatchObject([{ logs: [first] }]);
  expect((await store.verify()).damages).toMatchObject([{ logIds: [second] }]);
  await store.repair();
  expect(await store.setAside()).toMatchObject([{ logs: [second] }]);
  await reopen({ index: 'lost' });
  expect(await store.verify()).toMatchObject({ damages: [], problems: [], set_aside: 2 });
});

it('[DS34] a restored backup of it has no problem either; archiving leaves it in place', async () => {
  await damagedAudit();
  await store.setAside();
  await store.archive({ endedBefore: AN_HOUR_LATER });
  expect(await store.verify()).toMatchObject({ damages: [], problems: [] });
  await store.backup(join(root, 'copy'));
  await store.close();
  await restoreBackup(join(root, 'copy'), join(root, 'restored'));
  await open(join(root, 'restored'));
  expect(await store.verify()).toMatchObject({ damages: [], problems: [], set_aside: 1 });
  expect(await rounds()).toEqual(['0', '2', '3']);
  expect((await readdir(join(data, 'journal'))).filter((name) => name.startsWith('damaged-'))).toHaveLength(1);
});
