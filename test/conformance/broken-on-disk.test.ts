// Mutants of manifests and hooks: fixtures catch each mistake patched into a copy.

import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { executeAnyFixture } from '../../src/governed/conformance/adapter/execute.ts';
import { type BuiltScript, builtScript } from '../support/built-script.ts';
import { ownOnDisk } from './corpora.ts';

let built: BuiltScript;
beforeAll(async () => {
  built = await builtScript('src/governed/conformance/adapter/execute.ts');
});
afterAll(() => built.remove());

const MISTAKES: readonly (readonly [what: string, right: RegExp, wrong: string, about: RegExp])[] = [
  ['digests that nobody compares', /found\.sha256 === file\.sha256/, 'true', /digest|length/],
  ['folders that nobody enters', /entry\.isDirectory\(\)/, 'false', /folder/],
  ['files that nobody expects', /path !== [^&]+ && !declared\.has\(path\)/, 'false', /expected|hide/],
  ['one annotation more', /annotations\.length > (MAX_ANNOTATIONS|16)/, 'annotations.length > 17', /Seventeen/],
  ['nobody who is skipped', /hooks\.slice\(at \+ 1\)/, 'hooks.slice(at + 2)', /skipped/],
  [
    'advice that blocks',
    /mode === ["']advisory["'] \? ["']advisory["']/,
    'mode === "advice" ? "advisory"',
    /only advises/,
  ],
];

it.each(MISTAKES)('[GV18] %s turn fixtures red', async (what, right, wrong, about) => {
  const text = readFileSync(built.path, 'utf8');
  expect(text).toMatch(right);
  const path = built.path.replace('execute.mjs', `${what.replaceAll(' ', '-')}.mjs`);
  writeFileSync(
    path,
    text.replace(right, () => wrong),
  );
  const broken: { executeAnyFixture: typeof executeAnyFixture } = await import(path);
  const asked = ownOnDisk.filter(({ description }) => about.test(description));
  const answers = await Promise.all(asked.map((fixture) => broken.executeAnyFixture(fixture)));
  expect(answers.map(({ status }) => status)).toContain('fail');
});
