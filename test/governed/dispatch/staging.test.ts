// Staged results: accepted only when complete.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readStagedResult, stageResult, validatePaths, waitForStagedResult } from '../../../src/governed/index.ts';
import { Project } from '../hooks/project.ts';

const RESULT = '.agentxchain/staging/turn_wick/turn-result.json';

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.remove());

/** A clock whose waits run the next step instead of passing time. */
class Steps {
  readonly waits: number[] = [];
  readonly #steps: (() => void)[];
  #now = 0;

  constructor(steps: (() => void)[]) {
    this.#steps = steps;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    this.waits.push(ms);
    this.#now += ms;
    this.#steps.shift()?.();
    queueMicrotask(run);
    return () => {};
  }
}

it('[GF7] a missing, partial or empty result is not ready', async () => {
  expect(await readStagedResult(project.root, 'turn_wick')).toEqual({ kind: 'absent' });
  for (const text of ['', '  \n', '{"status":"comp', '{}', '[]', '"text"', 'null', '{"a":1}{']) {
    project.write(RESULT, text);
    expect((await readStagedResult(project.root, 'turn_wick')).kind).toBe('partial');
  }
  project.write(RESULT, '{"status":"completed"}');
  expect(await readStagedResult(project.root, 'turn_wick')).toMatchObject({
    kind: 'ready',
    result: { status: 'completed' },
    size: 22,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

it('[GF7] invalid UTF-8 is not ready', async () => {
  project.write(RESULT, '');
  writeFileSync(join(project.root, RESULT), Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
  expect((await readStagedResult(project.root, 'turn_wick')).kind).toBe('partial');
});

it('[GF7, GF9] refuses a link, a folder, a pipe and an oversized file without hanging', async () => {
  project.write('elsewhere.json', '{"status":"completed"}');
  mkdirSync(join(project.root, '.agentxchain/staging/turn_a'), { recursive: true });
  symlinkSync(join(project.root, 'elsewhere.json'), join(project.root, '.agentxchain/staging/turn_a/turn-result.json'));
  mkdirSync(join(project.root, '.agentxchain/staging/turn_b/turn-result.json'), { recursive: true });
  mkdirSync(join(project.root, '.agentxchain/staging/turn_c'), { recursive: true });
  execFileSync('mkfifo', [join(project.root, '.agentxchain/staging/turn_c/turn-result.json')]);
  project.write('.agentxchain/staging/turn_d/turn-result.json', `{"a":"${'x'.repeat(8 * 1024 * 1024)}"}`);
  for (const turn of ['turn_a', 'turn_b', 'turn_c', 'turn_d', '../turn_a']) {
    expect([turn, (await readStagedResult(project.root, turn)).kind]).toEqual([turn, 'refused']);
  }
});

it('[GF7] refuses JSON nested deeper than 200 before parsing, but not brackets inside texts', async () => {
  const nested = (depth: number) => `{"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  for (const depth of [201, 100_000]) {
    project.write(RESULT, nested(depth));
    expect(await readStagedResult(project.root, 'turn_wick')).toEqual({
      kind: 'refused',
      problem: 'expected JSON that is nested at most 200 deep',
    });
  }
  for (const text of [nested(200), JSON.stringify({ text: '[{'.repeat(500) })]) {
    project.write(RESULT, text);
    expect(await readStagedResult(project.root, 'turn_wick')).toMatchObject({ kind: 'ready' });
  }
});

it('[GF8] a result counts once two reads agree', async () => {
  const steps = new Steps([
    () => project.write(RESULT, '{"status":'),
    () => project.write(RESULT, '{"status":"draft"}'),
    // Overwritten between the two reads.
    () => project.write(RESULT, '{"status":"completed"}'),
  ]);
  const waited = await waitForStagedResult(project.root, 'turn_wick', { clock: steps });
  expect(waited).toMatchObject({ kind: 'ready', result: { status: 'completed' } });
  expect(steps.waits).toEqual([2_000, 2_000, 50, 50]);
});

it('[GF8] accepts a result renamed into place; a later rename wins', async () => {
  project.write('a.json', '{"status":"failed"}');
  project.write('b.json', '{"status":"passed"}');
  mkdirSync(join(project.root, '.agentxchain/staging/turn_wick'), { recursive: true });
  const steps = new Steps([
    () => renameSync(join(project.root, 'a.json'), join(project.root, RESULT)),
    () => renameSync(join(project.root, 'b.json'), join(project.root, RESULT)),
  ]);
  const waited = await waitForStagedResult(project.root, 'turn_wick', { clock: steps });
  expect(waited).toMatchObject({ kind: 'ready', result: { status: 'passed' } });
});

it('[GF8] a timed-out wait reports the last state, and a wait can be aborted', async () => {
  const late = await waitForStagedResult(project.root, 'turn_wick', { timeoutMs: 5_000, clock: new Steps([]) });
  expect(late).toEqual({ kind: 'timeout', last: { kind: 'absent' } });
  project.write(RESULT, '{"half');
  const half = await waitForStagedResult(project.root, 'turn_wick', { timeoutMs: 0, clock: new Steps([]) });
  expect(half).toMatchObject({ kind: 'timeout', last: { kind: 'partial' } });
  const cancel = new AbortController();
  const clock = new Steps([() => cancel.abort()]);
  expect(await waitForStagedResult(project.root, 'turn_wick', { clock, signal: cancel.signal })).toMatchObject({
    kind: 'aborted',
  });
});

it('[GF11] stages a result atomically and leaves no draft', async () => {
  expect(await stageResult(project.root, 'turn_wick', { status: 'completed' })).toEqual({ ok: true, path: RESULT });
  expect(JSON.parse(project.read(RESULT))).toEqual({ status: 'completed' });
  expect(readdirSync(join(project.root, '.agentxchain/staging/turn_wick'))).toEqual(['turn-result.json']);
});

it('[GF11] a failed staging reports the error and leaves no draft', async () => {
  mkdirSync(join(project.root, RESULT), { recursive: true });
  expect(await stageResult(project.root, 'turn_wick', {})).toMatchObject({ ok: false, error_code: 'io_error' });
  expect(readdirSync(join(project.root, '.agentxchain/staging/turn_wick'))).toEqual(['turn-result.json']);
});

it('[GF9] checks declared paths on disk: no alias leads out of the project or to a reserved file', async () => {
  project.write('src/a.ts', 'a');
  symlinkSync(join(project.root, '.agentxchain'), join(project.root, 'books'));
  symlinkSync('/etc', join(project.root, 'src/etc'));
  symlinkSync(join(project.root, 'src'), join(project.root, 'source'));
  const paths = [
    'src/a.ts',
    'src/new/b.ts',
    'source/a.ts',
    './.agentxchain/state.json',
    'src/../.agentxchain/state.json',
    '.agentxchain/events.jsonl',
    '.AgentXchain/state.json',
    '/etc/passwd',
    '../x',
    'books/state.json',
    'books/not-yet.json',
    'src/etc/passwd',
    '.agentxchain/reviews/a.md',
  ];
  expect((await validatePaths(project.root, paths)).map(({ path, code }) => `${path} ${code}`)).toEqual([
    './.agentxchain/state.json reserved',
    'src/../.agentxchain/state.json reserved',
    '.agentxchain/events.jsonl reserved',
    '.AgentXchain/state.json reserved',
    '/etc/passwd not_in_project',
    '../x not_in_project',
    'books/state.json leads_to_reserved',
    'books/not-yet.json leads_to_reserved',
    'src/etc/passwd leads_outside',
  ]);
});
