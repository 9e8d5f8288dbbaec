import { describe, expect, it } from 'vitest';
import { ConcurrencyLimit } from '../../../src/core/lib/concurrency-limit.ts';

/** Jobs that end on request. */
function works(count: number, few: ConcurrencyLimit) {
  const [begun, ended]: [number[], number[]] = [[], []];
  const ends: ((failed?: Error) => void)[] = [];
  for (let i = 0; i < count; i++) {
    const work = () =>
      new Promise<void>((resolve, reject) => {
        begun.push(i);
        ends[i] = (failed) => (failed === undefined ? resolve() : reject(failed));
      });
    void few.run(work).then(
      () => ended.push(i),
      () => ended.push(-i),
    );
  }
  return { begun, ended, end: (i: number, failed?: Error) => ends[i]?.(failed) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('ConcurrencyLimit', () => {
  it('[DL5] runs a limited number of jobs in order; a failed job makes room', async () => {
    const { begun, ended, end } = works(5, new ConcurrencyLimit(2));
    expect(begun).toEqual([0, 1]);
    end(1, new Error('no'));
    await settled();
    expect([begun, ended]).toEqual([[0, 1, 2], [-1]]);
    end(0);
    end(2);
    await settled();
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    end(4);
    end(3);
    await settled();
    expect(ended).toEqual([-1, 0, 2, 4, 3]);
  });

  it('[DL5] can be reused when no job waits', async () => {
    const few = new ConcurrencyLimit(1);
    const first = works(2, few);
    first.end(0);
    await settled();
    first.end(1);
    await settled();
    expect(first.ended).toEqual([0, 1]);
    const second = works(2, few);
    expect(second.begun).toEqual([0]);
  });
});
