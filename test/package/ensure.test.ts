// `npm start` and `npm test` install what they need: .ci/ensure.mjs, run with the real npm.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { type Ended, root, run, withoutNpm } from './repository.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-ensure-'));
  mkdirSync(join(folder, '.ci'));
  cpSync(join(root, '.ci/ensure.mjs'), join(folder, '.ci/ensure.mjs'));
  writeManifest('1.0.0');
  writeLock('1.0.0');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('[PK3] installs on the first run and not on the second', async () => {
  expect(await ensure()).toEqual({ code: 0, output: 'installing dependencies (npm ci) ...\n' });
  expect(await ensure()).toEqual({ code: 0, output: '' });
});

it('[PK3] installs again when the lock file changes or node_modules is gone', async () => {
  await ensure();
  writeManifest('1.0.1');
  writeLock('1.0.1');
  expect((await ensure()).output).toContain('installing');
  expect((await ensure()).output).toBe('');
  rmSync(join(folder, 'node_modules'), { recursive: true });
  expect((await ensure()).output).toContain('installing');
});

it('[PK3] reports what failed, exits non-zero, and tries again the next time', async () => {
  writeManifest('1.0.0', { dependencies: { 'parley-no-such-package': '1.0.0' } });
  const failure = await ensure();
  expect(failure.code).not.toBe(0);
  expect(failure.output).toContain('Dependencies could not be installed: npm ci exited with code 1');
  expect(failure.output).toContain('parley-no-such-package');
  expect((await ensure()).code).not.toBe(0);
  writeManifest('1.0.0');
  expect((await ensure()).code).toBe(0);
});

it('[PK3] installs once when several start together', async () => {
  const runs = await Promise.all([ensure(), ensure(), ensure()]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(runs.filter(({ output }) => output.includes('installing'))).toHaveLength(1);
  expect(readdirSync(folder).filter((name) => name.includes('lock'))).toEqual(['package-lock.json']);
});

it('[PK3] takes over the lock of a process that died', async () => {
  const died = await run(process.execPath, ['-e', 'console.log(process.pid)']);
  writeFileSync(join(folder, '.ensure.lock'), died.output.trim());
  expect((await ensure()).code).toBe(0);
  expect(existsSync(join(folder, '.ensure.lock'))).toBe(false);
});

it('[PK3] accepts an install made by hand', async () => {
  mkdirSync(join(folder, 'local'));
  writeJson('local/package.json', { name: 'local', version: '1.0.0' });
  const scripts = { dependencies: manifest.scripts.dependencies };
  writeManifest('1.0.0', { scripts, dependencies: { local: 'file:./local' } });
  expect((await run('npm', ['install', '--no-audit'], { cwd: folder, env: withoutNpm() })).code).toBe(0);
  expect(await ensure()).toEqual({ code: 0, output: '' });
});

it('[PK3] does not accept an install that left packages out', async () => {
  writeManifest('1.0.0', { devDependencies: { 'parley-no-such-package': '1.0.0' } });
  await run(process.execPath, ['.ci/ensure.mjs', '--stamp'], { cwd: folder });
  expect((await ensure()).output).toContain('installing');
});

function ensure(): Promise<Ended> {
  return run(process.execPath, ['.ci/ensure.mjs'], { cwd: folder, env: withoutNpm() });
}

function writeManifest(version: string, more: object = {}): void {
  writeJson('package.json', { name: 'fresh-clone', version, private: true, ...more });
}

function writeLock(version: string): void {
  const packages = { '': { name: 'fresh-clone', version } };
  writeJson('package-lock.json', { name: 'fresh-clone', version, lockfileVersion: 3, requires: true, packages });
}

function writeJson(path: string, value: object): void {
  writeFileSync(join(folder, path), `${JSON.stringify(value, null, 2)}\n`);
}
