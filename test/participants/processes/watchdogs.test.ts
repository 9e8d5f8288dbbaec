// The timeouts alone, on fake timers.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Watchdog } from '../../../src/participants/processes/ending.ts';
import { DEFAULT_RUN_LIMITS, type RunLimits } from '../../../src/participants/processes/program.ts';
import { Watchdogs } from '../../../src/participants/processes/run-monitor.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watchdogs(limits: Partial<RunLimits>) {
  const barked: Watchdog[] = [];
  const dogs = new Watchdogs({ ...DEFAULT_RUN_LIMITS, ...limits }, (watchdog) => barked.push(watchdog));
  return { dogs, barked };
}

it('[RN7] allows 300 s by default, however silent the program is', () => {
  const { barked } = watchdogs({});
  vi.advanceTimersByTime(299_999);
  expect(barked).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(barked).toEqual(['wall']);
});

it('[RN7] stops the first-output timeout at the first output and starts the idle one', () => {
  const { dogs, barked } = watchdogs({ firstOutputMs: 10, idleMs: 100 });
  vi.advanceTimersByTime(9);
  dogs.output();
  vi.advanceTimersByTime(99);
  dogs.output();
  vi.advanceTimersByTime(99);
  expect(barked).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(barked).toEqual(['idle']);
});

it('[RN7] applies only the first-output and total timeouts before the first output', () => {
  const { barked } = watchdogs({ firstOutputMs: null, idleMs: 10 });
  vi.advanceTimersByTime(1_000);
  expect(barked).toEqual([]);
});

it('[RN7] restarts the silence after the result, postponed by output', () => {
  const { dogs, barked } = watchdogs({ idleMs: 10, afterResultMs: 50 });
  dogs.output();
  dogs.result();
  vi.advanceTimersByTime(49);
  dogs.output();
  dogs.result();
  vi.advanceTimersByTime(49);
  expect(barked).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(barked).toEqual(['after_result']);
});

it('[RN7] starts no timeout after stop', () => {
  const { dogs, barked } = watchdogs({ firstOutputMs: 10, idleMs: 10 });
  dogs.stop();
  dogs.output();
  dogs.result();
  vi.advanceTimersByTime(1_000_000);
  expect(barked).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
