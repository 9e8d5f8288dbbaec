import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeadlineHeap } from '../../../src/core/lib/heap.ts';

const key = fc.constantFrom(...'abcdefghijklmnop');
const at = fc.integer({ min: 0, max: 30 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('set' as const), key, at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('take' as const), now: at }) },
);

describe('the heap of deadlines', () => {
  it('[L9] behaves like a sorted list', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const heap = new DeadlineHeap();
        const model = new Map<string, number>();
        for (const one of steps) {
          if (one.kind === 'set') {
            heap.set(one.key, one.at);
            model.set(one.key, one.at);
          } else if (one.kind === 'remove') {
            heap.set(one.key, null);
            model.delete(one.key);
          } else {
            const due = [...model].filter(([, time]) => time <= one.now);
            const taken = heap.takeDue(one.now);
            expect([...taken].sort()).toEqual(due.map(([name]) => name).sort());
            expect(taken.map((name) => model.get(name))).toEqual(due.map(([, time]) => time).sort((a, b) => a - b));
            for (const name of taken) model.delete(name);
          }
          expect(heap.size).toBe(model.size);
          expect(heap.earliest()).toBe(model.size === 0 ? null : Math.min(...model.values()));
          for (const [name, time] of model) expect(heap.at(name)).toBe(time);
        }
        const rest = [...model.values()].sort((a, b) => a - b);
        expect(heap.takeDue(Number.POSITIVE_INFINITY).map((name) => model.get(name))).toEqual(rest);
      }),
      { numRuns: 1000 },
    );
  });

  it('[L9] holds one deadline per key', () => {
    const heap = new DeadlineHeap();
    heap.set('s1', 10);
    heap.set('s1', 20);
    expect(heap.size).toBe(1);
    expect(heap.takeDue(19)).toEqual([]);
    expect(heap.takeDue(20)).toEqual(['s1']);
    expect(heap.takeDue(20)).toEqual([]);
    expect(heap.at('s1')).toBeUndefined();
    heap.set('s1', null);
    expect(heap.size).toBe(0);
  });
});
