/** Records beside the logs: cursors, snapshots, the audit trail and named values. */

import { describe, expect, it } from 'vitest';
import { isoFromMs } from '../../../src/core/lib/time.ts';
import type { AuditRecord, Cursor, Snapshot, Store } from '../../../src/core/ports/store.ts';
import type { StoreUnderTest } from './harness.ts';

export function recordRules(at: StoreUnderTest): void {
  describe('the records beside the logs', () => {
    it('[ST15] loads the last saved cursor per agent and session', async () => {
      await at.store.saveCursors([cursor('alice', 's1', 3), cursor('alice', 's2', 1), cursor('bob', 's1', 7)]);
      await at.store.saveCursors([cursor('alice', 's1', 5, [7, 9])]);
      expect(await cursorsOf(at.store, 'alice')).toEqual([cursor('alice', 's1', 5, [7, 9]), cursor('alice', 's2', 1)]);
      expect(await cursorsOf(at.store, 'bob')).toEqual([cursor('bob', 's1', 7)]);
      expect(await cursorsOf(at.store, 'carol')).toEqual([]);
    });

    it('[ST15] drops one cursor and no other', async () => {
      await at.store.saveCursors([cursor('alice', 's1', 3), cursor('alice', 's2', 1), cursor('bob', 's1', 7)]);
      await at.store.dropCursors([
        { agent_id: 'alice', session_id: 's1' },
        { agent_id: 'bob', session_id: 's2' },
      ]);
      expect(await cursorsOf(at.store, 'alice')).toEqual([cursor('alice', 's2', 1)]);
      expect(await cursorsOf(at.store, 'bob')).toEqual([cursor('bob', 's1', 7)]);
    });

    it('[ST15] keeps cursors on a clean close', async () => {
      await at.store.saveCursors([cursor('alice', 's1', 3, [5]), cursor('alice', 's2', 4)]);
      await at.store.dropCursors([{ agent_id: 'alice', session_id: 's2' }]);
      await at.reopen();
      expect(await cursorsOf(at.store, 'alice')).toEqual([cursor('alice', 's1', 3, [5])]);
    });

    it('[ST21] loads the last saved snapshot of a session, null if there is none', async () => {
      at.store.saveSnapshot(snapshot('s1', 3));
      at.store.saveSnapshot(snapshot('s2', 4));
      at.store.saveSnapshot(snapshot('s1', 7));
      expect(await at.store.loadSnapshot('s1')).toEqual(snapshot('s1', 7));
      expect(await at.store.loadSnapshot('s2')).toEqual(snapshot('s2', 4));
      expect(await at.store.loadSnapshot('s3')).toBeNull();
    });

    it('[ST21] keeps a snapshot on a clean close', async () => {
      at.store.saveSnapshot(snapshot('s1', 3));
      at.store.saveSnapshot(snapshot('s1', 7));
      await at.reopen();
      expect(await at.store.loadSnapshot('s1')).toEqual(snapshot('s1', 7));
    });

    it('[ST21] protects a snapshot from changes by its caller or a reader', async () => {
      const given = structuredClone(snapshot('s1', 3));
      at.store.saveSnapshot(given);
      Reflect.set(given, 'body', 'scribbled');
      const read = await at.store.loadSnapshot('s1');
      if (read === null) throw new Error('there is no snapshot');
      Reflect.set((read.body as { readonly keys: readonly number[] }).keys, 'length', 0);
      Reflect.set(read, 'seq', 99);
      expect(await at.store.loadSnapshot('s1')).toEqual(snapshot('s1', 3));
    });

    it('[ST16] reads audit records in order, with increasing numbers', async () => {
      for (const kind of ['a', 'b', 'c', 'd']) at.store.audit(auditRecord(kind));
      const records = await at.store.readAudit({ after: 0, limit: 10 });
      expect(records.map(({ number: _, ...record }) => record)).toEqual(['a', 'b', 'c', 'd'].map(auditRecord));
      const numbers = records.map(({ number }) => number);
      expect(numbers.every((number, i) => number > (numbers[i - 1] ?? 0))).toBe(true);
    });

    it('[ST16] reads the audit trail in pages after a number', async () => {
      for (const kind of ['a', 'b', 'c']) at.store.audit(auditRecord(kind));
      const first = await at.store.readAudit({ after: 0, limit: 2 });
      const rest = await at.store.readAudit({ after: first.at(-1)?.number ?? 0, limit: 2 });
      expect([first, rest].map((page) => page.map(({ kind }) => kind))).toEqual([['a', 'b'], ['c']]);
      expect(await at.store.readAudit({ after: rest.at(-1)?.number ?? 0, limit: 2 })).toEqual([]);
    });

    it('[ST16] reads the audit trail backwards, from the newest or before a number', async () => {
      expect(await at.store.readAudit({ before: Number.MAX_SAFE_INTEGER, limit: 2 })).toEqual([]);
      for (const kind of ['a', 'b', 'c', 'd']) at.store.audit(auditRecord(kind));
      const forwards = await at.store.readAudit({ after: 0, limit: 10 });
      const newest = await at.store.readAudit({ before: Number.MAX_SAFE_INTEGER, limit: 3 });
      expect(newest).toEqual(forwards.slice(1).reverse());
      const older = await at.store.readAudit({ before: newest.at(-1)?.number ?? 0, limit: 3 });
      expect(older).toEqual(forwards.slice(0, 1));
      expect(await at.store.readAudit({ before: forwards[0]?.number ?? 0, limit: 3 })).toEqual([]);
    });

    it('[ST16] continues the audit numbers after reopening', async () => {
      at.store.audit(auditRecord('a'));
      await at.reopen();
      at.store.audit(auditRecord('b'));
      const [a, b] = await at.store.readAudit({ after: 0, limit: 10 });
      expect([a?.kind, b?.kind]).toEqual(['a', 'b']);
      expect(b?.number).toBeGreaterThan(a?.number ?? Number.POSITIVE_INFINITY);
    });

    it('[ST17] returns the last set named value, null if never set, and keeps it on a clean close', async () => {
      expect(await at.store.getMeta('hub_id')).toBeNull();
      await at.store.setMeta('hub_id', 'h1');
      await at.store.setMeta('other', { list: [1, null, 'ü'] });
      await at.store.setMeta('hub_id', 'h2');
      await at.reopen();
      expect(await at.store.getMeta('hub_id')).toBe('h2');
      expect(await at.store.getMeta('other')).toEqual({ list: [1, null, 'ü'] });
    });
  });
}

function cursor(agent_id: string, session_id: string, seq: number, beyond: readonly number[] = []): Cursor {
  return { agent_id, session_id, epoch: 1, seq, beyond };
}

function snapshot(session_id: string, seq: number): Snapshot {
  const body = { state: { said: seq, nobody: null, text: 'ü' }, keys: [Number.MAX_SAFE_INTEGER, 1, 12, seq] };
  return { session_id, epoch: 1, seq, fingerprint: 'review 1', body };
}

async function cursorsOf(store: Store, agentId: string): Promise<readonly Cursor[]> {
  return [...(await store.loadCursors(agentId))].sort((a, b) => (a.session_id < b.session_id ? -1 : 1));
}

function auditRecord(kind: string): AuditRecord {
  return { at: isoFromMs(0), kind, actor: 'alice', session_id: null, detail: { of: kind } };
}
