/** Reads a config module in TypeScript or JavaScript: its default export is the config. */

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadGuarded } from '../../cli/terminal/load-guarded.ts';
import { asError } from '../../core/lib/errors.ts';
import { type KeyPath, keyText, type ReadResult } from './location.ts';

export async function readModule(file: string): Promise<ReadResult> {
  try {
    const load = /\.[cm]?ts$/.test(file) ? importTyped : importPlain;
    const module: { readonly default?: unknown } = await loadGuarded(file, () => load(file));
    const slips = unreadable(module.default).map((problem) => ({ location: null, problem }));
    if (slips.length > 0) return { slips };
    if (module.default !== undefined) return { value: module.default, locationOf: () => null };
    return { slips: [{ location: null, problem: 'expected a default export: export default defineConfig({ … })' }] };
  } catch (thrown) {
    return { slips: [{ location: null, problem: `cannot be loaded: ${reasonOf(asError(thrown).message, file)}` }] };
  }
}

function importPlain(file: string): Promise<{ readonly default?: unknown }> {
  return import(pathToFileURL(resolve(file)).href);
}

/** Uses jiti, as Node 20 runs no TypeScript. `nativeModules` makes the file import this package, not a second copy. */
async function importTyped(file: string): Promise<{ readonly default?: unknown }> {
  const { createJiti } = await import('jiti');
  const jiti = createJiti(import.meta.url, { fsCache: false, interopDefault: false, nativeModules: ['parley-hub'] });
  return jiti.import(resolve(file));
}

/** Shortens the message to one line without the path, which the error already has. */
function reasonOf(message: string, file: string): string {
  const [first = '', second = ''] = message.split('\n');
  if (/^Cannot find (module|package) 'parley-hub/.test(first))
    return `${first}; install parley-hub next to it, or remove the import: defineConfig only helps the editor`;
  const [, place] = /:(\d+:\d+)$/.exec(second) ?? [];
  return `${first.trim()}${place === undefined || !second.includes(resolve(file)) ? '' : ` (at ${place})`}`;
}

/** Finds members that throw when read, before other code reads them. */
function unreadable(value: unknown): readonly string[] {
  const seen = new Set<object>();
  const walk = (part: unknown, path: KeyPath): readonly string[] => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return [];
    seen.add(part);
    return keysOf(part).flatMap((key) => {
      const member = memberOf(part, key);
      return 'value' in member
        ? walk(member.value, [...path, key])
        : [`${keyText([...path, key])}: cannot be read: ${member.problem}`];
    });
  };
  return walk(value, []);
}

/** The keys of a list or plain object; other values are not inspected. */
function keysOf(part: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(part);
  const isPlain = prototype === null || prototype === Object.prototype || Array.isArray(part);
  return isPlain ? Object.keys(part) : [];
}

function memberOf(part: object, key: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: Reflect.get(part, key) };
  } catch (thrown) {
    return { problem: asError(thrown).message };
  }
}
