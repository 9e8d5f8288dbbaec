/** The project's fixtures, and a public corpus if the machine has one. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fixture } from '../../src/governed/conformance/fixture.ts';
import { root } from '../package/repository.ts';

export const OWN_FIXTURES: string = join(root, 'test/conformance/fixtures');

/** A folder with `fixtures` and `blind-verify.mjs`; null = not on this machine. */
export const publicCorpus: string | null =
  [process.env.PARLEY_CORPUS, join(root, '..', 'shared', 'conformance')].find(
    (path) => path !== undefined && existsSync(join(path, 'fixtures')),
  ) ?? null;

function fixturesIn(folder: string): readonly Fixture[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Fixture);
}

const all: readonly Fixture[] = fixturesIn(OWN_FIXTURES);

/** Tiers 1 and 3, which need no disk. */
export const own: readonly Fixture[] = all.filter(({ tier }) => tier !== 2);

/** Tier 2: needs a disk and processes. */
export const ownOnDisk: readonly Fixture[] = all.filter(({ tier }) => tier === 2);

export const foreign: readonly Fixture[] =
  publicCorpus === null ? [] : fixturesIn(join(publicCorpus, 'fixtures')).filter(({ tier }) => tier !== 2);

export const foreignOnDisk: readonly Fixture[] =
  publicCorpus === null ? [] : fixturesIn(join(publicCorpus, 'fixtures')).filter(({ tier }) => tier === 2);
