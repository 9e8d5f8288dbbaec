/** How `parley join` runs its program: for how long, where, and with what of our environment. */

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

/** One that is not set would be missed by the program alone, and only when its turn comes. */
function variable(name: string, env: NodeJS.ProcessEnv): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw invalidValueError(
      '--pass-env',
      'names such as OPENAI_API_KEY,HTTPS_PROXY',
      name,
      'Their values come from here.',
    );
  }
  if (env[name] !== undefined) return name;
  const hint = `Set it ("export ${name}=…"), or leave it out.`;
  throw usageError('wrong_value', `--pass-env: ${name} is not set here`, hint);
}

async function folderIn(value: string): Promise<string> {
  const found = await stat(value).catch(() => null);
  if (found?.isDirectory() === true) return resolve(value);
  const why = found === null ? 'is not there' : 'is no folder';
  throw notFoundError('no_folder', `--cwd: ${value} ${why}`, 'Give the folder in which the program runs.');
}

type AgentSource = 'cli' | 'command' | 'script' | 'model' | 'person';

const PROGRAMS: readonly AgentSource[] = ['cli', 'command'];

/** Who has a use for it. */
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
    if (!users.includes(way)) throw idle(option, way, users);
  }
  if (way === 'command' && values.model !== undefined && values.command?.includes('{model}') !== true) {
    throw wrong(
      '--model does nothing: {model} is not in the command line',
      'Say where it goes: "my-agent -m {model}".',
    );
  }
  if ((way === 'command' || way === 'script') && role.cli !== undefined) {
    const hint = `Leave out --${way}, or "cli" in the front matter of the role.`;
    throw wrong(`--${way} and "cli: ${role.cli}" of the role exclude each other`, hint);
  }
}

function idle(option: string, way: AgentSource, users: readonly AgentSource[]): CommandError {
  const who = way === 'person' ? 'for a person' : `with --${way}`;
  const list = users.map((one) => `--${one}`).join(' or ');
  return wrong(`--${option} does nothing ${who}`, `Leave it out; it is for ${list}.`);
}

function wrong(message: string, hint: string): CommandError {
  return usageError('wrong_option', message, hint);
}
