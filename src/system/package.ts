/** The version and folder of this package, for sources and builds. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export function packageVersion(): string {
  // Resolved by package name, which works from sources and builds.
  const manifest: { readonly version: string } = createRequire(import.meta.url)('parley-hub/package.json');
  return manifest.version;
}

/** The package version; a bundle has no package manifest. */
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
    // Bundled into another program: the folder does not exist.
    if (dirname(folder) === folder) return here;
  }
}
