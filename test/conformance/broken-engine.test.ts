// Mutants of the engine: fixtures catch each mistake patched into a copy.

import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { executeFixture } from '../../src/governed/conformance/adapter/execute.ts';
import { type BuiltScript, builtScript } from '../support/built-script.ts';
import { own } from './corpora.ts';

let built: BuiltScript;
beforeAll(async () => {
  built = await builtScript('src/governed/conformance/adapter/execute.ts');
});
afterAll(() => built.remove());

const MISTAKES: readonly (readonly [what: string, right: RegExp, wrong: string, surface: string])[] = [
  ['one turn too many', /getActiveTurnCount\(state\) >= limit/, 'getActiveTurnCount(state) > limit', 'state_machine'],
  ['a phase too far', /phases\[at \+ 1\]/, 'phases[at + 2]', 'gate_semantics'],
  ['a sequence that stands', /state\.accepted_sequence \+ 1,\s+last_/, 'state.accepted_sequence, last_', 'history'],
  ['one delegation more', /MAX_DELEGATIONS = 5/, 'MAX_DELEGATIONS = 6', 'delegation'],
  ['a limit of five', /MAX_CONCURRENT_TURNS = 4/, 'MAX_CONCURRENT_TURNS = 5', 'parallel_turns'],
  ['time that goes back', /!\(ms >= latest\)/, 'false', 'event_lifecycle'],
  ['an id that enters twice', /taken\.has\(id\)/, 'taken.size > 99', 'decision_ledger'],
  ['equal authority refused', /\?\? 0\) < needed/, '?? 0) <= needed', 'decision_carryover'],
  [
    'nothing reserved',
    /return path\.startsWith/,
    'return path.length > 99 && path.startsWith',
    'turn_result_validation',
  ],
  ['half of the repos', /required_repos\.length > 0 && required_repos\.every/, 'required_repos.some', 'coordinator'],
  ['a neighbour within', /part === parts\[at\]\)/, 'part === parts[at] || at > 0)', 'coordinator'],
  ['any version', /schema_version === (CONFIG_VERSION|"1\.0")\)/, 'schema_version !== 9)', 'config_schema'],
];

it.each(MISTAKES)('[GV18] %s turns fixtures red', async (what, right, wrong, surface) => {
  const text = readFileSync(built.path, 'utf8');
  expect(text).toMatch(right);
  const path = built.path.replace('execute.mjs', `${what.replaceAll(' ', '-')}.mjs`);
  writeFileSync(
    path,
    text.replace(right, () => wrong),
  );
  const broken: { executeFixture: typeof executeFixture } = await import(path);
  const red = own.filter((fixture) => broken.executeFixture(fixture).status !== 'pass');
  expect([...new Set(red.map((fixture) => fixture.surface))]).toContain(surface);
  // Nothing else is wrong with the copy.
  expect(red.length).toBeLessThan(own.length / 4);
});
