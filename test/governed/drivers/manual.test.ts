// A person does the turn, in virtual time on a real disk.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { VirtualClock } from '../../participants/models/scene.ts';
import { BUNDLE, RESULT, Scene } from './scene.ts';

/** Every wait passes at once; what is done in it is done before. */
class Hours extends VirtualClock {
  readonly waits: number[] = [];
  readonly steps: (() => void)[] = [];

  override after(ms: number, run: () => void): () => void {
    this.waits.push(ms);
    this.steps.shift()?.();
    setImmediate(() => this.toNext());
    return super.after(ms, run);
  }
}

let scene: Scene;
let clock: Hours;
beforeEach(() => {
  scene = new Scene();
  clock = new Hours();
});
afterEach(() => scene.remove());

it('[GA3] who stages nothing in 20 minutes is waited for no longer, and looked for every 2 s', async () => {
  await scene.dispatched({ type: 'manual' });
  const failure = await scene.fails({ clock });
  expect(failure).toMatchObject({ reason: 'timeout', error_class: 'timeout', category: 'transient', blocked: false });
  expect(failure.detail).toContain('nothing was staged');
  expect(clock.monotonic()).toBe(1_200_000);
  expect(new Set(clock.waits)).toEqual(new Set([2_000]));
});

it('[GA3] half a result is not taken, and told when the time is over', async () => {
  await scene.dispatched({ type: 'manual' });
  clock.steps.push(() => scene.project.write(RESULT, '{"schema_version": "1.'));
  const failure = await scene.fails({ clock });
  expect(failure.detail).toContain('not whole');
});

it('[GA3] the time and the interval are those of the config, and the time that is asked for comes first', async () => {
  await scene.dispatched({ type: 'manual', poll_interval_ms: 500, timeout_ms: 3_000 });
  await scene.fails({ clock });
  expect(clock.monotonic()).toBe(3_000);
  expect(clock.waits).toEqual([500, 500, 500, 500, 500, 500]);
  const other = new Hours();
  await scene.fails({ clock: other, timeoutMs: 1_000 });
  expect(other.monotonic()).toBe(1_000);
});

it('[GA3] who cancels is heard while it waits', async () => {
  await scene.dispatched({ type: 'manual' });
  const cancel = new AbortController();
  clock.steps.push(
    () => {},
    () => cancel.abort(),
  );
  expect(await scene.fails({ clock, signal: cancel.signal })).toMatchObject({ reason: 'aborted' });
});

it('[GA3] a person is told what to read and where the result goes, and what they stage is taken when it is whole', async () => {
  await scene.dispatched({ type: 'manual' });
  const text = JSON.stringify(scene.result);
  clock.steps.push(
    () => scene.project.write(RESULT, text.slice(0, 20)),
    () => scene.project.write(RESULT, text),
  );
  expect(await scene.run({ clock })).toEqual({ ok: true, turnResult: scene.result });
  const told = scene.written.join('');
  for (const part of [`${BUNDLE}/PROMPT.md`, `${BUNDLE}/CONTEXT.md`, RESULT, 'builder', 'implementation']) {
    expect(told).toContain(part);
  }
});

it('[GA3] what was handed in while nobody looked is taken in a first attempt', async () => {
  await scene.dispatched({ type: 'manual' });
  scene.project.write(RESULT, JSON.stringify(scene.result));
  expect(await scene.run({ clock })).toMatchObject({ ok: true });
});

it('[GA3] what an earlier attempt left is not taken for the result of this one', async () => {
  await scene.dispatched({ type: 'manual' }, {}, 2);
  scene.project.write(RESULT, JSON.stringify({ ...scene.result, summary: 'old' }));
  clock.steps.push(
    () => {},
    () => scene.project.write(RESULT, JSON.stringify({ ...scene.result, summary: 'new!' })),
  );
  expect(await scene.run({ clock })).toMatchObject({ ok: true, turnResult: { summary: 'new!' } });
  expect(scene.written.join('')).toContain('of an earlier attempt, and is not taken');
});
