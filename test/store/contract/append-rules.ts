/** Compare-and-append: which units enter a log, and in which order their outcomes settle. */

import { describe, expect, it } from 'vitest';
import type { AppendOutcome, HeadToken } from '../../../src/core/ports/store.ts';
import { createdUnit, textUnit, unit } from '../../support/sample-records.ts';
import type { StoreUnderTest } from './harness.ts';
import { durably, outcomes, seqs, texts } from './read-store.ts';

export function appendRules(at: StoreUnderTest): void {
  describe('append', () => {
    it('[ST1] makes an append at the head of its log durable', async () => {
      const created = at.store.append('s1', null, createdUnit('s1'));
      expect(await created.outcome).toEqual({ kind: 'durable' });
      const said = at.store.append('s1', created.token, textUnit('s1', 2));
      expect(await said.outcome).toEqual({ kind: 'durable' });
      expect(await seqs(at.store, 's1')).toEqual([1, 2]);
    });

    it('[ST1] rejects an append at an older head and writes nothing', async () => {
      const old = await durably(at.store, 's1', null, createdUnit('s1'));
      await durably(at.store, 's1', old, textUnit('s1', 2));
      const late = at.store.append('s1', old, unit({ seq: 2, event_data: { text: 'late' } }));
      expect(await late.outcome).toEqual({ kind: 'conflict' });
      expect(await texts(at.store, 's1')).toEqual([undefined, 'message 2']);
    });

    it('[ST1] rejects an append that expects no log if there is one', async () => {
      await durably(at.store, 's1', null, createdUnit('s1', { type: 'first' }));
      const again = at.store.append('s1', null, createdUnit('s1', { type: 'second' }));
      expect(await again.outcome).toEqual({ kind: 'conflict' });
      expect((await at.store.head('s1'))?.head.type).toBe('first');
    });

    it('[ST1] accepts the first of two appends staged at the same head', async () => {
      const head = await durably(at.store, 's1', null, createdUnit('s1'));
      const first = at.store.append('s1', head, unit({ seq: 2, event_data: { text: 'first' } }));
      const second = at.store.append('s1', head, unit({ seq: 2, event_data: { text: 'second' } }));
      expect(await outcomes(first, second)).toEqual([{ kind: 'durable' }, { kind: 'conflict' }]);
      expect(await texts(at.store, 's1')).toEqual([undefined, 'first']);
    });

    it('[ST1] keeps a conflict in one log from affecting another', async () => {
      await durably(at.store, 's1', null, createdUnit('s1'));
      const refused = at.store.append('s1', null, createdUnit('s1'));
      const accepted = at.store.append('s2', null, createdUnit('s2'));
      expect(await outcomes(refused, accepted)).toEqual([{ kind: 'conflict' }, { kind: 'durable' }]);
      expect(await seqs(at.store, 's2')).toEqual([1]);
    });

    it('[ST2] accepts the token of a staged unit as the next head at once', async () => {
      let expected: HeadToken | null = null;
      const staged = Array.from({ length: 10 }, (_, i) => {
        const append = at.store.append('s1', expected, i === 0 ? createdUnit('s1') : textUnit('s1', i + 1));
        expected = append.token;
        return append;
      });
      expect(await outcomes(...staged)).toEqual(Array(10).fill({ kind: 'durable' }));
      expect(await seqs(at.store, 's1')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });

    it('[ST2] rejects units staged behind a conflict, even if the log is at the same seq', async () => {
      const head = await durably(at.store, 's1', null, createdUnit('s1'));
      const winner = at.store.append('s1', head, textUnit('s1', 2));
      const loser = at.store.append('s1', head, textUnit('s1', 2));
      const behind = at.store.append('s1', loser.token, textUnit('s1', 3));
      const furtherBehind = at.store.append('s1', behind.token, textUnit('s1', 4));
      const next = at.store.append('s1', winner.token, textUnit('s1', 3));
      expect((await outcomes(winner, loser, behind, furtherBehind, next)).map(({ kind }) => kind)).toEqual([
        'durable',
        'conflict',
        'conflict',
        'conflict',
        'durable',
      ]);
      expect(await seqs(at.store, 's1')).toEqual([1, 2, 3]);
    });

    it('[ST2] never accepts the token of a conflicting unit as a head', async () => {
      const head = await durably(at.store, 's1', null, createdUnit('s1'));
      await durably(at.store, 's1', head, textUnit('s1', 2));
      const loser = at.store.append('s1', head, textUnit('s1', 2));
      await loser.outcome;
      const behind = at.store.append('s1', loser.token, textUnit('s1', 3));
      expect(await behind.outcome).toEqual({ kind: 'conflict' });
    });

    it('[ST3] settles the outcomes of one log in the order of its appends', async () => {
      const order: string[] = [];
      const note = (name: string) => (outcome: AppendOutcome) => order.push(`${name} ${outcome.kind}`);
      const first = at.store.append('s1', null, createdUnit('s1'));
      const wrong = at.store.append('s1', null, createdUnit('s1'));
      const second = at.store.append('s1', first.token, textUnit('s1', 2, 3));
      await Promise.all([
        second.outcome.then(note('second')),
        wrong.outcome.then(note('wrong')),
        first.outcome.then(note('first')),
      ]);
      expect(order).toEqual(['first durable', 'wrong conflict', 'second durable']);
    });

    it('[L2, ST4] throws for an empty unit and for one whose seqs do not follow its expected head', async () => {
      const badUnit = expect.objectContaining({ code: 'bad_unit' });
      const head = await durably(at.store, 's1', null, createdUnit('s1'));
      expect(() => at.store.append('s1', head, { entries: [] })).toThrow(badUnit);
      expect(() => at.store.append('s1', head, textUnit('s1', 3))).toThrow(badUnit);
      expect(() => at.store.append('s1', head, unit({ seq: 2 }, { seq: 4 }))).toThrow(badUnit);
      expect(() => at.store.append('s2', null, textUnit('s2', 2))).toThrow(badUnit);
      await durably(at.store, 's1', head, textUnit('s1', 2));
      expect(await seqs(at.store, 's1')).toEqual([1, 2]);
    });
  });
}
