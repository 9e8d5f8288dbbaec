/** Scripts as plain files, which start five times faster than with a source loader. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, defaultServerConditions } from 'vite';
import { root } from '../package/repository.ts';
import { SHARED_SCRIPTS, scriptFolder } from './shared-scripts.ts';

/** Packages that a script does not bundle: native ones, and those that read files beside them. */
const APART = ['@opentelemetry/api', 'fs-native-extensions', 'jiti', 'lmdb', 'pino', 'vite', 'vitest'] as const;

export interface BuiltScript {
  readonly path: string;
  remove(): Promise<void>;
}

/** Builds a script by its path from the root of the repository. */
export async function builtScript(name: string): Promise<BuiltScript> {
  const { paths, remove } = await builtScripts([join(root, name)]);
  return { path: paths[0] ?? '', remove };
}

export interface BuiltScripts {
  /** In the order they were requested. */
  readonly paths: readonly string[];
  remove(): Promise<void>;
}

/** Builds scripts inside the repository, where they find their packages, with shared chunks. */
export async function builtScripts(files: readonly string[]): Promise<BuiltScripts> {
  // Each in a separate folder: some have the same name.
  const names = files.map((file, at) => `${at}/${basename(file, '.ts')}`);
  const input = Object.fromEntries(names.map((name, at) => [name, files[at] ?? '']));
  const within = (folder: string): readonly string[] => names.map((name) => join(folder, `${name}.mjs`));
  const shared = process.env[SHARED_SCRIPTS];
  if (shared === undefined) {
    const folder = await built(input);
    return { paths: within(folder), remove: () => rm(folder, { recursive: true }) };
  }
  const folder = join(shared, createHash('sha256').update(JSON.stringify(files)).digest('hex'));
  if (!existsSync(folder)) await moveOnce(await built(input), folder);
  return { paths: within(folder), remove: async () => {} };
}

/** Test files run concurrently: the second uses what the first has built. */
async function moveOnce(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (thrown) {
    if (!existsSync(to)) throw thrown;
    await rm(from, { recursive: true });
  }
}

/** Returns the folder. */
async function built(input: Readonly<Record<string, string>>): Promise<string> {
  const outDir = await scriptFolder();
  const conditions = ['parley-source', ...defaultServerConditions];
  await build({
    configFile: false,
    logLevel: 'warn',
    root,
    resolve: { conditions },
    ssr: { noExternal: true, external: [...APART], resolve: { conditions } },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      minify: false,
      target: 'node20',
      rollupOptions: { input, output: { entryFileNames: '[name].mjs' } },
    },
  });
  return outDir;
}
