/** This package: its version, and its folder, from the sources and from the build alike. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export function packageVersion(): string {
  // By the package's own name: the same from the sources and from what is built.
  const manifest: { readonly version: string } = createRequire(import.meta.url)('parley-hub/package.json');
  return manifest.version;
}

/** Where the package was bundled there is no manifest to look at. */
export function displayVersion(): string {
  try {
    return packageVersion();
  } catch {
    return 'bundled';
  }
}

export function packageFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; ; folder = dirname(folder)) {
    if (existsSync(resolve(folder, 'package.json'))) return folder;
    // Bundled into a program of its own: there is no such folder.
    if (dirname(folder) === folder) return here;
  }
}
