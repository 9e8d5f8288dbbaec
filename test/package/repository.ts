// What the package tests share: the repository's place, and running its tools.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root: string = fileURLToPath(new URL('../..', import.meta.url));

export const bin = {
  tsc: join(root, 'node_modules/typescript/bin/tsc'),
  biome: join(root, 'node_modules/@biomejs/biome/bin/biome'),
} as const;

export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a command to its end. A non-zero exit is a result, not an error. */
export function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const { cwd = root, env = process.env } = options;
  return new Promise((resolve, reject) => {
    const maxBuffer = 64 * 1024 * 1024;
    const child = execFile(command, args, { cwd, env, maxBuffer }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`;
      if (!error) resolve({ code: 0, output });
      else if (typeof error.code === 'number') resolve({ code: error.code, output });
      else reject(error);
    });
    child.stdin?.end();
  });
}

/** The repository's TypeScript files under a folder, as paths from the root with forward slashes. */
export function sources(folder: string): string[] {
  return filesIn(folder, /\.tsx?$/);
}

/** The Markdown files under a folder. */
export function documents(folder: string): string[] {
  return filesIn(folder, /\.md$/);
}

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The environment without what an outer `npm run` put there, so that an inner npm starts clean. */
export function withoutNpm(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)/i.test(name)));
}

/** True if CI promised this (`PARLEY_REQUIRE=shared,registry`): its absence is then a failure, not a skip. */
export function required(what: string): boolean {
  return (process.env.PARLEY_REQUIRE ?? '').split(',').includes(what);
}
