/** Why a program cannot be started: looked at before it is tried, and explained after it failed. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { isObject, type OptionChecks, optional, textCheck } from '../../client/lib/option-checks.ts';
import { asError } from '../../core/lib/errors.ts';
import { AgentError } from '../agent/agent-error.ts';
import { checkRunOptions, type Program, textListCheck, variablesCheck } from './program.ts';

/** A longer text goes by stdin or a file: Linux takes no argument of 128 KiB, and everybody can read arguments. */
export const MAX_ARGUMENT_BYTES: number = 100 * 1024;

export function spawnError(program: Program, problem: string): AgentError {
  return new AgentError('spawn_failed', problem, { tool: program.tool });
}

/** Throws what is known to be wrong before anything is started. */
export function checkProgram(program: Program): void {
  checkShape(program);
  const { command, args, cwd, env = {} } = program;
  if (command === '') throw spawnError(program, 'expected the name or the path of a program, and got an empty one');
  for (const [at, arg] of args.entries()) {
    const bytes = Buffer.byteLength(arg);
    if (bytes > MAX_ARGUMENT_BYTES) {
      const most = `at most ${MAX_ARGUMENT_BYTES}: hand it over by stdin or in a file`;
      throw spawnError(program, `argument ${at} has ${bytes} bytes, and an argument may have ${most}`);
    }
  }
  const withNul = [command, ...args, ...Object.values(env)].some((text) => text.includes('\0'));
  if (withNul) throw spawnError(program, 'a NUL character cannot be part of a command, an argument or a variable');
  if (cwd !== undefined && !isFolder(cwd)) throw spawnError(program, `its working folder ${cwd} is ${notFolder(cwd)}`);
}

const PROGRAM: OptionChecks<Program> = {
  tool: textCheck,
  command: textCheck,
  args: textListCheck,
  cwd: optional(textCheck),
  env: optional(variablesCheck),
  passEnv: optional(textListCheck),
  home: optional(textCheck),
  stdin: optional(textCheck),
};

function checkShape(program: Program): void {
  try {
    checkRunOptions(program, PROGRAM);
  } catch (error) {
    const tool: unknown = isObject(program) ? program.tool : undefined;
    throw new AgentError('spawn_failed', asError(error).message, {
      tool: typeof tool === 'string' ? tool : 'a program',
    });
  }
}

/** What the system's code means for this program. */
export function explainSpawnError(
  program: Program,
  thrown: unknown,
  environment: Readonly<Record<string, string>>,
): AgentError {
  const error = asError(thrown);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  // The error of the system is not kept as the cause: it has all arguments in it.
  return spawnError(program, `${problemOf(program, code, environment) ?? error.message} (${code})`);
}

function problemOf({ command, cwd }: Program, code: string, { PATH = '' }: Readonly<Record<string, string>>) {
  if (code === 'E2BIG') return 'its arguments and its environment together are larger than the system takes';
  if (code === 'EAGAIN') return 'the system has no room for another process';
  if (code === 'EMFILE' || code === 'ENFILE') return 'too many files are open';
  if (code !== 'ENOENT' && code !== 'EACCES') return null;
  if (cwd !== undefined && !canEnter(cwd)) return `its working folder ${cwd} may not be entered`;
  const found = filesOf(command, cwd, PATH);
  if (found.length === 0) {
    const where = command.includes('/') ? '' : `; looked in PATH=${PATH}`;
    return `there is no program ${command}${where}`;
  }
  if (!found.some(isExecutable)) return `${found[0]} is not executable`;
  return `${found[0]} cannot be run: the interpreter its first line names is not there or not executable`;
}

/** The files that a command may mean; a name without a slash is looked up. */
function filesOf(command: string, cwd: string | undefined, path: string): readonly string[] {
  const folder = cwd ?? process.cwd();
  if (command.includes('/')) return [resolve(folder, command)].filter((file) => existsSync(file));
  const folders = path.split(delimiter).map((one) => (isAbsolute(one) ? one : resolve(folder, one)));
  return folders.map((one) => join(one, command)).filter((file) => existsSync(file));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function notFolder(path: string): string {
  return existsSync(path) ? 'not a folder' : 'not there';
}

function canEnter(path: string): boolean {
  return isAllowed(path, constants.X_OK);
}

function isExecutable(path: string): boolean {
  return !isFolder(path) && isAllowed(path, constants.X_OK);
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
