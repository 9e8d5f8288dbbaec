/** Folders and built scripts, removed when the test, or its file or describe, is over. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, onTestFinished } from 'vitest';
import { builtScript } from './built-script.ts';

/** For one test. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** For all tests of a file or a describe, where it is called. The path is known in tests and in later hooks. */
export function sharedFolder(): { readonly path: string } {
  const folder = { path: '' };
  beforeAll(async () => {
    folder.path = await mkdtemp(join(tmpdir(), 'parley-test-'));
    return () => rm(folder.path, { recursive: true, force: true });
  });
  return folder;
}

/** A script by its path from the root, built for all tests of a file or a describe, where it is called. */
export function sharedScript(name: string): { readonly path: string } {
  const built = { path: '' };
  beforeAll(async () => {
    const script = await builtScript(name);
    built.path = script.path;
    return () => script.remove();
  });
  return built;
}
