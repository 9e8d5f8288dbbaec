import { describe, expect, it } from 'vitest';
import { MAX_AUDIT_RECORDS, MemoryDisk, type StagedUnit } from '../../src/hub/log/memory-disk.ts';
import { MemoryStore } from '../../src/hub/log/memory-store.ts';
import { createdUnit, textUnit, unit } from '../support/sample-records.ts';
import { describeStore } from './contract/describe-store.ts';

class BreakingDisk extends MemoryDisk {
  error: Error | null = null;

  override commit(staged: StagedUnit): boolean {
    if (this.error !== null) throw this.error;
    return super.commit(staged);
  }
}

describeStore(
  'MemoryStore',
  () => {
    let disk = new MemoryDisk();
    const open = async () => {
      disk = new MemoryDisk();
      return new MemoryStore({ disk });
    };
    const reopen = async (store: { close(): Promise<void> }) => {
      await store.close();
      return new MemoryStore({ disk });
    };
    const openHeld = async () => {
      const broken = new BreakingDisk();
      let sync = () => {};
      const schedule = (flush: () => void) => {
        sync = flush;
      };
      const failSync = (error: Error) => {
        broken.error = error;
        sync();
      };
      return { store: new MemoryStore({ disk: broken, schedule }), sync: () => sync(), failSync };
    };
    return { open, reopen, openHeld, cleanup: async () => {} };
  },
  { runs: 1000 },
);

describe('MemoryStore', () => {
  it('[L1] flushes everything appended in one tick together', async () => {
    const flushes: (() => void)[] = [];
    const store = new MemoryStore({ schedule: (flush) => flushes.push(flush) });
    const created = store.append('s1', null, createdUnit('s1'));
    const said = store.append('s1', created.token, textUnit('s1', 2));
    const other = store.append('s2', null, createdUnit('s2'));
    expect(flushes).toHaveLength(1);
    flushes[0]?.();
    expect(await Promise.all([created, said, other].map(({ outcome }) => outcome))).toEqual(
      Array(3).fill({ kind: 'durable' }),
    );
    store.append('s2', other.token, textUnit('s2', 2));
    expect(flushes).toHaveLength(2);
  });

  it('[L10] a unit the disk cannot take poisons the store, which keeps nothing of it', async () => {
    const store = new MemoryStore();
    const bad = store.append('s1', null, unit({ event_type: 'session.created', event_data: {} }, { seq: 2 }));
    const behind = store.append('s2', null, createdUnit('s2'));
    const failed = { kind: 'failed', error: expect.any(TypeError) };
    expect(await Promise.all([bad.outcome, behind.outcome])).toEqual([failed, failed]);
    expect(await store.position('s1')).toBeNull();
    expect(await store.read('s1', { from_seq: 1, limit: 10 })).toEqual([]);
  });

  it('[ST16] forgets the oldest audit records but never reuses their numbers', async () => {
    const store = new MemoryStore();
    const record = { at: '2026-01-01T00:00:00.000Z', kind: 'k', actor: null, session_id: null, detail: {} };
    for (let i = 0; i < MAX_AUDIT_RECORDS + 5; i++) store.audit(record);
    const numbers = async (after: number) => (await store.readAudit({ after, limit: 2 })).map(({ number }) => number);
    expect(await numbers(0)).toEqual([6, 7]);
    expect(await numbers(8)).toEqual([9, 10]);
    expect(await numbers(MAX_AUDIT_RECORDS + 4)).toEqual([MAX_AUDIT_RECORDS + 5]);
  });

  it('[ST14] treats an unknown page position as the end of the list', async () => {
    const store = new MemoryStore();
    await store.append('s1', null, createdUnit('s1')).outcome;
    expect(await store.list({ limit: 1, after: 'nowhere' })).toEqual({ heads: [], next: null });
    expect((await store.list({ limit: 1, after: '1e300' })).heads).toHaveLength(1);
  });
});
