/** Deadlines: kept with each entry, in the head, and in the live rows that a start reads. */

import { describe, expect, it } from 'vitest';
import { isoFromMs } from '../../../src/core/lib/time.ts';
import { createdUnit, hubUnit, textUnit, withDue } from '../../support/sample-records.ts';
import type { StoreUnderTest } from './harness.ts';
import { all, durably, liveRows } from './read-store.ts';

export function dueRules(at: StoreUnderTest): void {
  const dues = async () => (await all(at.store, 's1')).map(({ due }) => due ?? null);
  const headDue = async () => (await at.store.head('s1'))?.head.due_at;
  const rowDue = async () => (await liveRows(at.store)).map(({ deadline_ms }) => deadline_ms);

  describe('deadlines', () => {
    it('[L9, ST5, ST11] reads back each deadline with its entry, including 0 and none; the head has the last', async () => {
      const created = await durably(at.store, 's1', null, withDue(createdUnit('s1'), 70_000));
      await durably(at.store, 's1', created, withDue(textUnit('s1', 2, 3), 0, null, 80_000));
      for (const _ of ['before', 'after']) {
        expect([await dues(), await headDue()]).toEqual([[70_000, 0, null, 80_000], 80_000]);
        await at.reopen();
      }
    });

    it('[ST5, ST11] reads back each awaited decision with its entry, and the head has the last', async () => {
      const awaits = { text: 'gate "ok" waits for approval', grant: 'approve', since_seq: 2 } as const;
      const [first, second] = textUnit('s1', 2, 2).entries;
      if (first === undefined || second === undefined) throw new Error('a unit of two has two');
      const token = await durably(at.store, 's1', null, createdUnit('s1'));
      await durably(at.store, 's1', token, { entries: [{ ...first, awaits }] });
      const position = await at.store.position('s1');
      for (const _ of ['before', 'after']) {
        expect((await all(at.store, 's1')).map((entry) => entry.awaits ?? null)).toEqual([null, awaits]);
        expect((await at.store.head('s1'))?.head.awaits).toEqual(awaits);
        await at.reopen();
      }
      await durably(at.store, 's1', (await at.store.position('s1'))?.token ?? position?.token ?? token, {
        entries: [second],
      });
      expect((await at.store.head('s1'))?.head.awaits).toBeUndefined();
    });

    it('[L9, ST12] puts an earlier deadline into the live row at once, and the row is never later', async () => {
      const expires_at = isoFromMs(90_000);
      let token = await durably(at.store, 's1', null, withDue(createdUnit('s1', { expires_at }), 95_000));
      expect(await rowDue()).toEqual([90_000]);
      for (const [i, due] of [80_000, 60_000].entries()) {
        token = await durably(at.store, 's1', token, withDue(textUnit('s1', 2 + i), due));
        expect(await rowDue()).toEqual([due]);
        await at.reopen();
        token = (await at.store.position('s1'))?.token ?? token;
        expect(await rowDue()).toEqual([due]);
      }
      await durably(at.store, 's1', token, textUnit('s1', 4));
      const [deadline] = await rowDue();
      expect([60_000, 80_000, 90_000]).toContain(deadline);
      expect(await headDue()).toBeNull();
    });

    it('[ST12] uses the deadline of a session without TTL, and has no row for an ended session', async () => {
      const token = await durably(at.store, 's1', null, withDue(createdUnit('s1'), 5));
      await at.reopen();
      expect(await rowDue()).toEqual([5]);
      const expected = (await at.store.position('s1'))?.token ?? token;
      await durably(at.store, 's1', expected, hubUnit('s1', 2, 'session.closed', { reason: 'done' }));
      expect([await rowDue(), await headDue()]).toEqual([[], null]);
    });
  });
}
