/** Reading ranges of a log, and its position. */

import { describe, expect, it } from 'vitest';
import type { ReadRange } from '../../../src/core/ports/store.ts';
import { createdUnit, textUnit } from '../../support/sample-records.ts';
import type { StoreUnderTest } from './harness.ts';
import { durably, seqsOf } from './read-store.ts';

export function readRules(at: StoreUnderTest): void {
  describe('read', () => {
    const ranges: readonly [ReadRange, readonly number[]][] = [
      [{ from_seq: 1, limit: 100 }, [1, 2, 3, 4, 5, 6]],
      [{ from_seq: 0, limit: 2 }, [1, 2]],
      [{ from_seq: 3, limit: 2 }, [3, 4]],
      [{ from_seq: 3, to_seq: 4, limit: 100 }, [3, 4]],
      [{ from_seq: 5, to_seq: 99, limit: 100 }, [5, 6]],
      [{ from_seq: 7, limit: 100 }, []],
      [{ from_seq: 4, to_seq: 3, limit: 100 }, []],
      [{ from_seq: 1, limit: 0 }, []],
      [{ from_seq: 1, limit: 3, reverse: true }, [6, 5, 4]],
      [{ from_seq: 1, to_seq: 4, limit: 2, reverse: true }, [4, 3]],
      [{ from_seq: 3, to_seq: 4, limit: 100, reverse: true }, [4, 3]],
      [{ from_seq: 3, to_seq: 99, limit: 100, reverse: true }, [6, 5, 4, 3]],
    ];

    it.each(ranges)('[ST9] reads the range %j as the seqs %j', async (range, expected) => {
      const created = await durably(at.store, 's1', null, createdUnit('s1'));
      await durably(at.store, 's1', created, textUnit('s1', 2, 5));
      expect(seqsOf(await at.store.read('s1', range))).toEqual(expected);
    });

    it('[ST9] reads an unknown log as empty, without position and head', async () => {
      expect(await at.store.read('s1', { from_seq: 1, limit: 10 })).toEqual([]);
      expect(await at.store.position('s1')).toBeNull();
      expect(await at.store.head('s1')).toBeNull();
    });

    it('[ST10] returns the last durable seq as the position, with the token for the next append', async () => {
      const created = await durably(at.store, 's1', null, createdUnit('s1'));
      await durably(at.store, 's1', created, textUnit('s1', 2, 3));
      const position = await at.store.position('s1');
      expect(position?.seq).toBe(4);
      await durably(at.store, 's1', position?.token ?? null, textUnit('s1', 5));
      expect((await at.store.position('s1'))?.epoch).toBe(position?.epoch);
    });
  });
}
