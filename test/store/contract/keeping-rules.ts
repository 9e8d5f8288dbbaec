/** Durable data stays unchanged, and nothing else is visible. */

import { describe, expect, it } from 'vitest';
import { canonicalJson, type Json } from '../../../src/core/lib/json.ts';
import type { AppendOutcome } from '../../../src/core/ports/store.ts';
import type { Entry, Unit } from '../../../src/core/records/session/unit.ts';
import { createdUnit, entry, envelope, hubUnit, textUnit } from '../../support/sample-records.ts';
import type { StoreUnderTest } from './harness.ts';
import { all, durably, glimpse, seqs, texts } from './read-store.ts';

export function keepingRules(at: StoreUnderTest): void {
  describe('durability', () => {
    it('[L1, ST5] reads back a durable unit equal as JSON, also after reopening', async () => {
      const [created, tricky] = [createdUnit('s1'), trickyUnit('s1', 2)];
      await durably(at.store, 's1', await durably(at.store, 's1', null, created), tricky);
      const expected = json([...created.entries, ...tricky.entries]);
      expect(json(await all(at.store, 's1'))).toBe(expected);
      await at.reopen();
      expect(json(await all(at.store, 's1'))).toBe(expected);
    });

    it('[ST5] protects the log from changes that the caller makes to a unit after its append', async () => {
      const given = structuredClone(textUnit('s1', 1));
      const { outcome } = at.store.append('s1', null, given);
      scribble(given.entries);
      await outcome;
      expect(await texts(at.store, 's1')).toEqual(['message 1']);
    });

    it('[ST5] protects the log from changes that a reader makes to an entry', async () => {
      await durably(at.store, 's1', null, textUnit('s1', 1));
      scribble(await all(at.store, 's1'));
      expect(await texts(at.store, 's1')).toEqual(['message 1']);
    });

    it('[ST5] keeps staged units on a clean close', async () => {
      const created = at.store.append('s1', null, createdUnit('s1'));
      at.store.append('s1', created.token, textUnit('s1', 2, 2));
      await at.reopen();
      expect(await seqs(at.store, 's1')).toEqual([1, 2, 3]);
    });

    it('[ST5] continues a log at the same position after reopening', async () => {
      await durably(at.store, 's1', null, createdUnit('s1'));
      const before = await at.store.position('s1');
      await at.reopen();
      const after = await at.store.position('s1');
      expect({ epoch: after?.epoch, seq: after?.seq }).toEqual({ epoch: before?.epoch, seq: 1 });
      await durably(at.store, 's1', after?.token ?? null, textUnit('s1', 2));
      expect(await seqs(at.store, 's1')).toEqual([1, 2]);
    });

    it('[L1, ST6] hides staged units until they are durable', async ({ skip }) => {
      if (at.harness.openHeld === undefined) return skip('the harness cannot hold a sync');
      const held = await at.harness.openHeld();
      const created = held.store.append('s1', null, createdUnit('s1'));
      const settled = note(created.outcome);
      expect(await glimpse(held.store, 's1')).toEqual({ seqs: [], position: null, head: null, live: [], listed: [] });
      expect(settled()).toBe(false);
      held.sync();
      expect(await created.outcome).toEqual({ kind: 'durable' });
      const said = held.store.append('s1', created.token, hubUnit('s1', 2, 'session.closed', { reason: 'done' }));
      expect(await glimpse(held.store, 's1')).toEqual({
        seqs: [1],
        position: 1,
        head: 'INVITED',
        live: ['s1'],
        listed: ['s1'],
      });
      held.sync();
      await said.outcome;
      expect(await glimpse(held.store, 's1')).toEqual({
        seqs: [1, 2],
        position: 2,
        head: 'CLOSED',
        live: [],
        listed: ['s1'],
      });
      await held.store.close();
    });

    it('[L1, ST6] hides the parent, key and id of a staged session until it is durable', async ({ skip }) => {
      if (at.harness.openHeld === undefined) return skip('the harness cannot hold a sync');
      const held = await at.harness.openHeld();
      const child = createdUnit('s1', { parent: 's0', create_key: 'k1' });
      const created = held.store.append('s1', null, child);
      const seen = async () => [
        await held.store.liveChildren('s0'),
        (await held.store.createdUnder('alice', 'k1'))?.session_id ?? null,
        await held.store.newestEnvelopeId(),
      ];
      expect(await seen()).toEqual([[], null, null]);
      held.sync();
      await created.outcome;
      expect(await seen()).toEqual([['s1'], 's1', child.entries[0]?.envelope.envelope_id]);
      await held.store.close();
    });

    it('[ST6] shows a durable unit as soon as its outcome settles', async () => {
      await durably(at.store, 's1', null, createdUnit('s1'));
      expect(await glimpse(at.store, 's1')).toEqual({
        seqs: [1],
        position: 1,
        head: 'INVITED',
        live: ['s1'],
        listed: ['s1'],
      });
    });
  });
}

function json(entries: readonly Entry[]): string {
  // Entries are JSON; an interface without index signature does not say so to the compiler.
  return canonicalJson(entries as unknown as Json);
}

function note(outcome: Promise<AppendOutcome>): () => boolean {
  let settled = false;
  void outcome.then(() => {
    settled = true;
  });
  return () => settled;
}

/** Values that careless JSON, text or database handling would change. */
function trickyUnit(session_id: string, seq: number): Unit {
  const event_data = {
    text: 'ü 😀 \u2028 \u0000 "quoted" \\ line\nbreak',
    numbers: [0, -1, 0.1, 1e21, 1e-7, Number.MAX_SAFE_INTEGER],
    nothing: [null, '', [], {}, false],
    constructor: 'a key like any other',
  };
  const said = { session_id, seq, event_data, audience: [], idempotency_key: 'k1', ttl_seconds: 0.5 };
  const turn = { agent_id: 'bob', since_seq: seq };
  return { entries: [{ envelope: envelope(said), turn }, entry({ session_id, seq: seq + 1, audience: ['bob'] })] };
}

/** Changes the entries where possible; Reflect does not throw where it is not. */
function scribble(entries: readonly Entry[]): void {
  for (const { envelope } of entries) Reflect.set(envelope.event_data, 'text', 'scribbled');
  Reflect.set(entries, 'length', 0);
}
