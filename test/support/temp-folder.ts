// A folder of its own for a test: removed when the test, or the tests of the file, have ended.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** For one test: call it in the test or in `beforeEach`. What the test closes in `afterEach` is closed before it is removed. */
export function tempFolder(name = 'test'): string {
  const folder = mkdtempSync(join(tmpdir(), `parley-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
