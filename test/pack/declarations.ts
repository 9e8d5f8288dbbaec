// The declarations a user's compiler reads: those of the exports map, and all they import.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };

const IMPORT = /(?:\bfrom|\bimport\(|\bimport|<reference (?:types|lib)=)\s*['"]([^'"]+)['"]/g;

/** Every import from outside the package, as `file → specifier`. `folder`: the installed package. */
export function foreignImports(folder: string): string[] {
  const foreign: string[] = [];
  const queue = publicDeclarations(folder);
  const seen = new Set(queue);
  // The queue grows while it is read: imports are followed.
  for (const file of queue) {
    for (const specifier of importsOf(file)) {
      const targets = ownDeclarations(folder, file, specifier);
      if (targets === null) foreign.push(`${relative(folder, file)} → ${specifier}`);
      for (const target of targets ?? []) {
        if (seen.has(target)) continue;
        seen.add(target);
        queue.push(target);
      }
    }
  }
  return foreign.sort();
}

function publicDeclarations(folder: string): string[] {
  return Object.keys(manifest.exports).flatMap((subpath) => declarationsOf(folder, subpath));
}

/** The files behind one entry of the exports map; a wildcard stands for all matches. */
function declarationsOf(folder: string, subpath: string): string[] {
  const target: unknown = Reflect.get(manifest.exports, subpath);
  if (typeof target !== 'object' || target === null || !('types' in target)) return [];
  const types = join(folder, String(target.types));
  if (!types.includes('*')) return [types];
  const names = readdirSync(dirname(types)).filter((name) => name.endsWith('.d.ts'));
  return names.map((name) => join(dirname(types), name));
}

function importsOf(file: string): string[] {
  const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(IMPORT)].map(([, specifier = '']) => specifier);
}

/** null = not ours. */
function ownDeclarations(folder: string, from: string, specifier: string): string[] | null {
  if (specifier.startsWith('.')) {
    const target = join(dirname(from), specifier).replace(/(?:\.d)?\.[jt]s$/, '.d.ts');
    if (!existsSync(target)) throw new Error(`${relative(folder, from)} imports ${specifier}, which is not there`);
    return [target];
  }
  const [name, ...rest] = specifier.split('/');
  if (name !== manifest.name) return null;
  const subpath = ['.', ...rest].join('/');
  if (Object.hasOwn(manifest.exports, subpath)) return declarationsOf(folder, subpath);
  return declarationsOf(folder, `./${rest[0]}/*`);
}
