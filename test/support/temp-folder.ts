/** Temporary folders that remove themselves. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, onTestFinished } from 'vitest';

/** For one test: call it in the test or in `beforeEach`. It is removed after what `afterEach` closes. */
export function tempFolder(name = 'test'): string {
  const folder = newFolder(name);
  onTestFinished(() => remove(folder));
  return folder;
}

/** For all tests of the file or `describe` that calls it. Read `path` in tests and in later hooks only. */
export function sharedFolder(name = 'test'): { readonly path: string } {
  const folder = { path: '' };
  beforeAll(() => {
    folder.path = newFolder(name);
    return () => remove(folder.path);
  });
  return folder;
}

function newFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `parley-${name}-`));
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
