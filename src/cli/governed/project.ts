/** Loads the project of a command: its folder and its agentxchain.json. */

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

/** Must not suggest a new run, which would overwrite the file. */
export const STATE_HINT = 'Correct that file, or move it elsewhere; nothing was changed.';

export interface Project {
  readonly root: string;
  readonly config: GovernedConfig;
  readonly runner: Runner;
  /** null if no hub serves it. */
  readonly served: ServingHub | null;
}

export async function loadProject(args: CommandArgs): Promise<Project> {
  const root = await findRoot(args);
  const file = root === null ? null : join(root, CONFIG_FILE);
  const text = file === null ? null : await readFile(file, 'utf8').catch(absent);
  if (root === null || file === null || text === null) {
    const where = args.values.root === undefined ? 'here or in a parent folder' : `in ${args.values.root}`;
    throw notFoundError('no_project', `no ${CONFIG_FILE} ${where}`, 'Create one with: parley run init');
  }
  const { createRunner } = await import('../../governed/runner/runner.ts');
  return { root, config: configIn(file, text), runner: createRunner(), served: await findServingHub(root) };
}

/** The folder of the project, or of a new one; null if none is found here or in a parent folder. */
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
  const why = found === null ? 'does not exist' : 'is not a folder';
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
  throw usageError('invalid_config', `${file}: ${faults.length} invalid settings`, hint, faults);
}

function absent(thrown: NodeJS.ErrnoException): null {
  if (thrown.code === 'ENOENT') return null;
  throw thrown;
}

/** null if no run has started. An invalid state file is an error: it may be all that is left of a run. */
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

export async function requireRun(project: Project): Promise<RunState> {
  const { root } = project;
  const state = await loadRunState(project);
  if (state !== null && state.status !== 'idle') return state;
  throw new CommandError('refused', 'no_run', `no run has started in ${root}`, 'Start one with: parley run init');
}

/** Settings that a runtime driver would reject at dispatch. Skips roles that a hub's participants hold. */
export async function driverFaults({ config, served }: Project): Promise<readonly string[]> {
  const { driverFaults: adapterFaults } = await import('../../governed/drivers/check-settings.ts');
  return adapterFaults(config, (role) => Object.hasOwn(served?.roles ?? {}, role));
}

interface ServingHub {
  /** The hub's data folder; null if it has none. */
  readonly data: string | null;
  readonly is_there: boolean;
  /** Names of participants, by role. */
  readonly roles: Readonly<Record<string, string>>;
}

/** null if no hub serves the project. */
export async function findServingHub(root: string): Promise<ServingHub | null> {
  const note = await readServedNote(root);
  if (note === null) return null;
  return { data: note.data, is_there: await canBeReached(note), roles: note.roles };
}

export function servingHubText({ is_there, roles }: ServingHub): string {
  if (!is_there) return 'the hub that serves it is not running';
  const held = Object.entries(roles).map(([role, name]) => `; ${role} is held by ${name}`);
  return `a hub serves it${held.join('')}`;
}
