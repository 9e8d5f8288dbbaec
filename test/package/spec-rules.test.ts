// A test cites every rule, and no test cites a rule that does not exist.
// SPEC.md has the laws and docs/spec the rules, written `- **L1** ...`; a test's title starts with `[L1]` or `[L1, LC3]`.

import { expect, it } from 'vitest';
import { citedIn, citedInQuick, rulesIn } from './citations.ts';
import { documents, read, sources } from './repository.ts';

// The samples in there are not citations.
const samples = 'test/package/citations.test.ts';
const spec = ['SPEC.md', ...documents('docs/spec')].map(read).join('\n');
const tests = [...sources('test'), ...sources('src/testing')].filter((file) => file !== samples);

it('[PK2] a test of npm test cites every rule', () => {
  const rules = rulesIn(spec);
  const cited = new Set(tests.flatMap((file) => citedInQuick(read(file))));
  expect(rules.length).toBeGreaterThan(0);
  expect(rules.filter((rule) => !cited.has(rule))).toEqual([]);
});

it('[PK2] every rule a test cites exists', () => {
  const rules = new Set(rulesIn(spec));
  const unknown = tests.flatMap((file) =>
    citedIn(read(file))
      .filter((rule) => !rules.has(rule))
      .map((rule) => `${file} cites ${rule}`),
  );
  expect(unknown).toEqual([]);
});

it('[PK2] no two rules share an id', () => {
  const rules = rulesIn(spec);
  expect(rules.filter((rule, at) => rules.indexOf(rule) !== at)).toEqual([]);
});
