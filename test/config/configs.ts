// A folder with a config file in it, and what is said of the file.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { Trouble } from '../../src/cli/terminal/command-error.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load-config.ts';

export interface ConfigFolder {
  readonly path: string;
  /** Writes the file, and gives its path. */
  write(name: string, text: string): Promise<string>;
  load(name: string, text: string, env?: Readonly<Record<string, string>>): Promise<LoadedConfig>;
  /** A line for each thing that is wrong, without the path of the folder. */
  wrong(name: string, text: string, env?: Readonly<Record<string, string>>): Promise<readonly string[]>;
}

/** For the tests of a file. */
export function configFolder(): ConfigFolder {
  let path = '';
  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'parley-config-'));
  });
  afterAll(() => rm(path, { recursive: true, force: true }));
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(path, name), text);
    return join(path, name);
  };
  const load: ConfigFolder['load'] = async (name, text, env = {}) => loadConfig(await write(name, text), env);
  return {
    get path() {
      return path;
    },
    write,
    load,
    async wrong(name, text, env) {
      const thrown = await load(name, text, env).then(
        () => null,
        (reason: unknown) => reason,
      );
      return linesOf(thrown, path);
    },
  };
}

/** Of a trouble, or of nothing. */
export function linesOf(thrown: unknown, folder: string): readonly string[] {
  if (thrown === null) return [];
  if (!(thrown instanceof Trouble)) throw thrown;
  const { message, problems } = thrown;
  return (problems.length === 0 ? [message] : problems).map((line) => line.replaceAll(`${folder}/`, ''));
}
