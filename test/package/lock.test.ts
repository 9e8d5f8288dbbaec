// The lock file installs on any machine, from any npm registry.

import { expect, it } from 'vitest';
import { read, run } from './repository.ts';

it('package-lock.json names no registry', () => {
  expect(read('package-lock.json')).not.toMatch(/"resolved":|registry/);
});

it('package-lock.json lists the packages of every platform', async () => {
  expect(await run(process.execPath, ['.ci/complete-lock.mjs', '--check'])).toEqual({ code: 0, output: '' });
});
