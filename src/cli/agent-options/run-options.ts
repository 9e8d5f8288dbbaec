/** Parses the options of `parley join` for running a program: time limit, folder, environment. */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { durationMs, isDuration } from '../../core/lib/time.ts';
import type { CommandArgs } from '../terminal/command.ts';
import { type CommandError, invalidValueError, notFoundError, usageError } from '../terminal/command-error.ts';
import { parseNames } from '../terminal/parse-values.ts';
import type { RoleFile } from './role-file.ts';

interface RunOptions {
  readonly timeoutMs?: number;
  readonly passEnv?: readonly string[];
  readonly cwd?: string;
}

const MAX_MS = 86_400_000;

export async function resolveRunOptions({ values, lists }: CommandArgs, env: NodeJS.ProcessEnv): Promise<RunOptions> {
  const { timeout, cwd } = values;
  return {
    ...(timeout === undefined ? {} : { timeoutMs: parseTimeout(timeout) }),
    ...(lists['pass-env'] === undefined
      ? {}
      : { passEnv: parseNames(lists['pass-env']).map((one) => variable(one, env)) }),
    ...(cwd === undefined ? {} : { cwd: await folderIn(cwd) }),
  };
}

export function parseTimeout(value: string): number {
  const ms = isDuration(value) ? durationMs(value, '--timeout') : 0;
  if (ms > 0 && ms <= MAX_MS) return ms;
  throw invalidValueError('--timeout', 'a time such as 90s, 10m or 2h, at most 24h', value);
}

/** Check now: a missing variable would otherwise fail only at the first turn. */
function variable(name: string, env: NodeJS.ProcessEnv): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    const hint = 'Values are taken from the environment.';
    throw invalidValueError('--pass-env', 'names such as OPENAI_API_KEY,HTTPS_PROXY', name, hint);
  }
  if (env[name] !== undefined) return name;
  const hint = `Set it ("export ${name}=…"), or omit it.`;
  throw usageError('wrong_value', `--pass-env: ${name} is not set`, hint);
}

async function folderIn(value: string): Promise<string> {
  const found = await stat(value).catch(() => null);
  if (found?.isDirectory() === true) return resolve(value);
  const why = found === null ? 'does not exist' : 'is not a folder';
  throw notFoundError('no_folder', `--cwd: ${value} ${why}`, 'Give the folder in which the program runs.');
}

type AgentSource = 'cli' | 'command' | 'script' | 'model' | 'person';

const PROGRAMS: readonly AgentSource[] = ['cli', 'command'];

/** Agent sources that use each option. */
const USERS: Readonly<Record<string, readonly AgentSource[]>> = {
  model: [...PROGRAMS, 'model'],
  'base-url': ['model'],
  'key-env': ['model'],
  'max-tokens': ['model'],
  permissions: ['cli'],
  transport: ['command'],
  output: ['command'],
  timeout: [...PROGRAMS, 'model'],
  'pass-env': PROGRAMS,
  cwd: PROGRAMS,
  parallel: ['cli', 'command', 'script', 'model'],
};

export function rejectUnusedOptions(way: AgentSource, { values, lists }: CommandArgs, role: RoleFile): void {
  for (const [option, users] of Object.entries(USERS)) {
    if (values[option] === undefined && lists[option] === undefined) continue;
    if (!users.includes(way)) throw unusedOption(option, way, users);
  }
  if (way === 'command' && values.model !== undefined && values.command?.includes('{model}') !== true) {
    const problem = '--model has no effect: {model} is not in the command line';
    throw wrong(problem, 'Add it to the command: "my-agent -m {model}".');
  }
  if ((way === 'command' || way === 'script') && role.cli !== undefined) {
    const hint = `Omit --${way}, or remove "cli" from the front matter of the role.`;
    throw wrong(`--${way} and "cli: ${role.cli}" of the role exclude each other`, hint);
  }
}

function unusedOption(option: string, way: AgentSource, users: readonly AgentSource[]): CommandError {
  const who = way === 'person' ? 'for a person' : `with --${way}`;
  const list = users.map((one) => `--${one}`).join(' or ');
  return wrong(`--${option} has no effect ${who}`, `Omit it; it is for ${list}.`);
}

function wrong(message: string, hint: string): CommandError {
  return usageError('wrong_option', message, hint);
}
