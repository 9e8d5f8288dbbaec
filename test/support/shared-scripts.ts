/** Scripts built once for all test files, in a folder that is removed after the run. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../package/repository.ts';

/** The variable with their folder; without it each builder has its own. */
export const SHARED_SCRIPTS = 'PARLEY_TEST_SCRIPTS';

/** A new folder where scripts find their packages. */
export async function scriptFolder(): Promise<string> {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  return mkdtemp(join(cache, 'parley-script-'));
}

/** vitest calls it before the first file, and its result after the last. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await scriptFolder();
  process.env[SHARED_SCRIPTS] = folder;
  return () => rm(folder, { recursive: true, force: true });
}
