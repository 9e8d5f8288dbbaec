// Writes nobody waits for can fail, and confirmed data can be lost: both are reported.

import { expect, it } from 'vitest';
import { MemoryIndex } from '../../src/store/index/memory-index.ts';
import { textUnit } from '../support/sample-records.ts';
import { SimDisk } from '../support/sim-disk.ts';
import { durably, seqs } from './contract/read-store.ts';
import { fill } from './sample-store.ts';
import { openSimStore } from './sim-store.ts';

it('[L10, DS3] reports a failed write nobody waits for once, and rejects later appends', async () => {
  const disk = new SimDisk();
  const { store } = await openSimStore(disk);
  const [first = ''] = await fill(store, 2);
  const told: string[] = [];
  store.onFailure((error) => told.push(error.message));
  disk.fail({ operation: 'sync', nth: 1, code: 'EIO' });
  await store.saveCursors([{ agent_id: 'bob', session_id: first, epoch: 1, seq: 2, beyond: [] }]);
  await expect.poll(() => told.length).toBe(1);
  expect(told[0]).toContain('EIO');
  const { token } = (await store.position(first)) ?? { token: null };
  const late = store.append(first, token, textUnit(first, 11));
  expect((await late.outcome).kind).toBe('failed');
  expect(await seqs(store, first)).toHaveLength(10);
  expect(told).toHaveLength(1);
  await store.close();
});

it('[DS2] marks logs as damaged from where the journal lost what the index confirms', async () => {
  const disk = new SimDisk();
  const index = new MemoryIndex();
  const { store } = await openSimStore(disk, { index, segmentBytes: 4 * 1024 });
  const ids = await fill(store, 4);
  await store.close();
  const segments = disk.names().filter((name) => name.endsWith('.journal'));
  expect(segments.length).toBeGreaterThan(2);
  disk.erase(segments.at(-1) ?? '');
  const { store: again, recovery } = await openSimStore(disk, { index, segmentBytes: 4 * 1024 });
  expect(recovery.damagedLogs.length).toBeGreaterThan(0);
  for (const { log_id, damaged_from } of recovery.damagedLogs) {
    expect(await seqs(again, log_id)).toEqual(Array.from({ length: damaged_from - 1 }, (_, i) => i + 1));
    const { token } = (await again.position(log_id)) ?? { token: null };
    expect(await again.append(log_id, token, textUnit(log_id, damaged_from)).outcome).toEqual({ kind: 'conflict' });
  }
  const sound = ids.filter((id) => !recovery.damagedLogs.some(({ log_id }) => log_id === id));
  for (const id of sound) {
    const { token, seq } = (await again.position(id)) ?? { token: null, seq: 0 };
    if ((await again.head(id))?.head.state !== 'CLOSED') await durably(again, id, token, textUnit(id, seq + 1));
  }
  await again.close();
});
