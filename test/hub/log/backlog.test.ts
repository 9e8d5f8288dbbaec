import { expect, it } from 'vitest';
import type { AppendOutcome } from '../../../src/core/ports/store.ts';
import { limitsWith } from '../../../src/core/records/access/limits.ts';
import { Backlog } from '../../../src/hub/log/backlog.ts';

const DURABLE: AppendOutcome = { kind: 'durable' };

function scene() {
  const time = { ms: 0 };
  const clock = { now: () => time.ms, monotonic: () => time.ms, after: () => () => {} };
  return { time, backlog: new Backlog(clock, limitsWith({ maxFlushMs: 100, maxStagedBytes: 1000 })) };
}

function flush() {
  let settle: (outcome: AppendOutcome) => void = () => {};
  const outcome = new Promise<AppendOutcome>((resolve) => {
    settle = resolve;
  });
  return { outcome, settle };
}

it('[ST3] settles the units of one flush in staging order, before those of the next', async () => {
  const { backlog } = scene();
  const [first, second] = [flush(), flush()];
  const settled: string[] = [];
  backlog.add(10, first.outcome, { settle: () => void settled.push('a') });
  backlog.add(10, first.outcome, { settle: () => void settled.push('b') });
  backlog.add(10, second.outcome, { settle: () => void settled.push('c') });
  backlog.add(10, first.outcome, { settle: () => void settled.push('d') });
  expect([backlog.units, backlog.bytes]).toEqual([4, 40]);
  first.settle(DURABLE);
  await first.outcome;
  expect(settled).toEqual(['a', 'b', 'd']);
  expect([backlog.units, backlog.bytes]).toEqual([1, 10]);
  second.settle(DURABLE);
  await second.outcome;
  expect(settled).toEqual(['a', 'b', 'd', 'c']);
  expect([backlog.units, backlog.bytes]).toEqual([0, 0]);
});

it('[AM11] measures the oldest flush, however many units join it later', async () => {
  const { backlog, time } = scene();
  const { outcome, settle } = flush();
  backlog.add(10, outcome, { settle() {} });
  time.ms = 90;
  backlog.add(10, outcome, { settle() {} });
  expect(() => backlog.check()).not.toThrow();
  time.ms = 101;
  expect(() => backlog.check()).toThrow('a write has taken 101 ms');
  settle(DURABLE);
  await outcome;
  expect(() => backlog.check()).not.toThrow();
});

it('[AM11] bounds the bytes of all flushes together', () => {
  const { backlog } = scene();
  backlog.add(600, flush().outcome, { settle() {} });
  expect(() => backlog.check()).not.toThrow();
  backlog.add(600, flush().outcome, { settle() {} });
  expect(() => backlog.check()).toThrow('1200 bytes wait to be written');
});
