/** Scripts are built once for all files of tests, in a folder that goes when the run ends. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../package/repository.ts';

/** The variable that says where they are; without it whoever builds a script has it alone. */
export const SHARED_SCRIPTS = 'PARLEY_TEST_SCRIPTS';

/** A new one, where scripts find the packages they need. */
export async function scriptFolder(): Promise<string> {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  return mkdtemp(join(cache, 'parley-script-'));
}

/** vitest calls it before the first file; what it answers, after the last. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await scriptFolder();
  process.env[SHARED_SCRIPTS] = folder;
  return () => rm(folder, { recursive: true, force: true });
}
