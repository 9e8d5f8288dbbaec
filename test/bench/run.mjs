// Compiles the benches next to the hub in dist/ and runs the one named, so that published code is measured.

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const node = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;

const compiled = node(join(root, 'node_modules/typescript/bin/tsc'), '-p', 'test/bench');
const [script, ...options] = process.argv.slice(2);
process.exitCode = compiled === 0 ? node(`dist/test/bench/${script}.js`, ...options) : compiled;
