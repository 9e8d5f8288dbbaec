/** Explains why a program cannot be started: by checks before the start, and from the error after it. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { isObject, type OptionChecks, optional, textCheck } from '../../client/lib/option-checks.ts';
import { asError } from '../../core/lib/errors.ts';
import { AgentError } from '../agent/agent-error.ts';
import { checkRunOptions, type Program, textListCheck, variablesCheck } from './program.ts';

/** Linux limits one argument to 128 KiB, and arguments are visible to every user. */
const MAX_ARGUMENT_BYTES: number = 100 * 1024;

export function spawnError(program: Program, problem: string): AgentError {
  return new AgentError('spawn_failed', problem, { tool: program.tool });
}

export function checkProgram(program: Program): void {
  checkShape(program);
  const { command, args, cwd, env = {} } = program;
  if (command === '') throw spawnError(program, 'expected the name or path of a program, got an empty text');
  for (const [at, arg] of args.entries()) {
    const bytes = Buffer.byteLength(arg);
    if (bytes > MAX_ARGUMENT_BYTES) {
      const problem = `argument ${at} has ${bytes} bytes, more than ${MAX_ARGUMENT_BYTES}`;
      throw spawnError(program, `${problem}; use stdin or a file instead`);
    }
  }
  const withNul = [command, ...args, ...Object.values(env)].some((text) => text.includes('\0'));
  if (withNul) throw spawnError(program, 'a command, an argument or a variable contains a NUL character');
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
    const tool = isObject(program) && typeof program.tool === 'string' ? program.tool : 'a program';
    throw new AgentError('spawn_failed', asError(error).message, { tool });
  }
}

/** Explains the system's error code for this program. */
export function explainSpawnError(
  program: Program,
  thrown: unknown,
  environment: Readonly<Record<string, string>>,
): AgentError {
  const error = asError(thrown);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  // Without `cause`: the system error contains all arguments.
  return spawnError(program, `${problemOf(program, code, environment) ?? error.message} (${code})`);
}

function problemOf({ command, cwd }: Program, code: string, { PATH = '' }: Readonly<Record<string, string>>) {
  if (code === 'E2BIG') return 'its arguments and environment exceed the limit of the system';
  if (code === 'EAGAIN') return 'the system cannot create another process';
  if (code === 'EMFILE' || code === 'ENFILE') return 'too many files are open';
  if (code !== 'ENOENT' && code !== 'EACCES') return null;
  if (cwd !== undefined && !isAllowed(cwd)) return `its working folder ${cwd} is not accessible`;
  const found = filesOf(command, cwd, PATH);
  if (found.length === 0) {
    const where = command.includes('/') ? '' : `; looked in PATH=${PATH}`;
    return `program ${command} not found${where}`;
  }
  if (!found.some(isExecutable)) return `${found[0]} is not executable`;
  return `${found[0]} cannot be run: the interpreter in its first line is missing or not executable`;
}

/** The existing files that a command may refer to; a name without a slash is searched in PATH. */
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
  return existsSync(path) ? 'not a folder' : 'missing';
}

function isExecutable(path: string): boolean {
  return !isFolder(path) && isAllowed(path);
}

function isAllowed(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
