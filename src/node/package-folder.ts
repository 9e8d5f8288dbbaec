/** The folder of this package: the same from the sources and from what is built. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(resolve(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
