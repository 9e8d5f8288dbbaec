/** Reads every segment of a data folder's journal and reports the time. */

import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(process.argv[2] ?? '', 'journal');
const buffer = Buffer.allocUnsafeSlow(1024 * 1024);
const begin = performance.now();
for (const name of readdirSync(folder)) {
  if (!/^\d+\.journal$/.test(name)) continue;
  const file = openSync(join(folder, name), 'r');
  while (readSync(file, buffer, 0, buffer.length, null) > 0);
  closeSync(file);
}
console.log(JSON.stringify({ ms: performance.now() - begin }));
