// The environment of a program: as little as possible.

import { statSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programEnvironment } from '../../../src/participants/processes/environment.ts';
import { runProgram } from '../../../src/participants/processes/run-program.ts';
import { runningPrograms } from '../../../src/participants/processes/tree/running.ts';
import { eventually, Programs } from './programs.ts';

let programs: Programs;
beforeEach(() => {
  programs = new Programs();
});
afterEach(() => {
  expect(programs.left()).toEqual([]);
  programs.remove();
});

const ours = {
  PATH: '/bin',
  HOME: '/home/ada',
  LANG: 'C.UTF-8',
  LC_TIME: 'de_DE',
  TERM: 'xterm',
  FORCE_COLOR: '1',
  ANTHROPIC_API_KEY: 'test-key',
  HTTPS_PROXY: 'http://user:password@proxy',
  NODE_OPTIONS: '--inspect',
  PARLEY_TOKEN: 'secret',
  PARLEY_RUN_0123: '1',
};

it('[RN12] passes only safe variables, without terminal and colour', () => {
  expect(programEnvironment({}, ours)).toEqual({
    PATH: '/bin',
    HOME: '/home/ada',
    LANG: 'C.UTF-8',
    LC_TIME: 'de_DE',
    TERM: 'dumb',
    NO_COLOR: '1',
    PARLEY_RUN_0123: '1',
  });
});

it('[RN12] passes more by name; explicit values take precedence', () => {
  const seen = programEnvironment(
    { passEnv: ['ANTHROPIC_API_KEY', 'NOT_THERE'], home: '/own', env: { LANG: 'fr', TERM: 'vt100' } },
    ours,
  );
  expect(seen).toMatchObject({ ANTHROPIC_API_KEY: 'test-key', HOME: '/own', LANG: 'fr', TERM: 'vt100' });
  expect(Object.keys(seen)).not.toContain('NOT_THERE');
  expect(Object.keys(seen)).not.toContain('HTTPS_PROXY');
});

it('[RN12] passes these and the mark only', async () => {
  process.env.PARLEY_TEST_SECRET = 'secret';
  const { stdout } = await runProgram(programs.program('/usr/bin/env', []));
  delete process.env.PARLEY_TEST_SECRET;
  const expected = [...Object.keys(programEnvironment({})), programs.mark].sort();
  const names = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0] ?? '');
  expect(names.filter((name) => !name.startsWith('PARLEY_RUN_')).sort()).toEqual(expected);
  expect(names.filter((name) => name.startsWith('PARLEY_RUN_'))).toHaveLength(1);
});

it('[RN12] creates a private home when needed', async () => {
  const home = programs.path('homes/ada');
  const { stdout } = await runProgram(programs.sh('echo "$HOME"; echo kept > "$HOME/file"', { home }));
  expect(stdout).toBe(`${home}\n`);
  expect(statSync(home).mode & 0o777).toBe(0o700);
  const again = await runProgram(programs.sh('cat "$HOME/file"', { home }));
  expect(again.stdout).toBe('kept\n');
});

it('[RN13] lists programs while they run', async () => {
  const stop = new AbortController();
  const before = Date.now();
  const run = runProgram(programs.sh('echo ready; sleep 60', { tool: 'sleeper' }), { signal: stop.signal });
  const [listed] = await eventually(runningPrograms, (list) => list.length === 1);
  expect(listed).toEqual({ tool: 'sleeper', pid: expect.any(Number), sinceMs: expect.any(Number) });
  expect(listed?.sinceMs).toBeGreaterThanOrEqual(before);
  stop.abort();
  await expect(run).rejects.toMatchObject({ kind: 'aborted' });
  expect(runningPrograms()).toEqual([]);
});
