/** The console bundled into a temporary folder. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../package/repository.ts';

export interface BuiltPage {
  readonly folder: string;
  /** The text of every file, by its path in the folder. */
  readonly files: ReadonlyMap<string, string>;
  remove(): void;
}

export async function builtPage(): Promise<BuiltPage> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-console-'));
  // A script of the repository, not of the package: it has no types.
  const { buildConsole }: { buildConsole(outDir: string): Promise<void> } = await import(
    join(root, '.ci/build-console.mjs')
  );
  await buildConsole(folder);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return {
    folder,
    files: new Map(names.map((name) => [name.slice(folder.length + 1), readFileSync(name, 'utf8')])),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
