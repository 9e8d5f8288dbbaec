/** A config file that is a module, in TypeScript or JavaScript: its default export is the config. */

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { asError } from '../../core/lib/errors.ts';
import { whileLoading } from '../../cli/terminal/load-guarded.ts';
import type { Read } from '../../node/config/source.ts';
import { unreadable } from '../../node/config/unreadable.ts';

export async function readModule(file: string): Promise<Read> {
  try {
    const load = /\.[cm]?ts$/.test(file) ? importTyped : importPlain;
    const module: { readonly default?: unknown } = await whileLoading(file, () => load(file));
    const slips = unreadable(module.default).map((problem) => ({ place: null, problem }));
    if (slips.length > 0) return { slips };
    if (module.default !== undefined) return { value: module.default, placeOf: () => null };
    return { slips: [{ place: null, problem: 'expected a default export: export default defineConfig({ … })' }] };
  } catch (thrown) {
    return { slips: [{ place: null, problem: `it cannot be loaded: ${reasonOf(asError(thrown).message, file)}` }] };
  }
}

function importPlain(file: string): Promise<{ readonly default?: unknown }> {
  return import(pathToFileURL(resolve(file)).href);
}

/** Node 20 runs no TypeScript. What the file imports of us is the package as it is, not another copy of it. */
async function importTyped(file: string): Promise<{ readonly default?: unknown }> {
  const { createJiti } = await import('jiti');
  const jiti = createJiti(import.meta.url, { fsCache: false, interopDefault: false, nativeModules: ['parley-hub'] });
  return jiti.import(resolve(file));
}

/** In one line, without the path, which is said before. */
function reasonOf(message: string, file: string): string {
  const [first = '', second = ''] = message.split('\n');
  if (/^Cannot find (module|package) 'parley-hub/.test(first))
    return `${first}; install parley-hub beside it, or leave out the import: defineConfig is for the editor alone`;
  const [, place] = /:(\d+:\d+)$/.exec(second) ?? [];
  return `${first.trim()}${place === undefined || !second.includes(resolve(file)) ? '' : ` (at ${place})`}`;
}
