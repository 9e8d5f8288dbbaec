// Frames of one peer are taken a few at a time. Here the socket is a list, and the timers are the test's.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AT_ONCE, FairReading, PAUSE_MS } from '../../src/node/wire/fair-reading.ts';
import { Turns } from '../../src/node/wire/turns.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A source that goes on sending what it has, as a chunk of a socket does, also when it is paused in the middle of it. */
function scene() {
  const taken: string[] = [];
  const source = {
    isPaused: false,
    pause() {
      source.isPaused = true;
    },
    resume() {
      source.isPaused = false;
    },
  };
  let each: (text: string) => void = () => {};
  const reading = new FairReading(source, new Turns(), (text) => {
    taken.push(text);
    each(text);
  });
  const chunk = (from: number, count: number) => {
    for (let i = 0; i < count; i++) reading.came(String(from + i));
  };
  const onEach = (run: (text: string) => void) => {
    each = run;
  };
  return { taken, source, reading, chunk, onEach };
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => String(i));

it('[BP7] a chunk of many frames is taken in portions, in order, and nothing more is read meanwhile', () => {
  const { taken, source, chunk } = scene();
  const count = 3 * AT_ONCE + 5;
  chunk(0, count);
  expect(taken).toEqual(upTo(AT_ONCE));
  expect(source.isPaused).toBe(true);
  vi.advanceTimersByTime(PAUSE_MS);
  expect(taken).toEqual(upTo(2 * AT_ONCE));
  vi.advanceTimersByTime(2 * PAUSE_MS);
  expect(taken).toEqual(upTo(count));
  expect(source.isPaused).toBe(false);
});

it('[BP7] who sends a few in a turn is never kept waiting', () => {
  const { taken, source, chunk } = scene();
  for (let turn = 0; turn < 10; turn++) {
    chunk(turn * (AT_ONCE - 1), AT_ONCE - 1);
    expect(source.isPaused).toBe(false);
    vi.advanceTimersByTime(0);
  }
  expect(taken).toEqual(upTo(10 * (AT_ONCE - 1)));
});

it('[BP7, BP1] what is held up waits whole and in order, also when it is held in the middle of a portion', () => {
  const { taken, source, reading, chunk, onEach } = scene();
  onEach((text) => {
    if (text === '3' || text === String(AT_ONCE + 3)) reading.hold();
  });
  chunk(0, 2 * AT_ONCE);
  expect(taken).toEqual(upTo(4));
  vi.advanceTimersByTime(1000);
  expect([taken.length, source.isPaused]).toEqual([4, true]);
  reading.goOn();
  vi.advanceTimersByTime(1000);
  expect(taken).toEqual(upTo(AT_ONCE + 4));
  reading.goOn();
  vi.advanceTimersByTime(1000);
  expect(taken).toEqual(upTo(2 * AT_ONCE));
  expect(source.isPaused).toBe(false);
});

it('[BP7] who is to be read slowly is not read for that long', () => {
  const { taken, source, reading, chunk, onEach } = scene();
  onEach((text) => {
    if (text === '1') reading.slow(50);
  });
  chunk(0, 4);
  vi.advanceTimersByTime(49);
  expect([taken, source.isPaused]).toEqual([upTo(2), true]);
  vi.advanceTimersByTime(1);
  expect([taken, source.isPaused]).toEqual([upTo(4), false]);
});

it('[BP7] what came before the end is taken at the end', () => {
  const { taken, reading, chunk } = scene();
  chunk(0, 2 * AT_ONCE);
  reading.end();
  expect(taken).toEqual(upTo(2 * AT_ONCE));
});
