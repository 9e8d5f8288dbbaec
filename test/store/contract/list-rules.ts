/** Sessions by creation, newest first, filtered and in pages. */

import { describe, expect, it } from 'vitest';
import { isoFromMs } from '../../../src/core/lib/time.ts';
import type { HeadToken, SessionQuery, Store } from '../../../src/core/ports/store.ts';
import { createdUnit, textUnit, unit } from '../../support/sample-records.ts';
import type { StoreUnderTest } from './harness.ts';
import { durably, listedIds } from './read-store.ts';

export function listRules(at: StoreUnderTest): void {
  describe('list', () => {
    const queries: readonly [string, Omit<SessionQuery, 'limit'>, readonly string[]][] = [
      ['all', {}, ['s4', 's3', 's2', 's1']],
      ['of a participant, also one that left', { participant: 'bob' }, ['s4', 's2', 's1']],
      ['of nobody', { participant: 'constructor' }, []],
      ['in some states', { states: ['ACTIVE', 'EXPIRED'] }, ['s4', 's2']],
      ['in no state', { states: [] }, []],
      ['of a type', { type: 'review' }, ['s4', 's3']],
      ['not ended before', { ended_since: '2026-01-01T00:00:04.000Z' }, ['s4', 's3', 's2']],
      ['ended exactly then', { ended_since: '2026-01-01T00:00:03.000Z' }, ['s4', 's3', 's2', 's1']],
      ['changed since', { changed_since: '2026-01-01T00:00:03.001Z' }, ['s4']],
      ['by all filters', { participant: 'bob', type: 'review', states: ['EXPIRED'] }, ['s4']],
    ];

    it.each(queries)('[ST13] lists sessions %s, newest first', async (_, query, expected) => {
      await fourSessions(at.store);
      const { heads, next } = await at.store.list({ ...query, limit: 10 });
      expect(heads.map(({ head }) => head.session_id)).toEqual(expected);
      expect(next).toBeNull();
    });

    it('[ST13] lists the head of each session with its token', async () => {
      await fourSessions(at.store);
      const [listed] = (await at.store.list({ type: 'review', states: ['INVITED'], limit: 1 })).heads;
      expect(listed?.head).toEqual((await at.store.head('s3'))?.head);
      await durably(at.store, 's3', listed?.token ?? null, textUnit('s3', 2));
    });

    it('[ST13] keeps the order of creation after reopening', async () => {
      await fourSessions(at.store);
      await at.reopen();
      expect(await listedIds(at.store, { limit: 10 })).toEqual(['s4', 's3', 's2', 's1']);
    });

    it('[ST13] finds a session by a later invitee, also after reopening', async () => {
      await fourSessions(at.store);
      const { token = null } = (await at.store.head('s2')) ?? {};
      const invite = (agent_id: string) => ({ event_type: 'session.invite', event_data: { agent_id } });
      const late = unit(
        { session_id: 's2', seq: 4, ...invite('carol') },
        { session_id: 's2', seq: 5, ...invite('dave') },
      );
      await durably(at.store, 's2', token, late);
      const found = async () => [
        await listedIds(at.store, { participant: 'carol', limit: 1 }),
        await listedIds(at.store, { participant: 'dave', limit: 1, states: ['ACTIVE'] }),
        await listedIds(at.store, { participant: 'dave', limit: 1, states: ['CLOSED'] }),
      ];
      expect(await found()).toEqual([['s3', 's2'], ['s2'], []]);
      expect((await at.store.head('s2'))?.head.members).toMatchObject({ carol: 'invited', dave: 'invited' });
      await at.reopen();
      expect(await found()).toEqual([['s3', 's2'], ['s2'], []]);
      const { token: head = null } = (await at.store.head('s2')) ?? {};
      const closed = { event_type: 'session.closed', event_data: { reason: 'done' } };
      await durably(at.store, 's2', head, unit({ session_id: 's2', seq: 6, ...closed }));
      expect(await found()).toEqual([['s3', 's2'], [], ['s2']]);
    });

    it('[ST14] lists every session once across pages', async () => {
      await fourSessions(at.store);
      const sizes = [1, 2, 3, 4, 5];
      const listed = await Promise.all(sizes.map((limit) => listedIds(at.store, { limit })));
      expect(listed).toEqual(sizes.map(() => ['s4', 's3', 's2', 's1']));
    });

    it('[ST14] neither repeats nor hides a session when others are created between two pages', async () => {
      await fourSessions(at.store);
      const first = await at.store.list({ limit: 2 });
      await durably(at.store, 's5', null, createdUnit('s5', { created_at: isoFromMs(9_999_999_999_999) }));
      const rest = await at.store.list({ limit: 10, after: first.next ?? '' });
      expect([first, rest].map(({ heads }) => heads.map(({ head }) => head.session_id))).toEqual([
        ['s4', 's3'],
        ['s2', 's1'],
      ]);
    });
  });
}

/** s1: closed discussion; s2: active, bob removed; s3: invited review without bob; s4: expired review. */
async function fourSessions(store: Store): Promise<void> {
  const [t1, t2] = [await create(store, 's1', 1), await create(store, 's2', 2)];
  await create(store, 's3', 3, { type: 'review', agents: ['alice', 'carol'] });
  const t4 = await create(store, 's4', 4, { type: 'review' });
  const closed = {
    event_type: 'session.closed',
    event_data: { reason: 'done' },
    created_at: '2026-01-01T00:00:03.000Z',
  };
  const removed = { event_type: 'session.participant.removed', event_data: { agent_id: 'bob' } };
  const expired = {
    event_type: 'session.expired',
    event_data: { reason: 'ttl' },
    created_at: '2026-01-01T00:00:04.000Z',
  };
  await durably(store, 's1', t1, unit({ session_id: 's1', seq: 2, ...closed }));
  const opened = { session_id: 's2', event_type: 'session.opened', event_data: {} };
  await durably(store, 's2', t2, unit({ seq: 2, ...opened }, { session_id: 's2', seq: 3, ...removed }));
  await durably(store, 's4', t4, unit({ session_id: 's4', seq: 2, ...expired }));
}

function create(
  store: Store,
  id: string,
  second: number,
  options: { readonly type?: string; readonly agents?: readonly string[] } = {},
): Promise<HeadToken> {
  return durably(store, id, null, createdUnit(id, { ...options, created_at: isoFromMs(second * 1000) }));
}
