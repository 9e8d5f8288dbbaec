/** The folder of this package: the same from the sources and from what is built. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export function packageFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; ; folder = dirname(folder)) {
    if (existsSync(resolve(folder, 'package.json'))) return folder;
    // Bundled into a program of its own: there is no such folder.
    if (dirname(folder) === folder) return here;
  }
}
