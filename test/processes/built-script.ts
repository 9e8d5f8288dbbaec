/** Scripts as plain files, which start in a fifth of the time that a loader of sources takes. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, defaultServerConditions } from 'vite';
import { root } from '../package/repository.ts';

export interface BuiltScript {
  readonly path: string;
  remove(): Promise<void>;
}

/** A script of this folder. */
export async function builtScript(name: string): Promise<BuiltScript> {
  const { paths, remove } = await builtScripts([join(import.meta.dirname, name)]);
  return { path: paths[0] ?? '', remove };
}

export interface BuiltScripts {
  /** In the order they were asked for. */
  readonly paths: readonly string[];
  remove(): Promise<void>;
}

/** They are within the repository, where they find the packages they need, and share what they have in common. */
export async function builtScripts(files: readonly string[]): Promise<BuiltScripts> {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const outDir = await mkdtemp(join(cache, 'parley-script-'));
  const conditions = ['parley-source', ...defaultServerConditions];
  // Each in a folder of its own: some have the same name.
  const named = files.map((file, at) => [`${at}/${basename(file, '.ts')}`, file] as const);
  await build({
    configFile: false,
    logLevel: 'warn',
    root,
    resolve: { conditions },
    ssr: { noExternal: ['parley-hub'], resolve: { conditions } },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      minify: false,
      target: 'node20',
      rollupOptions: { input: Object.fromEntries(named), output: { entryFileNames: '[name].mjs' } },
    },
  });
  return { paths: named.map(([name]) => join(outDir, `${name}.mjs`)), remove: () => rm(outDir, { recursive: true }) };
}
