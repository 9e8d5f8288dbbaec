import { systemClock } from 'parley-hub';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const LONGEST_MS = 2 ** 31 - 1;
const YEAR_MS = 365 * 24 * 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([0, 5, LONGEST_MS, LONGEST_MS + 1, 2 * LONGEST_MS, YEAR_MS])(
  '[RE6] the clock of the machine waits %d ms, and not a millisecond less, however long that is',
  (ms) => {
    const run = vi.fn();
    systemClock.after(ms, run);
    if (ms > 0) vi.advanceTimersByTime(ms - 1);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(LONGEST_MS);
    expect(run).toHaveBeenCalledTimes(1);
  },
);

it('[RE6] cancels a long wait in its second part', () => {
  const run = vi.fn();
  const cancel = systemClock.after(YEAR_MS, run);
  vi.advanceTimersByTime(LONGEST_MS + 1);
  cancel();
  vi.advanceTimersByTime(YEAR_MS);
  expect([run.mock.calls, vi.getTimerCount()]).toEqual([[], 0]);
});
