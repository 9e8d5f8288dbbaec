/** Heads: the session summaries that the store keeps beside the logs. */

import { describe, expect, it } from 'vitest';
import { isoFromMs } from '../../../src/core/lib/time.ts';
import { type HeadToken, REGISTRY_LOG, type Store } from '../../../src/core/ports/store.ts';
import type { Entry, Head } from '../../../src/core/records/session/unit.ts';
import { foldHead } from '../../../src/core/state/fold-head.ts';
import { createdUnit, hubUnit, textUnit, unit } from '../../support/sample-records.ts';
import type { StoreUnderTest } from './harness.ts';
import { durably, glimpse, liveIds, liveRows } from './read-store.ts';

export function headRules(at: StoreUnderTest): void {
  describe('heads', () => {
    it('[L3, ST11] returns the fold of the durable log as the head, also after reopening', async () => {
      const entries = await shortSession(at.store, 's1');
      const folded = entries.reduce<Head | null>(foldHead, null);
      expect((await at.store.head('s1'))?.head).toEqual(folded);
      await at.reopen();
      expect((await at.store.head('s1'))?.head).toEqual(folded);
    });

    it('[ST11] returns the token of a head for the next append', async () => {
      await durably(at.store, 's1', null, createdUnit('s1'));
      const stored = await at.store.head('s1');
      expect(stored?.epoch).toBe((await at.store.position('s1'))?.epoch);
      await durably(at.store, 's1', stored?.token ?? null, textUnit('s1', 2));
    });

    it('[ST11] treats the registry as a log like any other, but not as a session', async () => {
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

    it('[ST12] lists every session that has not ended once in liveRows', async () => {
      await durably(at.store, 's1', null, createdUnit('s1'));
      const s2 = await durably(at.store, 's2', null, createdUnit('s2'));
      const s3 = await durably(at.store, 's3', null, createdUnit('s3'));
      const s4 = await durably(at.store, 's4', null, createdUnit('s4'));
      await durably(at.store, 's2', s2, hubUnit('s2', 2, 'session.closed', { reason: 'done' }));
      await durably(at.store, 's3', s3, hubUnit('s3', 2, 'session.expired', { reason: 'ttl' }));
      await durably(at.store, 's4', s4, hubUnit('s4', 2, 'session.closing', { reason: 'done' }));
      expect(await liveIds(at.store)).toEqual(['s1', 's4']);
      await at.reopen();
      expect(await liveIds(at.store)).toEqual(['s1', 's4']);
    });

    it('[ST12] has type, state, deadline and parent flag in a live row', async () => {
      const expires_at = isoFromMs(90_000);
      await durably(at.store, 's1', null, createdUnit('s1'));
      await durably(at.store, 's2', null, createdUnit('s2', { parent: 's1', expires_at }));
      const s3 = await durably(at.store, 's3', null, createdUnit('s3', { expires_at }));
      const closing = hubUnit('s3', 2, 'session.closing', { reason: 'done' });
      await durably(at.store, 's3', s3, closing);
      const drainedAt = Date.parse(closing.entries[0]?.envelope.created_at ?? '') + 5_000;
      const type = 'discussion';
      const rows = [
        { session_id: 's1', type, state: 'INVITED', deadline_ms: null, is_child: false, delegates: false },
        { session_id: 's2', type, state: 'INVITED', deadline_ms: 90_000, is_child: true, delegates: false },
        { session_id: 's3', type, state: 'CLOSING', deadline_ms: drainedAt, is_child: false, delegates: false },
      ];
      expect(await liveRows(at.store)).toEqual(rows);
      await at.reopen();
      expect(await liveRows(at.store)).toEqual(rows);
    });

    it('[ST12] flags unsettled delegations in a live row', async () => {
      const delegates = async () => (await liveRows(at.store)).map((row) => row.delegates);
      const created = await durably(at.store, 's1', null, createdUnit('s1'));
      expect(await delegates()).toEqual([false]);
      const opened = hubUnit('s1', 2, 'delegation.opened', { delegation_id: 'd1' });
      const token = await durably(at.store, 's1', created, opened);
      expect(await delegates()).toEqual([true]);
      await at.reopen();
      expect(await delegates()).toEqual([true]);
      await durably(at.store, 's1', token, hubUnit('s1', 3, 'delegation.settled', { delegation_id: 'd1' }));
      await at.reopen();
      expect(await delegates()).toEqual([false]);
    });

    it('[ST18] returns the live sessions of a parent from liveChildren', async () => {
      await durably(at.store, 's1', null, createdUnit('s1'));
      await durably(at.store, 's2', null, createdUnit('s2', { parent: 's1' }));
      const s3 = await durably(at.store, 's3', null, createdUnit('s3', { parent: 's1' }));
      await durably(at.store, 's4', null, createdUnit('s4', { parent: 's2' }));
      await durably(at.store, 's5', null, createdUnit('s5', { parent: 's1' }));
      await durably(at.store, 's3', s3, hubUnit('s3', 2, 'session.closed', { reason: 'done' }));
      const children = async () =>
        Promise.all(['s1', 's2', 's4', 's9'].map(async (id) => [...(await at.store.liveChildren(id))].sort()));
      expect(await children()).toEqual([['s2', 's5'], ['s4'], [], []]);
      await at.reopen();
      expect(await children()).toEqual([['s2', 's5'], ['s4'], [], []]);
    });

    it('[ST19] returns the newest session of a creator and key from createdUnder, even if it has ended', async () => {
      const by = (agent: string, create_key: string, second: number) =>
        ({ agents: [agent, 'carol'], create_key, created_at: isoFromMs(second * 1000) }) as const;
      await durably(at.store, 's1', null, createdUnit('s1', by('alice', 'k1', 1)));
      await durably(at.store, 's2', null, createdUnit('s2', by('bob', 'k1', 2)));
      const s3 = await durably(at.store, 's3', null, createdUnit('s3', by('alice', 'k1', 3)));
      await durably(at.store, 's4', null, createdUnit('s4', by('alice', 'k2', 4)));
      await durably(at.store, 's3', s3, hubUnit('s3', 2, 'session.closed', { reason: 'done' }));
      const found = async () =>
        Promise.all(
          [
            ['alice', 'k1'],
            ['bob', 'k1'],
            ['alice', 'k2'],
            ['bob', 'k2'],
            ['carol', 'k1'],
          ].map(async ([agent = '', key = '']) => (await at.store.createdUnder(agent, key))?.session_id ?? null),
        );
      expect(await found()).toEqual(['s3', 's2', 's4', null, null]);
      await at.reopen();
      expect(await found()).toEqual(['s3', 's2', 's4', null, null]);
      expect(await at.store.createdUnder('alice', 'k1')).toEqual((await at.store.head('s3'))?.head);
    });

    it('[ST20] returns the greatest id in any log from newestEnvelopeId, including the registry and ended sessions', async () => {
      const id = (digits: string) => digits.padStart(32, '0');
      const newest = () => at.store.newestEnvelopeId();
      expect(await newest()).toBeNull();
      await durably(at.store, 's1', null, createdUnit('s1', { envelope_id: id('b1') }));
      const registered = { session_id: REGISTRY_LOG, event_type: 'agent.registered', envelope_id: id('c1') };
      await durably(at.store, REGISTRY_LOG, null, unit(registered));
      expect(await newest()).toBe(id('c1'));
      const s2 = await durably(at.store, 's2', null, createdUnit('s2', { envelope_id: id('a1') }));
      const closed = { session_id: 's2', seq: 2, event_type: 'session.closed', event_data: { reason: 'done' } };
      await durably(at.store, 's2', s2, unit({ ...closed, envelope_id: id('d1') }));
      expect(await newest()).toBe(id('d1'));
      await at.reopen();
      expect(await newest()).toBe(id('d1'));
    });
  });
}

/** Created, joined, opened, posted to and closed; returns the appended entries. */
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
