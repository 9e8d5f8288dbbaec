// Frames of one peer are taken a few at a time. Here the socket is a list, and the timers are the test's.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  EventLoopTicks,
  FairReading,
  FRAME_COST,
  MAX_AT_ONCE,
  PAUSE_MS,
} from '../../../src/server/websocket/fair-reading.ts';

const LENGTH = 56;
/** Texts of that length in one turn. */
const AT_ONCE = Math.ceil(MAX_AT_ONCE / (LENGTH + FRAME_COST));
const textOf = (number: number) => String(number).padStart(LENGTH, '0');

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
  const turns = new EventLoopTicks();
  const reading = new FairReading(source, turns, (text) => {
    taken.push(text);
    each(text);
  });
  const chunk = (from: number, count: number) => {
    for (let i = 0; i < count; i++) reading.came(textOf(from + i));
  };
  const onEach = (run: (text: string) => void) => {
    each = run;
  };
  const other = new FairReading({ pause() {}, resume() {} }, turns, () => {});
  const otherSpeaks = () => other.came('something');
  return { taken, source, reading, chunk, onEach, otherSpeaks };
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => textOf(i));

it('[BP7] beside others a chunk of many frames is taken in portions with pauses, in order, and nothing more is read meanwhile', () => {
  const { taken, source, chunk, otherSpeaks } = scene();
  const count = 3 * AT_ONCE + 5;
  otherSpeaks();
  chunk(0, count);
  for (let portion = 1; portion <= 3; portion++) {
    expect([taken, source.isPaused]).toEqual([upTo(portion * AT_ONCE), true]);
    otherSpeaks();
    vi.advanceTimersByTime(PAUSE_MS - 1);
    expect(taken).toEqual(upTo(portion * AT_ONCE));
    vi.advanceTimersByTime(1);
  }
  expect(taken).toEqual(upTo(count));
  expect(source.isPaused).toBe(false);
});

it('[BP7] continues a peer that sends alone in the next tick', () => {
  const { taken, source, chunk } = scene();
  const count = 3 * AT_ONCE + 5;
  const begin = Date.now();
  chunk(0, count);
  expect([taken, source.isPaused]).toEqual([upTo(AT_ONCE), true]);
  vi.runAllTimers();
  expect([taken, source.isPaused]).toEqual([upTo(count), false]);
  // Three turns; pauses would be three times as long.
  expect(Date.now() - begin).toBeLessThan(2 * PAUSE_MS);
});

it('[BP7] large frames are taken one in a turn', () => {
  const { taken, reading, otherSpeaks } = scene();
  otherSpeaks();
  for (let i = 0; i < 3; i++) reading.came('x'.repeat(MAX_AT_ONCE));
  expect(taken).toHaveLength(1);
  vi.advanceTimersByTime(PAUSE_MS);
  expect(taken).toHaveLength(2);
});

it('[BP7] never delays a peer that sends a few frames per tick', () => {
  const { taken, source, chunk } = scene();
  for (let turn = 0; turn < 10; turn++) {
    chunk(turn * (AT_ONCE - 1), AT_ONCE - 1);
    expect(source.isPaused).toBe(false);
    vi.advanceTimersByTime(0);
  }
  expect(taken).toEqual(upTo(10 * (AT_ONCE - 1)));
});

it('[BP7, BP1] keeps held frames complete and in order, also when held within a portion', () => {
  const { taken, source, reading, chunk, onEach } = scene();
  onEach((text) => {
    if (text === textOf(3) || text === textOf(AT_ONCE + 3)) reading.hold();
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

it('[BP7] does not read a slowed peer for that long', () => {
  const { taken, source, reading, chunk, onEach } = scene();
  onEach((text) => {
    if (text === textOf(1)) reading.slow(50);
  });
  chunk(0, 4);
  vi.advanceTimersByTime(49);
  expect([taken, source.isPaused]).toEqual([upTo(2), true]);
  vi.advanceTimersByTime(1);
  expect([taken, source.isPaused]).toEqual([upTo(4), false]);
});

it('[BP7] a pause that was asked for is not cut short at the end of a portion', () => {
  const { taken, reading, chunk, onEach, otherSpeaks } = scene();
  otherSpeaks();
  onEach((text) => {
    if (text === textOf(AT_ONCE - 1)) reading.slow(50);
  });
  chunk(0, AT_ONCE + 1);
  vi.advanceTimersByTime(49);
  expect(taken).toEqual(upTo(AT_ONCE));
  vi.advanceTimersByTime(1);
  expect(taken).toEqual(upTo(AT_ONCE + 1));
});

it('[BP7] takes frames received before the end', () => {
  const { taken, reading, chunk } = scene();
  chunk(0, 2 * AT_ONCE);
  reading.end();
  expect(taken).toEqual(upTo(2 * AT_ONCE));
});

it('[BP8] pings, which are not handed on, take from the same portion, and nothing is read after it', () => {
  const { source, reading } = scene();
  const most = Math.ceil(MAX_AT_ONCE / (125 + FRAME_COST));
  for (let n = 0; n < most - 1; n++) reading.passed(125);
  expect(source.isPaused).toBe(false);
  reading.passed(125);
  expect(source.isPaused).toBe(true);
  vi.runAllTimers();
  expect(source.isPaused).toBe(false);
});
