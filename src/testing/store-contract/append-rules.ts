/** Compare-and-append: which units enter a log, and in which order their outcomes come. */

import { describe, expect, it } from 'vitest';
import type { AppendOutcome, HeadToken } from '../../core/ports/store.ts';
import { createdUnit, textUnit, unit } from '../lib/sample-records.ts';
import type { StoreUnderTest } from './harness.ts';
import { durably, outcomes, seqs, texts } from './read-store.ts';

export function appendRules(at: StoreUnderTest): void {
  describe('append', () => {
    it('[ST1] an append at the head of its log becomes durable', async () => {
      const created = at.store.append('s1', null, createdUnit('s1'));
      expect(await created.outcome).toEqual({ kind: 'durable' });
      const said = at.store.append('s1', created.token, textUnit('s1', 2));
      expect(await said.outcome).toEqual({ kind: 'durable' });
      expect(await seqs(at.store, 's1')).toEqual([1, 2]);
    });

    it('[ST1] an append at an older head conflicts and writes nothing', async () => {
      const old = await durably(at.store, 's1', null, createdUnit('s1'));
      await durably(at.store, 's1', old, textUnit('s1', 2));
      const late = at.store.append('s1', old, unit({ seq: 2, event_data: { text: 'late' } }));
      expect(await late.outcome).toEqual({ kind: 'conflict' });
      expect(await texts(at.store, 's1')).toEqual([undefined, 'message 2']);
    });

    it('[ST1] an append that expects no log conflicts when there is one', async () => {
      await durably(at.store, 's1', null, createdUnit('s1', { type: 'first' }));
      const again = at.store.append('s1', null, createdUnit('s1', { type: 'second' }));
      expect(await again.outcome).toEqual({ kind: 'conflict' });
      expect((await at.store.head('s1'))?.head.type).toBe('first');
    });

    it('[ST1] of two appends staged at the same head the first wins', async () => {
      const head = await durably(at.store, 's1', null, createdUnit('s1'));
      const first = at.store.append('s1', head, unit({ seq: 2, event_data: { text: 'first' } }));
      const second = at.store.append('s1', head, unit({ seq: 2, event_data: { text: 'second' } }));
      expect(await outcomes(first, second)).toEqual([{ kind: 'durable' }, { kind: 'conflict' }]);
      expect(await texts(at.store, 's1')).toEqual([undefined, 'first']);
    });

    it('[ST1] a conflict in one log is nothing to another', async () => {
      await durably(at.store, 's1', null, createdUnit('s1'));
      const refused = at.store.append('s1', null, createdUnit('s1'));
      const accepted = at.store.append('s2', null, createdUnit('s2'));
      expect(await outcomes(refused, accepted)).toEqual([{ kind: 'conflict' }, { kind: 'durable' }]);
      expect(await seqs(at.store, 's2')).toEqual([1]);
    });

    it('[ST2] the token of a staged unit is the head for the next append at once', async () => {
      let expected: HeadToken | null = null;
      const staged = Array.from({ length: 10 }, (_, i) => {
        const append = at.store.append('s1', expected, i === 0 ? createdUnit('s1') : textUnit('s1', i + 1));
        expected = append.token;
        return append;
      });
      expect(await outcomes(...staged)).toEqual(Array(10).fill({ kind: 'durable' }));
      expect(await seqs(at.store, 's1')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });

    it('[ST2] what was staged behind a conflict conflicts with it, though the log is at the same seq', async () => {
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

    it('[ST2] the token of a conflicting unit is never a head, also later', async () => {
      const head = await durably(at.store, 's1', null, createdUnit('s1'));
      await durably(at.store, 's1', head, textUnit('s1', 2));
      const loser = at.store.append('s1', head, textUnit('s1', 2));
      await loser.outcome;
      const behind = at.store.append('s1', loser.token, textUnit('s1', 3));
      expect(await behind.outcome).toEqual({ kind: 'conflict' });
    });

    it('[ST3] the outcomes of one log settle in the order of its appends', async () => {
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

    it('[L2, ST4] an empty unit, or one whose seqs do not follow its expected head, throws and is not staged', async () => {
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
