/** The project a command is about: its folder, and what its agentxchain.json says. */

import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { asError } from '../../core/lib/errors.ts';
import { checkConfig, type GovernedConfig, type RunState } from '../../governed/index.ts';
import type { Runner } from '../../governed/runner/contract/types.ts';
import type { Asked } from '../terminal/command.ts';
import { Trouble } from '../terminal/command-error.ts';
import { type ServedBy, servedBy } from '../../node/commands/governed/served-by.ts';

export const CONFIG_FILE = 'agentxchain.json';

/** To begin anew over it would lose what it says. */
export const STATE_HINT = 'Correct that file, or move it elsewhere; nothing was changed.';

export interface Project {
  readonly root: string;
  readonly config: GovernedConfig;
  readonly runner: Runner;
  /** null = no hub serves it. */
  readonly served: ServedBy | null;
}

export async function projectOf(asked: Asked): Promise<Project> {
  const root = await rootOf(asked);
  const file = root === null ? null : join(root, CONFIG_FILE);
  const text = file === null ? null : await readFile(file, 'utf8').catch(absent);
  if (root === null || file === null || text === null) {
    const where = asked.values.root === undefined ? 'here, nor in a folder above' : `in ${asked.values.root}`;
    throw new Trouble(
      'notFound',
      'no_project',
      `there is no ${CONFIG_FILE} ${where}`,
      'Make one with: parley run init',
    );
  }
  const { createRunner } = await import('../../governed/runner/runner.ts');
  return { root, config: configIn(file, text), runner: createRunner(), served: await servedBy(root) };
}

/** Where a project is, or would be begun; null = none is found from here upwards. */
export async function rootOf({ values }: Asked): Promise<string | null> {
  if (values.root !== undefined) return folderIn(values.root);
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const found = await stat(join(folder, CONFIG_FILE)).catch(() => null);
    if (found !== null) return folder;
    if (dirname(folder) === folder) return null;
  }
}

async function folderIn(given: string): Promise<string> {
  const found = await stat(given).catch(() => null);
  if (found?.isDirectory() === true) return resolve(given);
  const why = found === null ? 'is not there' : 'is no folder';
  throw new Trouble('notFound', 'no_folder', `--root: ${given} ${why}`, 'Give the folder of the project.');
}

function configIn(file: string, text: string): GovernedConfig {
  const hint = `Correct ${file}, then try again.`;
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (thrown) {
    throw new Trouble('wrong', 'invalid_config', `${file}: expected JSON: ${asError(thrown).message}`, hint);
  }
  const checked = checkConfig(given);
  if (checked.ok) return checked.config;
  const faults = checked.faults.map(({ message }) => message);
  throw new Trouble('wrong', 'invalid_config', `${file} is not right in ${faults.length} places`, hint, faults);
}

function absent(thrown: NodeJS.ErrnoException): null {
  if (thrown.code === 'ENOENT') return null;
  throw thrown;
}

/** null = no run has begun. A file that is no state is told: it may be all that is left of a run. */
export async function stateNow({ root, config, runner }: Project): Promise<RunState | null> {
  const state = await runner.loadState(root, config);
  if (state !== null) return state;
  const { stateOnDisk } = await import('../../node/governed/runner/state-on-disk.ts');
  const { failureOf } = await import('../../governed/runner/contract/failure.ts');
  return stateOnDisk(root).catch((thrown) => {
    const { error, error_code } = failureOf(thrown);
    throw new Trouble('wrong', error_code, `${root}: ${error}`, STATE_HINT);
  });
}

/** The run there is. */
export async function runOf(project: Project): Promise<RunState> {
  const { root } = project;
  const state = await stateNow(project);
  if (state !== null && state.status !== 'idle') return state;
  throw new Trouble('refused', 'no_run', `no run has begun in ${root}`, 'Begin it with: parley run init');
}

/** What the adapters of this project would refuse when a turn goes out; roles that are held in a hub need none. */
export async function adapterFaultsOf({ config, served }: Project): Promise<readonly string[]> {
  const { adapterFaults } = await import('../../governed/drivers/check-settings.ts');
  return adapterFaults(config, (role) => Object.hasOwn(served?.roles ?? {}, role));
}
