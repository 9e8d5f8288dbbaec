// Compiles the bench beside the hub in dist/ and runs it there: what is measured is what is published, not a translation on the fly.

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const node = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;

const compiled = node(join(root, 'node_modules/typescript/bin/tsc'), '-p', 'test/bench');
process.exitCode = compiled === 0 ? node('dist/test/bench/main.js', ...process.argv.slice(2)) : compiled;
