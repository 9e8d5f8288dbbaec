// The folder lock, with several takers in one process that share only the folder.

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type HeldLock, takeLock } from '../../../src/governed/files/lock.ts';
import { SimClock } from '../../../src/testing/doubles/sim-clock.ts';
import { tempFolder } from '../../support/temp-folder.ts';

async function taken(path: string, clock: SimClock): Promise<HeldLock> {
  const locked = await takeLock(path, { owner: 'test', clock, waitMs: 0 });
  if (!locked.ok) throw new Error(locked.error);
  return locked.lock;
}

/** Knows whether somebody waits: time passes only then, never during disk access. */
class WatchedClock extends SimClock {
  #waiting = 0;

  get isAwaited(): boolean {
    return this.#waiting > 0;
  }

  override after(ms: number, run: () => void): () => void {
    this.#waiting++;
    const stop = super.after(ms, () => {
      this.#waiting--;
      run();
    });
    return () => {
      this.#waiting--;
      stop();
    };
  }
}

async function whileWaiting<T>(clock: WatchedClock, waiting: Promise<T>, beats?: WatchedClock): Promise<T> {
  let isDone = false;
  const done = waiting.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    if (clock.isAwaited && beats?.isAwaited !== false) {
      beats?.advance(25);
      clock.advance(25);
    }
    await new Promise(setImmediate);
  }
  return done;
}

it('[GC10] a released lock is taken again with a greater number', async () => {
  const path = tempFolder('lock');
  const clock = new SimClock();
  const first = await taken(path, clock);
  expect(await takeLock(path, { owner: 'x', clock, waitMs: 0 })).toMatchObject({
    ok: false,
    error_code: 'lock_timeout',
  });
  await first.release();
  await first.release();
  const second = await taken(path, clock);
  expect(second.token).toBeGreaterThan(first.token);
  expect([await first.isHeld(), await second.isHeld()]).toEqual([false, true]);
  await second.release();
  expect(readdirSync(path).length).toBeLessThanOrEqual(2);
});

it('[GC10] a waiter gives up after 5 s while the holder is alive', async () => {
  const path = tempFolder('lock');
  const holders = new WatchedClock();
  const holder = await taken(path, holders);
  const clock = new WatchedClock();
  for (let round = 0; round < 2; round++) {
    const locked = await whileWaiting(clock, takeLock(path, { owner: 'x', clock }), holders);
    expect(locked).toMatchObject({ ok: false, error_code: 'lock_timeout' });
  }
  expect(clock.monotonic()).toBeGreaterThanOrEqual(10_000);
  expect(await holder.isHeld()).toBe(true);
  await holder.release();
});

it('[GC10] takes over from a silent holder within the wait; the old holder notices', async () => {
  const path = tempFolder('lock');
  const dead = await taken(path, new SimClock());
  const clock = new WatchedClock();
  const locked = await whileWaiting(clock, takeLock(path, { owner: 'x', clock }));
  expect(locked).toMatchObject({ ok: true });
  expect(clock.monotonic()).toBeGreaterThanOrEqual(3000);
  expect(await dead.isHeld()).toBe(false);
  await dead.release();
  // The late release did not touch the new lock.
  expect(locked.ok && (await locked.lock.isHeld())).toBe(true);
  expect(await takeLock(path, { owner: 'y', clock, waitMs: 0 })).toMatchObject({ ok: false });
});

it('[GC10] does not take a number that was used and removed meanwhile', async () => {
  const path = tempFolder('lock');
  for (const name of ['3', '3.released']) writeFileSync(join(path, name), '');
  const clock = new SimClock();
  let looks = 0;
  const monotonic = clock.monotonic.bind(clock);
  clock.monotonic = () => {
    // After 3 was read, 4 comes and goes, and 5 holds the lock.
    if (++looks === 2) writeFileSync(join(path, '5'), '');
    return monotonic();
  };
  expect(await takeLock(path, { owner: 'x', clock, waitMs: 0 })).toMatchObject({
    ok: false,
    error_code: 'lock_timeout',
  });
  expect(readdirSync(path).sort()).toEqual(['3', '3.released', '5']);
});

it('[GC10] releasing a lock whose folder is gone does nothing', async () => {
  const path = tempFolder('lock');
  const lock = await taken(path, new SimClock());
  rmSync(path, { recursive: true });
  await lock.release();
  await lock.release();
  expect((await taken(path, new SimClock())).token).toBe(1);
});

it('[GC10] many takers get the lock one at a time, and all get it', async () => {
  const path = tempFolder('lock');
  let inside = 0;
  const tokens: number[] = [];
  const one = async (): Promise<void> => {
    const locked = await takeLock(path, { owner: 'x', waitMs: 60_000 });
    if (!locked.ok) throw new Error(locked.error);
    expect(++inside).toBe(1);
    tokens.push(locked.lock.token);
    await new Promise(setImmediate);
    inside--;
    await locked.lock.release();
  };
  await Promise.all(Array.from({ length: 12 }, one));
  expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
  expect(new Set(tokens).size).toBe(12);
});
