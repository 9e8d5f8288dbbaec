// A folder with a config file in it, and what is said of the file.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { CommandError } from '../../src/cli/terminal/command-error.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load-config.ts';
import { loadPlan, type PlanOptions } from '../../src/config/plan.ts';

export interface ConfigFolder {
  readonly path: string;
  /** Writes the file, and gives its path. */
  write(name: string, text: string): Promise<string>;
  load(name: string, text: string, env?: Readonly<Record<string, string>>): Promise<LoadedConfig>;
  /** A line for each thing that is wrong, without the path of the folder. */
  wrong(name: string, text: string, env?: Readonly<Record<string, string>>): Promise<readonly string[]>;
  /** The same of a file that is there, with what its agents and schedules need. */
  problems(file: string, env?: Readonly<Record<string, string>>, planning?: PlanOptions): Promise<readonly string[]>;
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
    wrong: async (name, text, env) => linesOf(await thrownBy(load(name, text, env)), path),
    problems: async (file, env = {}, planning) => linesOf(await thrownBy(loadPlan(file, env, planning)), path),
  };
}

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (reason: unknown) => reason,
  );
}

export function linesOf(thrown: unknown, folder: string): readonly string[] {
  if (thrown === null) return [];
  if (!(thrown instanceof CommandError)) throw thrown;
  const { message, problems } = thrown;
  return (problems.length === 0 ? [message] : problems).map((line) => line.replaceAll(`${folder}/`, ''));
}
