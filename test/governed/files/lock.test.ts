// One lock, many processes: here several takers in one process, which share nothing but the folder.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type HeldLock, takeLock } from '../../../src/governed/files/lock.ts';
import { SimClock } from '../../../src/testing/doubles/sim-clock.ts';

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'parley-lock-'));
  made.push(path);
  return path;
}

async function taken(path: string, clock: SimClock): Promise<HeldLock> {
  const locked = await takeLock(path, { owner: 'test', clock, waitMs: 0 });
  if (!locked.ok) throw new Error(locked.error);
  return locked.lock;
}

/** Says whether somebody waits for it: time passes for him only then, never while he looks at the disk. */
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

it('[GC10] a lock is given again when it was let go, with a greater number', async () => {
  const path = folder();
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

it('[GC10] who waits for a holder that beats gives up after 5 s, however long that goes on', async () => {
  const path = folder();
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

it('[GC10] a holder that is silent is taken over from within the wait, and knows it when he comes back', async () => {
  const path = folder();
  const dead = await taken(path, new SimClock());
  const clock = new WatchedClock();
  const locked = await whileWaiting(clock, takeLock(path, { owner: 'x', clock }));
  expect(locked).toMatchObject({ ok: true });
  expect(clock.monotonic()).toBeGreaterThanOrEqual(3000);
  expect(await dead.isHeld()).toBe(false);
  await dead.release();
  // What he let go was his own: the lock of the other is still held.
  expect(locked.ok && (await locked.lock.isHeld())).toBe(true);
  expect(await takeLock(path, { owner: 'y', clock, waitMs: 0 })).toMatchObject({ ok: false });
});

it('[GC10] who comes late with a number that was used and cleared away does not get it', async () => {
  const path = folder();
  for (const name of ['3', '3.released']) writeFileSync(join(path, name), '');
  const clock = new SimClock();
  let looks = 0;
  const monotonic = clock.monotonic.bind(clock);
  clock.monotonic = () => {
    // After he has seen 3: 4 comes and goes, and 5 holds it.
    if (++looks === 2) writeFileSync(join(path, '5'), '');
    return monotonic();
  };
  expect(await takeLock(path, { owner: 'x', clock, waitMs: 0 })).toMatchObject({
    ok: false,
    error_code: 'lock_timeout',
  });
  expect(readdirSync(path).sort()).toEqual(['3', '3.released', '5']);
});

it('[GC10] one that is let go where its folder is gone is gone, and nobody is troubled with it', async () => {
  const path = folder();
  const lock = await taken(path, new SimClock());
  rmSync(path, { recursive: true });
  await lock.release();
  await lock.release();
  expect((await taken(path, new SimClock())).token).toBe(1);
});

it('[GC10] many who race for it: one at a time, each in the end', async () => {
  const path = folder();
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
