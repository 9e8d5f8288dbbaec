// A folder with config files, and the problems found in them.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../../src/cli/terminal/command-error.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load-config.ts';
import { loadPlan, type PlanOptions } from '../../src/config/plan.ts';
import { sharedFolder } from '../support/temp-folder.ts';

export interface ConfigFolder {
  readonly path: string;
  /** Writes the file and returns its path. */
  write(name: string, text: string): Promise<string>;
  load(name: string, text: string, env?: Readonly<Record<string, string>>): Promise<LoadedConfig>;
  /** One line per problem, without the path of the folder. */
  wrong(name: string, text: string, env?: Readonly<Record<string, string>>): Promise<readonly string[]>;
  /** The problems of an existing file, including agents and schedules. */
  problems(file: string, env?: Readonly<Record<string, string>>, planning?: PlanOptions): Promise<readonly string[]>;
}

export function configFolder(): ConfigFolder {
  const folder = sharedFolder('config');
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder.path, name), text);
    return join(folder.path, name);
  };
  const load: ConfigFolder['load'] = async (name, text, env = {}) => loadConfig(await write(name, text), env);
  const problemsOf = (work: Promise<unknown>): Promise<readonly string[]> =>
    work.then(
      () => [],
      (thrown: unknown) => linesOf(thrown, folder.path),
    );
  return {
    get path() {
      return folder.path;
    },
    write,
    load,
    wrong: (name, text, env) => problemsOf(load(name, text, env)),
    problems: (file, env = {}, planning) => problemsOf(loadPlan(file, env, planning)),
  };
}

export function linesOf(thrown: unknown, folder: string): readonly string[] {
  if (!(thrown instanceof CommandError)) throw thrown;
  const { message, problems } = thrown;
  return (problems.length === 0 ? [message] : problems).map((line) => line.replaceAll(`${folder}/`, ''));
}
