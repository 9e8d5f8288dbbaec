// Compiles what is published (src, adapters, views, expectations) into dist/, and bundles the console into dist/console.
//
//   node .ci/build.mjs          from nothing: leaves no output of a deleted source behind
//   node .ci/build.mjs --keep   only what changed (`npm start`)

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepConsole } from './build-console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(root, 'dist/src/cli/main.js');

if (!process.argv.includes('--keep')) rmSync(join(root, 'dist'), { recursive: true, force: true });

const tsc = join(root, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-b', 'src', 'src/testing', 'src/client/tsconfig.web.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (existsSync(cli)) chmodSync(cli, 0o755);
process.exitCode = status ?? 1;
if (status === 0) await keepConsole();
