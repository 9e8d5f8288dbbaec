// What the command of capabilities.json starts. In a fresh clone it installs and builds first; stdout is the answer's alone.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/src/governed/conformance/adapter/main.js', import.meta.url);

if (!existsSync(built)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  for (const step of [['.ci/ensure.mjs'], ['.ci/build.mjs', '--keep']]) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: ['ignore', 2, 2] });
    if (status !== 0) {
      process.stdout.write(`${JSON.stringify({ status: 'error', message: `${step[0]} failed`, actual: null })}\n`);
      process.exit(2);
    }
  }
}
await import(built.href);
