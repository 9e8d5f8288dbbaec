/** Fail stop: a poisoned or closed store fails every append. */

import { describe, expect, it } from 'vitest';
import { createdUnit, textUnit } from '../../support/sample-records.ts';
import type { StoreUnderTest } from './harness.ts';
import { durably, glimpse, outcomes } from './read-store.ts';

export function failureRules(at: StoreUnderTest): void {
  describe('failure', () => {
    it('[L10, ST7] fails everything staged and every later append after a failed sync', async ({ skip }) => {
      const held = await at.harness.openHeld?.();
      if (held?.failSync === undefined) return skip('the harness cannot fail a sync');
      const first = held.store.append('s1', null, createdUnit('s1'));
      const behind = held.store.append('s1', first.token, textUnit('s1', 2));
      const elsewhere = held.store.append('s2', null, createdUnit('s2'));
      held.failSync(new Error('no space left'));
      const failed = { kind: 'failed', error: expect.any(Error) };
      expect(await outcomes(first, behind, elsewhere)).toEqual([failed, failed, failed]);
      const later = held.store.append('s3', null, createdUnit('s3'));
      held.sync();
      expect(await later.outcome).toEqual(failed);
      await held.store.close();
    });

    it('[L1, L10, ST7] still reads durable data when poisoned, and shows nothing that failed', async ({ skip }) => {
      const held = await at.harness.openHeld?.();
      if (held?.failSync === undefined) return skip('the harness cannot fail a sync');
      const created = held.store.append('s1', null, createdUnit('s1'));
      held.sync();
      await created.outcome;
      const said = held.store.append('s1', created.token, textUnit('s1', 2));
      held.failSync(new Error('no space left'));
      await said.outcome;
      expect(await glimpse(held.store, 's1')).toEqual({
        seqs: [1],
        position: 1,
        head: 'INVITED',
        live: ['s1'],
        listed: ['s1'],
      });
      await held.store.close();
    });

    it('[L10, ST8] fails an append after close; closing again does nothing', async () => {
      const token = await durably(at.store, 's1', null, createdUnit('s1'));
      await at.store.close();
      await at.store.close();
      const late = at.store.append('s1', token, textUnit('s1', 2));
      expect((await late.outcome).kind).toBe('failed');
    });
  });
}
