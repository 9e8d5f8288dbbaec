/** Heads: the summary of a session that the store keeps beside its log. */

import { describe, expect, it } from 'vitest';
import type { Entry } from '../../core/envelope.ts';
import { foldHead, type Head } from '../../core/head.ts';
import { type HeadToken, REGISTRY_LOG, type Store } from '../../core/store.ts';
import { createdUnit, hubUnit, textUnit, unit } from '../build.ts';
import type { StoreUnderTest } from './harness.ts';
import { durably, glimpse, liveIds } from './look.ts';

export function headRules(at: StoreUnderTest): void {
  describe('heads', () => {
    it('[L3, ST11] a head is the fold of the durable log, and stays so when the store is opened again', async () => {
      const entries = await shortSession(at.store, 's1');
      const folded = entries.reduce<Head | null>(foldHead, null);
      expect((await at.store.head('s1'))?.head).toEqual(folded);
      await at.reopen();
      expect((await at.store.head('s1'))?.head).toEqual(folded);
    });

    it('[ST11] the token of a head is the one for the next append', async () => {
      await durably(at.store, 's1', null, createdUnit('s1'));
      const stored = await at.store.head('s1');
      expect(stored?.epoch).toBe((await at.store.position('s1'))?.epoch);
      await durably(at.store, 's1', stored?.token ?? null, textUnit('s1', 2));
    });

    it('[ST11] the registry is a log like any other, but no session', async () => {
      const registered = unit({ session_id: REGISTRY_LOG, event_type: 'agent.registered' });
      const token = await durably(at.store, REGISTRY_LOG, null, registered);
      await durably(at.store, REGISTRY_LOG, token, textUnit(REGISTRY_LOG, 2));
      await at.reopen();
      expect(await glimpse(at.store, REGISTRY_LOG)).toEqual({
        seqs: [1, 2],
        position: 2,
        head: null,
        live: [],
        listed: [],
      });
    });

    it('[ST12] liveHeads gives every session that has not ended, once', async () => {
      await durably(at.store, 's1', null, createdUnit('s1'));
      const s2 = await durably(at.store, 's2', null, createdUnit('s2'));
      const s3 = await durably(at.store, 's3', null, createdUnit('s3'));
      const s4 = await durably(at.store, 's4', null, createdUnit('s4'));
      await durably(at.store, 's2', s2, hubUnit('s2', 2, 'session.closed', { reason: 'done' }));
      await durably(at.store, 's3', s3, hubUnit('s3', 2, 'session.expired', { reason: 'ttl' }));
      await durably(at.store, 's4', s4, hubUnit('s4', 2, 'session.closing', { reason: 'done' }));
      expect((await liveIds(at.store)).sort()).toEqual(['s1', 's4']);
      await at.reopen();
      expect((await liveIds(at.store)).sort()).toEqual(['s1', 's4']);
    });
  });
}

/** Created, joined, opened, spoken in, closed; the entries as they were appended. */
async function shortSession(store: Store, id: string): Promise<readonly Entry[]> {
  const units = [
    createdUnit(id, { create_key: 'k1' }),
    hubUnit(id, 2, 'session.invite.ack', { agent_id: 'bob' }),
    hubUnit(id, 3, 'session.opened'),
    textUnit(id, 4, 2),
    hubUnit(id, 6, 'session.closing', { reason: 'done' }),
    hubUnit(id, 7, 'session.closed', { reason: 'done' }),
  ];
  let token: HeadToken | null = null;
  for (const what of units) token = await durably(store, id, token, what);
  return units.flatMap(({ entries }) => entries);
}
