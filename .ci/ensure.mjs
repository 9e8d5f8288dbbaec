// Installs what package-lock.json asks for, once: `npm start` and `npm test` work on a fresh clone.
// A stamp in node_modules remembers which lock file (and machine) the installed tree belongs to.
//
//   node .ci/ensure.mjs           install if the stamp does not match
//   node .ci/ensure.mjs --stamp   npm's own `dependencies` hook: an install just ended, remember it

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.ensure-stamp');
const lockFile = join(root, '.ensure.lock');
const maxWaitMs = 10 * 60_000;

if (process.argv.includes('--stamp')) {
  if (complete()) stamp();
} else if (!fresh()) {
  await locked(() => {
    // Another process may have installed while this one waited for its turn.
    if (!fresh()) install();
  });
}

function wanted() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return createHash('sha256').update(lock).update(`${process.platform} ${process.arch}`).digest('hex');
}

function fresh() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted() && complete();
}

/** False after `npm install --omit=dev`, or when someone deleted a package by hand. */
function complete() {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.keys({ ...dependencies, ...devDependencies }).every((name) =>
    existsSync(join(root, 'node_modules', name, 'package.json')),
  );
}

function stamp() {
  mkdirSync(dirname(stampFile), { recursive: true });
  const draft = `${stampFile}.${process.pid}`;
  writeFileSync(draft, wanted());
  renameSync(draft, stampFile);
}

function install() {
  console.log('installing dependencies (npm ci) ...');
  const cli = process.env.npm_execpath ?? '';
  const [command, args] = basename(cli) === 'npm-cli.js' ? [process.execPath, [cli]] : ['npm', []];
  const { status, signal, error, stdout, stderr } = spawnSync(
    command,
    [...args, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && command === 'npm',
    },
  );
  if (status !== 0) {
    const why = error?.message ?? (signal ? `npm ci was killed by ${signal}` : `npm ci exited with code ${status}`);
    console.error(`${stdout ?? ''}${stderr ?? ''}`.trimEnd());
    console.error(`\nDependencies could not be installed: ${why} (in ${root}).`);
    console.error('Check the network and the registry npm is set to, then run the command again.');
    // exitCode, not exit(): the lock has to be given back.
    process.exitCode = status || 1;
    return;
  }
  stamp();
}

/** One install at a time. The lock holds the pid of its owner; a dead owner's lock is taken away. */
async function locked(work) {
  const deadline = Date.now() + maxWaitMs;
  while (!acquire()) {
    if (Date.now() > deadline) {
      console.error(`Another install seems to be running. If none is, delete ${lockFile} and try again.`);
      process.exitCode = 1;
      return;
    }
    await sleep(200);
  }
  try {
    work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function acquire() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const owner = lockOwner(lockFile);
  if (owner !== undefined && !alive(owner)) takeAway(owner);
  return false;
}

/** Renaming first makes sure that of two waiters only one removes the dead owner's lock. */
function takeAway(owner) {
  const aside = `${lockFile}.${process.pid}`;
  try {
    renameSync(lockFile, aside);
  } catch {
    return;
  }
  if (lockOwner(aside) === owner) rmSync(aside, { force: true });
  else renameSync(aside, lockFile);
}

function lockOwner(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
