/** The project a command is about: its folder, and what its agentxchain.json says. */

import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { asError } from '../../core/lib/errors.ts';
import { checkConfig, type GovernedConfig, type RunState } from '../../governed/engine/index.ts';
import type { Runner } from '../../governed/runner/contract/types.ts';
import { canBeReached } from '../../governed/runner/served/ask-served.ts';
import { readServedNote } from '../../governed/runner/served/served-note.ts';
import type { CommandArgs } from '../terminal/command.ts';
import { CommandError, notFoundError, usageError } from '../terminal/command-error.ts';

export const CONFIG_FILE = 'agentxchain.json';

/** To begin anew over it would lose what it says. */
export const STATE_HINT = 'Correct that file, or move it elsewhere; nothing was changed.';

export interface Project {
  readonly root: string;
  readonly config: GovernedConfig;
  readonly runner: Runner;
  /** null = no hub serves it. */
  readonly served: ServingHub | null;
}

export async function loadProject(args: CommandArgs): Promise<Project> {
  const root = await findRoot(args);
  const file = root === null ? null : join(root, CONFIG_FILE);
  const text = file === null ? null : await readFile(file, 'utf8').catch(absent);
  if (root === null || file === null || text === null) {
    const where = args.values.root === undefined ? 'here, nor in a folder above' : `in ${args.values.root}`;
    throw notFoundError('no_project', `there is no ${CONFIG_FILE} ${where}`, 'Make one with: parley run init');
  }
  const { createRunner } = await import('../../governed/runner/runner.ts');
  return { root, config: configIn(file, text), runner: createRunner(), served: await findServingHub(root) };
}

/** Where a project is, or would be begun; null = none is found from here upwards. */
export async function findRoot({ values }: CommandArgs): Promise<string | null> {
  if (values.root !== undefined) return folderIn(values.root);
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const found = await stat(join(folder, CONFIG_FILE)).catch(() => null);
    if (found !== null) return folder;
    if (dirname(folder) === folder) return null;
  }
}

async function folderIn(value: string): Promise<string> {
  const found = await stat(value).catch(() => null);
  if (found?.isDirectory() === true) return resolve(value);
  const why = found === null ? 'is not there' : 'is no folder';
  throw notFoundError('no_folder', `--root: ${value} ${why}`, 'Give the folder of the project.');
}

function configIn(file: string, text: string): GovernedConfig {
  const hint = `Correct ${file}, then try again.`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw usageError('invalid_config', `${file}: expected JSON: ${asError(thrown).message}`, hint);
  }
  const checked = checkConfig(value);
  if (checked.ok) return checked.config;
  const faults = checked.faults.map(({ message }) => message);
  throw usageError('invalid_config', `${file} is not right in ${faults.length} places`, hint, faults);
}

function absent(thrown: NodeJS.ErrnoException): null {
  if (thrown.code === 'ENOENT') return null;
  throw thrown;
}

/** null = no run has begun. A file that is no state is told: it may be all that is left of a run. */
export async function loadRunState({ root, config, runner }: Project): Promise<RunState | null> {
  const state = await runner.loadState(root, config);
  if (state !== null) return state;
  const { stateOnDisk } = await import('../../governed/runner/project/imported-files.ts');
  const { failureOf } = await import('../../governed/runner/contract/failure.ts');
  return stateOnDisk(root).catch((thrown) => {
    const { error, error_code } = failureOf(thrown);
    throw usageError(error_code, `${root}: ${error}`, STATE_HINT);
  });
}

/** The run there is. */
export async function requireRun(project: Project): Promise<RunState> {
  const { root } = project;
  const state = await loadRunState(project);
  if (state !== null && state.status !== 'idle') return state;
  throw new CommandError('refused', 'no_run', `no run has begun in ${root}`, 'Begin it with: parley run init');
}

/** What the adapters of this project would refuse when a turn goes out; roles that are held in a hub need none. */
export async function driverFaults({ config, served }: Project): Promise<readonly string[]> {
  const { driverFaults: adapterFaults } = await import('../../governed/drivers/check-settings.ts');
  return adapterFaults(config, (role) => Object.hasOwn(served?.roles ?? {}, role));
}

interface ServingHub {
  /** The hub's folder; null = it keeps nothing. */
  readonly data: string | null;
  readonly is_there: boolean;
  /** Names of participants, by role. */
  readonly roles: Readonly<Record<string, string>>;
}

/** null = no hub does. */
export async function findServingHub(root: string): Promise<ServingHub | null> {
  const note = await readServedNote(root);
  if (note === null) return null;
  return { data: note.data, is_there: await canBeReached(note), roles: note.roles };
}

/** For whoever looks at how the run stands. */
export function servingHubText({ is_there, roles }: ServingHub): string {
  if (!is_there) return 'the hub that serves it does not run';
  const held = Object.entries(roles).map(([role, name]) => `; ${role} is held by ${name}`);
  return `a hub serves it${held.join('')}`;
}
