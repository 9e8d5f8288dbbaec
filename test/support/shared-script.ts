/** Apart from built-script.ts, which also runs outside of vitest. */

import { beforeAll } from 'vitest';
import { builtScript } from './built-script.ts';

/** A script by its path from the root, built for all tests of the file or `describe`. */
export function sharedScript(name: string): { readonly path: string } {
  const built = { path: '' };
  beforeAll(async () => {
    const script = await builtScript(name);
    built.path = script.path;
    return () => script.remove();
  });
  return built;
}
