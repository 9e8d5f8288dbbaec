/** A script of this folder as one plain file, which starts in a fifth of the time that a loader of sources takes. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, defaultServerConditions } from 'vite';
import { root } from '../package/repository.ts';

export interface BuiltScript {
  readonly path: string;
  remove(): Promise<void>;
}

/** The file is within the repository, where it finds the packages it needs. */
export async function builtScript(name: string): Promise<BuiltScript> {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const outDir = await mkdtemp(join(cache, 'parley-script-'));
  const conditions = ['parley-source', ...defaultServerConditions];
  await build({
    configFile: false,
    logLevel: 'warn',
    root,
    resolve: { conditions },
    ssr: { noExternal: ['parley-hub'], resolve: { conditions } },
    build: {
      ssr: join(import.meta.dirname, name),
      outDir,
      emptyOutDir: true,
      minify: false,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: '[name].mjs' } },
    },
  });
  const remove = () => rm(outDir, { recursive: true });
  return { path: join(outDir, `${basename(name, '.ts')}.mjs`), remove };
}
