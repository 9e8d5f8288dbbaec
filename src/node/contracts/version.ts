/** The version of this package, as its manifest says. */

import { createRequire } from 'node:module';

export function packageVersion(): string {
  // By the package's own name: the same from the sources and from what is built.
  const manifest: { readonly version: string } = createRequire(import.meta.url)('parley-hub/package.json');
  return manifest.version;
}

/** Where the package was bundled there is no manifest to look at. */
export function shownVersion(): string {
  try {
    return packageVersion();
  } catch {
    return 'bundled';
  }
}
