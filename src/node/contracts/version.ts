/** The version of this package, as its manifest says. */

import { createRequire } from 'node:module';

export function packageVersion(): string {
  // By the package's own name: the same from the sources and from what is built.
  const manifest: { readonly version: string } = createRequire(import.meta.url)('parley-hub/package.json');
  return manifest.version;
}
