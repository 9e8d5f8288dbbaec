// Compiles the benches beside the hub in dist/ and runs the one that is named there: what is measured is what is published, not a
// translation on the fly.

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const node = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;

const compiled = node(join(root, 'node_modules/typescript/bin/tsc'), '-p', 'test/bench');
const [script, ...options] = process.argv.slice(2);
process.exitCode = compiled === 0 ? node(`dist/test/bench/${script}.js`, ...options) : compiled;
