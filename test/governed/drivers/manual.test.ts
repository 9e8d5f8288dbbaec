// The manual driver in virtual time on a real disk.

import { beforeEach, expect, it } from 'vitest';
import { VirtualClock } from '../../participants/models/scene.ts';
import { BUNDLE, RESULT, Scene } from './scene.ts';

/** Every wait passes immediately, after running the next step. */
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

const IDLE = (): void => {};

const scene = Scene.fresh();
let clock: Hours;
beforeEach(() => {
  clock = new Hours();
});

it('[GA3] polls every 2 s and times out after 20 minutes', async () => {
  await scene.dispatched({ type: 'manual' });
  const failure = await scene.fails({ clock });
  expect(failure).toMatchObject({ reason: 'timeout', error_class: 'timeout', category: 'transient', blocked: false });
  expect(failure.detail).toContain('nothing was staged');
  expect(clock.monotonic()).toBe(1_200_000);
  expect(new Set(clock.waits)).toEqual(new Set([2_000]));
});

it('[GA3] ignores half a result and reports it at the timeout', async () => {
  await scene.dispatched({ type: 'manual' });
  clock.steps.push(() => scene.project.write(RESULT, '{"schema_version": "1.'));
  const failure = await scene.fails({ clock });
  expect(failure.detail).toContain('the staged file is incomplete');
});

it('[GA3] takes timeout and interval from the config unless a timeout is requested', async () => {
  await scene.dispatched({ type: 'manual', poll_interval_ms: 500, timeout_ms: 3_000 });
  await scene.fails({ clock });
  expect(clock.monotonic()).toBe(3_000);
  expect(clock.waits).toEqual([500, 500, 500, 500, 500, 500]);
  const other = new Hours();
  await scene.fails({ clock: other, timeoutMs: 1_000 });
  expect(other.monotonic()).toBe(1_000);
});

it('[GA3] can be cancelled while it waits', async () => {
  await scene.dispatched({ type: 'manual' });
  const cancel = new AbortController();
  clock.steps.push(IDLE, () => cancel.abort());
  expect(await scene.fails({ clock, signal: cancel.signal })).toMatchObject({ reason: 'aborted' });
});

it('[GA3] tells a person what to read and write, and returns the staged result once it is complete', async () => {
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

it('[GA3] accepts a result staged before the first attempt', async () => {
  await scene.dispatched({ type: 'manual' });
  scene.project.write(RESULT, JSON.stringify(scene.result));
  expect(await scene.run({ clock })).toMatchObject({ ok: true });
});

it('[GA3] ignores the result that an earlier attempt left', async () => {
  await scene.dispatched({ type: 'manual' }, {}, 2);
  scene.project.write(RESULT, JSON.stringify({ ...scene.result, summary: 'old' }));
  clock.steps.push(IDLE, () => scene.project.write(RESULT, JSON.stringify({ ...scene.result, summary: 'new!' })));
  expect(await scene.run({ clock })).toMatchObject({ ok: true, turnResult: { summary: 'new!' } });
  expect(scene.written.join('')).toContain('from an earlier attempt and is ignored');
});
