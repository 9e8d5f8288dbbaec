// Nothing outlives the process that runs programs, and large output does not fill its memory.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type BuiltScript, builtScript } from '../../support/built-script.ts';
import { itDeep } from '../../support/size.ts';
import { eventually, guardsOf, isRunning, Programs } from './programs.ts';

let script: BuiltScript;
let programs: Programs;
let parent: ChildProcess | null = null;

beforeAll(async () => {
  script = await builtScript('test/participants/processes/parent.ts');
});
afterAll(() => script.remove());
beforeEach(() => {
  programs = new Programs();
});
afterEach(async () => {
  parent?.kill('SIGKILL');
  await nothingLeft();
  programs.remove();
});

function start(how: string) {
  const child = spawn(process.execPath, [script.path, how, programs.mark], { stdio: ['ignore', 'pipe', 'ignore'] });
  parent = child;
  const exited = once(child, 'exit');
  return { child, exited, pid: child.pid ?? 0 };
}

/** Both programs run, one with a child in another session. */
async function ready({ child }: { readonly child: ReturnType<typeof start>['child'] }): Promise<void> {
  const [said] = await once(child.stdout, 'data');
  expect(String(said)).toBe('ready\n');
}

function nothingLeft(): Promise<unknown> {
  return eventually(
    () => programs.left(),
    (left) => left.length === 0,
  );
}

itDeep.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '[RN13] ends the programs of a process that is ended by %s',
  async (signal) => {
    const started = start('waits');
    await ready(started);
    expect(programs.left()).toHaveLength(3);
    const guards = guardsOf(started.pid);
    expect(guards).toHaveLength(1);
    started.child.kill(signal);
    expect(await started.exited).toEqual([null, signal]);
    await nothingLeft();
    // The guard then exits too.
    await eventually(
      () => guards.filter(isRunning),
      (left) => left.length === 0,
    );
  },
);

it.each([
  ['exits', 0],
  ['throws', 1],
])('[RN13] a process that %s ends its programs itself, without the guard', async (how, code) => {
  const started = start(how);
  const said = text(started.child.stdout);
  expect(await started.exited).toEqual([code, null]);
  await nothingLeft();
  const [guard, word] = (await said).split('\n');
  expect(word).toBe('ready');
  process.kill(Number(guard), 'SIGKILL');
});

itDeep('[RN13] replaces a killed guard', async () => {
  const started = start('guard');
  await ready(started);
  started.child.kill('SIGKILL');
  await started.exited;
  await nothingLeft();
});

itDeep.each([
  ['a program without environment in another session', 'unmarked'],
  ['a stubborn program known only by its parent', 'alone'],
])('[RN6, RN13] ends %s', async (_, how) => {
  const started = start(how);
  const [said] = await once(started.child.stdout, 'data');
  const pid = Number(said);
  expect(isRunning(pid)).toBe(true);
  started.child.kill('SIGKILL');
  await started.exited;
  await eventually(
    () => isRunning(pid),
    (runs) => !runs,
  );
});

itDeep('[RN13] the guard ends running groups only, not one whose program has ended', async () => {
  const started = start('groups');
  const [said] = await once(started.child.stdout, 'data');
  const [ended = 0, running = 0] = String(said).split(' ').map(Number);
  const guards = guardsOf(started.pid);
  started.child.kill('SIGKILL');
  await eventually(
    () => [running, ...guards].filter(isRunning),
    (left) => left.length === 0,
  );
  expect(isRunning(ended)).toBe(true);
  process.kill(ended, 'SIGKILL');
});

it('[RN13] the guard does not keep a process alive', async () => {
  const started = start('ends');
  const said = text(started.child.stdout);
  expect(await started.exited).toEqual([0, null]);
  expect(await said).toBe('well\n\n');
});

itDeep(
  '[RN11] reads 200 MB of output in limited memory',
  async () => {
    const started = start('flood');
    const { grownMib, ...told } = JSON.parse(await text(started.child.stdout));
    expect(told).toEqual({
      exitCode: 0,
      truncated: true,
      lines: Math.ceil(100_000_000 / 11),
      longest: 8 * 1024 * 1024,
      captured: expect.any(Number),
    });
    expect(told.captured).toBeLessThan(1024 * 1024 + 64);
    expect(grownMib).toBeLessThan(96);
  },
  60_000,
);
