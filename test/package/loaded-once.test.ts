// Test files that share one worker: none may leave it changed for the next.

import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { NOT_TOGETHER, TOGETHER } from '../../vitest.config.ts';
import { read, sources } from './repository.ts';

const tests = TOGETHER.flatMap((pattern) => sources(pattern.slice(0, pattern.indexOf('/**'))))
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => !NOT_TOGETHER.includes(file));

/** What would last: modules and timers that are replaced, variables that are set. */
const CHANGES =
  /\bvi\.(mock|doMock|useFakeTimers|setSystemTime|spyOn|stub\w+)\(|process\.env(\.\w+|\[[^\]]+\]) \??=[^=]/;
/** Runs when the part is loaded, which is for the first file only. */
const HOOKS = /^(before|after)(Each|All)\(/m;

/** The support files a test file uses, directly or indirectly. */
function partsOf(file: string, known: Set<string> = new Set()): Set<string> {
  for (const [, path = ''] of read(file).matchAll(/from '(\.{1,2}\/[^']+\.ts)'/g)) {
    const part = join(dirname(file), path);
    if (!part.startsWith('test/') || known.has(part)) continue;
    known.add(part);
    partsOf(part, known);
  }
  return known;
}

it('exist, and so do the excluded ones', () => {
  expect(tests.length).toBeGreaterThan(100);
  expect(NOT_TOGETHER.filter((file) => !sources('test').includes(file))).toEqual([]);
});

it('replace no module or timer, and set no variable', () => {
  const changing = (file: string): boolean => [file, ...partsOf(file)].some((one) => CHANGES.test(read(one)));
  expect(tests.filter(changing)).toEqual([]);
  expect(changing('test/system/system-clock.test.ts')).toBe(true);
});

it('use no part that registers hooks', () => {
  const hooked = (file: string): boolean => [...partsOf(file)].some((part) => HOOKS.test(read(part)));
  expect(tests.filter(hooked)).toEqual([]);
  expect(hooked('test/participants/roles/models.test.ts')).toBe(true);
});
