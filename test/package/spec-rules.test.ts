// SPEC.md and the tests say the same: every rule is proven by a test that cites it, and no test cites a rule
// that does not exist. Rules are `- **L1** ...` in SPEC.md; a test's title starts with `[L1]` or `[L1, LC3]`.

import { expect, it } from 'vitest';
import { citedIn, citedInQuick, rulesIn } from './citations.ts';
import { read, sources } from './repository.ts';

// The samples in there are not citations.
const samples = 'test/package/citations.test.ts';
const tests = [...sources('test'), ...sources('src/testing')].filter((file) => file !== samples);

it('[PK2] every rule of SPEC.md is cited by a test of npm test', () => {
  const rules = rulesIn(read('SPEC.md'));
  const cited = new Set(tests.flatMap((file) => citedInQuick(read(file))));
  expect(rules.length).toBeGreaterThan(0);
  expect(rules.filter((rule) => !cited.has(rule))).toEqual([]);
});

it('[PK2] every rule a test cites is in SPEC.md', () => {
  const rules = new Set(rulesIn(read('SPEC.md')));
  const unknown = tests.flatMap((file) =>
    citedIn(read(file))
      .filter((rule) => !rules.has(rule))
      .map((rule) => `${file} cites ${rule}`),
  );
  expect(unknown).toEqual([]);
});

it('[PK2] no two rules of SPEC.md share an id', () => {
  const rules = rulesIn(read('SPEC.md'));
  expect(rules.filter((rule, at) => rules.indexOf(rule) !== at)).toEqual([]);
});
