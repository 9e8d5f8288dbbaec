// `npm start`: installs and builds what is needed, then is the hub itself: `parley up` with the arguments given.

import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const steps = [['.ci/ensure.mjs'], ['.ci/build.mjs', '--keep']];
const failed = steps.find((step) => spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' }).status !== 0);

if (failed === undefined) {
  endWithParent();
  process.argv.splice(2, 0, 'up');
  await import('../dist/src/cli/main.js');
} else {
  process.exitCode = 1;
}

/** npm passes SIGTERM on to a shell, which ends without a word to us: a hub nobody knows of would keep the port. */
function endWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}
