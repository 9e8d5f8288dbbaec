// Options of a run are checked by name before anything starts.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_RUN_LIMITS, runLimits } from '../../../src/participants/processes/program.ts';
import { runningPrograms, runProgram } from '../../../src/participants/processes/run-program.ts';
import { failureOf, Programs } from './programs.ts';

let programs: Programs;
beforeEach(() => {
  programs = new Programs();
});
afterEach(() => {
  const left = programs.left();
  programs.remove();
  expect(left).toEqual([]);
  expect(runningPrograms()).toEqual([]);
});

describe('[RN16] limits', () => {
  it('keep their default if missing or undefined; later ones override', () => {
    expect(runLimits({})).toEqual(DEFAULT_RUN_LIMITS);
    expect(runLimits({ wallMs: undefined, maxLineBytes: undefined })).toEqual(DEFAULT_RUN_LIMITS);
    const merged = runLimits({ wallMs: 5, idleMs: 6 }, { wallMs: 7, idleMs: undefined });
    expect(merged).toMatchObject({ wallMs: 7, idleMs: 6 });
  });

  it('may be null where that makes sense', () => {
    const none = { wallMs: null, firstOutputMs: null, idleMs: null, afterResultMs: null, maxOutputBytes: null };
    expect(runLimits(none)).toEqual({ ...DEFAULT_RUN_LIMITS, ...none });
  });

  it.each([
    [{ graceMs: null }, 'limits.graceMs: expected a number of milliseconds >= 0, got null'],
    [{ maxLineBytes: null }, 'limits.maxLineBytes: expected a whole number of bytes from 1 to 268435456, got null'],
    [
      { maxCapturedBytes: null },
      'limits.maxCapturedBytes: expected a whole number of bytes from 0 to 268435456, got null',
    ],
    [{ wallMs: 0 }, 'limits.wallMs: expected a number of milliseconds > 0, or null for no limit, got 0'],
    [{ wallMs: Number.NaN }, 'limits.wallMs: expected a number of milliseconds > 0, or null for no limit, got NaN'],
    [{ idleMs: -1 }, 'limits.idleMs: expected a number of milliseconds > 0, or null for no limit, got -1'],
    [
      { firstOutputMs: '9' },
      'limits.firstOutputMs: expected a number of milliseconds > 0, or null for no limit, got "9"',
    ],
    [
      { maxOutputBytes: 1.5 },
      'limits.maxOutputBytes: expected a whole number of bytes >= 0, or null for no limit, got 1.5',
    ],
    [{ afterResultMs: -1 }, /^limits\.afterResultMs: expected a number of milliseconds >= 0, or null/],
    [{ maxLineBytes: 0 }, /^limits\.maxLineBytes: .* got 0$/],
    [{ wall: 5 }, /^limits\.wall: expected a known option \(wallMs, /],
    [5, 'limits: expected an object, got 5'],
  ])('%o are rejected by name before anything starts', async (limits, problem) => {
    expect(() => runLimits(limits as never)).toThrow(TypeError);
    expect(() => runLimits(limits as never)).toThrow(problem);
    await expect(runProgram(programs.sh('sleep 60'), {}, limits as never)).rejects.toThrow(problem);
  });

  it('of null let a program run', async () => {
    const none = { wallMs: null, afterResultMs: null, maxOutputBytes: null };
    const ran = await runProgram(programs.sh('echo hello'), { isDone: () => true }, none);
    expect(ran).toMatchObject({ stdout: 'hello\n', endedBy: 'exit' });
  });
});

describe('[RN2] an invalid program', () => {
  it.each([
    [{ tool: 5 }, /^a program: tool: expected text, got 5$/],
    [{ command: undefined }, 'fake: command: expected text, got nothing'],
    [{ args: undefined }, 'fake: args: expected a list of texts, got nothing'],
    [{ args: 'x' }, 'fake: args: expected a list of texts, got "x"'],
    [{ args: ['x', 5] }, 'fake: args: expected a list of texts, got an array of 2'],
    [{ cwd: 5 }, 'fake: cwd: expected text, got 5'],
    [{ home: 5 }, 'fake: home: expected text, got 5'],
    [{ stdin: 5 }, 'fake: stdin: expected text, got 5'],
    [{ passEnv: 'HOME' }, 'fake: passEnv: expected a list of texts, got "HOME"'],
    [{ env: { A: 5 } }, /^fake: env: expected texts by names without =, got an object/],
    [{ env: { 'A=B': 'c' } }, /^fake: env: expected texts by names without =, got an object/],
    [{ env: ['a'] }, 'fake: env: expected texts by names without =, got an array of 1'],
  ])('%o is rejected by field, and not started', async (wrong, problem) => {
    const error = await failureOf(runProgram({ ...programs.sh('sleep 60'), ...wrong } as never));
    expect(error.kind).toBe('spawn_failed');
    expect(error.message).toMatch(problem);
  });
});

it('[RN6] leaves nothing behind if following it fails right after the start', async () => {
  await expect(runProgram(programs.sh('sleep 60'), { signal: {} as never })).rejects.toThrow(/addEventListener/);
  expect(programs.left()).toEqual([]);
});
