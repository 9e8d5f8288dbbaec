// The guide to governed runs: every command in it is typed, and answers what stands there, but for ids and times.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { splitWords } from '../../../src/cli/agent-options/programs.ts';
import { read } from '../../package/repository.ts';
import { builtCommand } from '../../server/up-process.ts';
import type { BuiltScript } from '../../support/built-script.ts';
import { itDeep } from '../../support/size.ts';

const guide = read('docs/guides/governed-run.md');
const fences = [...guide.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, kind = '', file, text = '']) => ({
  kind,
  file,
  text,
}));

let command: BuiltScript;
let folder: string;
beforeAll(async () => {
  command = await builtCommand();
  folder = await realpath(await mkdtemp(join(tmpdir(), 'parley-guide-')));
}, 60_000);
afterAll(async () => {
  await command.remove();
  await rm(folder, { recursive: true });
});

/** Of what stands in the guide, what it is here. */
const known = new Map<string, string>();
const IDS = /\b(?:run|turn)_[0-9a-f]{16}\b/g;
const here = (text: string): string => text.replace(IDS, (id) => known.get(id) ?? id);

async function typed(words: string): Promise<string> {
  const [program, ...args] = splitWords(words, 'the guide');
  expect(program).toBe('parley');
  const child = spawn(process.execPath, [command.path, ...args], { cwd: folder });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  child.stdin.end();
  await once(child, 'close');
  return said;
}

/** An id that stands there for the first time is the one that came at its place. */
function learn(expected: string, came: string): void {
  const ids = came.match(IDS) ?? [];
  for (const [at, id] of (expected.match(IDS) ?? []).entries()) {
    const real = ids[at];
    if (!known.has(id) && real !== undefined) known.set(id, real);
  }
}

/** Times, and where the project is. */
const plain = (text: string): string =>
  text
    .replaceAll(folder, '/work/lamp')
    .replace(/\b\d+ [smh] ago/g, 'some time ago')
    .replace(/ for \d+ [smh];/g, ' for some time;')
    .replace(/ {2,}/g, '  ')
    .replace(/ +$/gm, '');

itDeep(
  '[CM20] the guide of governed runs does what it shows',
  async () => {
    expect(fences.map(({ kind }) => kind).filter((kind) => !['console', 'json', 'js'].includes(kind))).toEqual([]);
    let commands = 0;
    for (const { kind, file, text } of fences) {
      if (kind !== 'console') {
        const place = join(folder, here(file ?? ''));
        await mkdir(dirname(place), { recursive: true });
        await writeFile(place, here(text));
        continue;
      }
      for (const [, words = '', answer = ''] of text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
        const came = await typed(here(words));
        learn(answer, came);
        expect(plain(came), words).toBe(plain(here(answer)));
        commands += 1;
      }
    }
    expect(commands).toBeGreaterThan(10);
  },
  120_000,
);
