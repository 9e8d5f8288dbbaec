// A prompt in a file is gone with the run; that of a process which was killed is taken away by the next one.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { handOver } from '../../src/node/clis/hand-over.ts';
import { makePromptFolder, sweepPromptFolders } from '../../src/participants/clis/deliver-prompt.ts';

let root: string;
const usual = process.env.TMPDIR;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parley-sweep-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
  if (usual === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = usual;
});

/** A folder of a process that was killed before it could take it away. */
async function leftBehind(): Promise<string> {
  const owner = spawn('sleep', ['60']);
  const folder = await makePromptFolder(root, owner.pid);
  writeFileSync(join(folder, 'prompt.md'), 'secret');
  await sweepPromptFolders(root);
  expect(existsSync(folder)).toBe(true);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  return folder;
}

it('[AC1] the prompt of a process that lives is left alone, that of one that was killed is taken away', async () => {
  const own = await makePromptFolder(root);
  const folder = await leftBehind();
  await sweepPromptFolders(root);
  expect(readdirSync(root).map((name) => join(root, name))).toEqual([own]);
  expect(existsSync(folder)).toBe(false);
});

it('[AC1] a process that has the number of the one that was killed does not keep its prompt', async () => {
  const own = await makePromptFolder(root);
  const another = own.replace(`-${process.pid}-`, `-${process.pid}-1`);
  mkdirSync(another);
  await sweepPromptFolders(root);
  expect(existsSync(own)).toBe(true);
  expect(existsSync(another)).toBe(false);
});

it('[AC1] what is not ours to take away stays: of another machine, another name, no folder, nothing at all', async () => {
  const folder = await leftBehind();
  const name = folder.slice(root.length + 1);
  const elsewhere = name.replace(/^parley-prompt-[0-9a-f]{8}/, 'parley-prompt-00000000');
  mkdirSync(join(root, elsewhere));
  mkdirSync(join(root, 'parley-prompt-old'));
  writeFileSync(join(root, `${name}f`), '');
  mkdirSync(join(root, 'kept'));
  symlinkSync(join(root, 'kept'), join(root, `${name}l`));
  await sweepPromptFolders(root);
  expect(readdirSync(root).toSorted()).toEqual(
    ['kept', 'parley-prompt-old', elsewhere, `${name}f`, `${name}l`].toSorted(),
  );
  await expect(sweepPromptFolders(join(root, 'nowhere'))).resolves.toBeUndefined();
});

it('[AC1] the first prompt that a process hands over sweeps; a file is for our eyes only', async () => {
  const folder = await leftBehind();
  process.env.TMPDIR = root;
  const handed = await handOver('file', 'Hello');
  expect(existsSync(folder)).toBe(false);
  const file = handed.promptFile ?? '';
  expect(dirname(dirname(file))).toBe(root);
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  expect((statSync(dirname(file)).mode & 0o777).toString(8)).toBe('700');
  await handed.close();
  expect(readdirSync(root)).toEqual([]);
});
