// Nothing outlives the process that runs programs, however it ends; and much output does not make it grow.

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

/** Both programs run, one of them with a part in a session of its own. */
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
  '[RN13] what a process runs is ended when it is ended by %s',
  async (signal) => {
    const started = start('waits');
    await ready(started);
    expect(programs.left()).toHaveLength(3);
    const guards = guardsOf(started.pid);
    expect(guards).toHaveLength(1);
    started.child.kill(signal);
    expect(await started.exited).toEqual([null, signal]);
    await nothingLeft();
    // The guard has done its work then, and goes too.
    await eventually(
      () => guards.filter(isRunning),
      (left) => left.length === 0,
    );
  },
);

it.each([
  ['exits', 0],
  ['throws', 1],
])('[RN13] a process that %s ends what it runs itself, without its guard', async (how, code) => {
  const started = start(how);
  const said = text(started.child.stdout);
  expect(await started.exited).toEqual([code, null]);
  await nothingLeft();
  const [guard, word] = (await said).split('\n');
  expect(word).toBe('ready');
  process.kill(Number(guard), 'SIGKILL');
});

itDeep('[RN13] what a process runs is guarded also after its guard was killed', async () => {
  const started = start('guard');
  await ready(started);
  started.child.kill('SIGKILL');
  await started.exited;
  await nothingLeft();
});

itDeep.each([
  ['what has emptied its environment in a session of its own', 'unmarked'],
  ['what is known by its parent only, and does not listen,', 'alone'],
])('[RN6, RN13] %s is ended all the same', async (_, how) => {
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

itDeep('[RN13] the guard ends the groups of what runs, and nobody who has the number of what has ended', async () => {
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

it('[RN13] the guard keeps no process from ending', async () => {
  const started = start('ends');
  const said = text(started.child.stdout);
  expect(await started.exited).toEqual([0, null]);
  expect(await said).toBe('well\n\n');
});

itDeep(
  '[RN11] 200 MB of output are read within bounds of memory',
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
