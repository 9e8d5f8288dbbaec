/** Defines errors of commands: what is wrong, what to type next, and the exit code. */

import { asError, HubError, type WireCode, WireError } from '../../core/lib/errors.ts';
import { EXIT, type ExitName, exitOf } from './exit-codes.ts';

/** An error detected by a command itself. */
export class CommandError extends Error {
  readonly exit: ExitName;
  readonly code: string;
  readonly hint: string;
  /** Several problems, shown one per line. */
  readonly problems: readonly string[];

  constructor(exit: ExitName, code: string, message: string, hint: string, problems: readonly string[] = []) {
    super(message);
    this.name = 'CommandError';
    this.exit = exit;
    this.code = code;
    this.hint = hint;
    this.problems = problems;
  }
}

/** An error as it is reported to people and programs. */
interface ReportedError {
  readonly exit: number;
  readonly code: string;
  readonly message: string;
  /** The command to type next; empty if there is no suggestion. */
  readonly hint: string;
  readonly problems?: readonly string[];
}

const WIRE_HINTS: Partial<Record<WireCode, string>> = {
  unauthenticated: 'Pass a token of that hub: "--token", PARLEY_TOKEN, or "--data" with the folder of "parley up".',
  forbidden:
    'Ask an operator for a token with that grant ("parley token create --grant …"), then pass it with "--token".',
  not_found: 'List what exists: "parley sessions", "parley agents" or "parley schedule list".',
  invalid_create: 'List agents with "parley agents"; add one with "parley join --name … --human" in another terminal.',
  not_your_turn: 'Run "parley show <session>" to see whose turn it is.',
  session_closed: 'Run "parley show <session>" to see how it ended, or "parley open" for a new session.',
  protocol_error: 'Run "parley show <session>" to see what it waits for.',
  conflict: 'Run "parley show <session>" to see its current state.',
  rate_limited: 'Wait a moment, then try again.',
  inbox_full: 'The recipient must read its messages first.',
  unavailable: 'Is the hub running? "parley up" starts one; "parley doctor" checks it; "--url" selects another.',
  timeout: 'It may still take effect: check with "parley show <session>".',
  internal: 'See the log of the hub.',
};

const HUB_HINTS: Readonly<Record<string, string>> = {
  bad_limits: 'See docs/reference/config.md for the settings of the config file.',
  bad_data_folder: 'Give the path of a folder that can be created or written: "--data <folder>", PARLEY_DATA.',
  cannot_listen:
    'Choose another port with "parley up --port 4748" (in a clone "npm start -- --port 4748"), or another address with "--host".',
  data_in_use:
    'Choose another folder: "parley up --data other --port 4748", in a clone "npm start -- --data other --port 4748".',
  client_closed: 'Is the hub still running? Check with "parley doctor".',
  not_a_backup: 'Give the folder that "parley backup" created.',
  is_backup: 'Run "parley restore <backup> --data <new folder>" to create a data folder from it.',
  not_damaged: 'Run "parley verify" to find damaged logs.',
  backup_damaged: 'Try another copy of the backup.',
  folder_not_empty: 'Give the path of a folder that does not exist yet.',
};

export function reportError(thrown: unknown): ReportedError {
  const { message } = asError(thrown);
  if (thrown instanceof CommandError) return reportCommandError(thrown);
  const exit = EXIT[exitOf(thrown)];
  if (thrown instanceof WireError) return { exit, code: thrown.code, message, hint: hintOfWire(thrown) };
  if (thrown instanceof HubError) return { exit, code: thrown.code, message, hint: HUB_HINTS[thrown.code] ?? '' };
  return { exit, code: 'failed', message, hint: hintOfSystem(thrown) };
}

function reportCommandError({ exit, code, message, hint, problems }: CommandError): ReportedError {
  return { exit: EXIT[exit], code, message, hint, ...(problems.length === 0 ? {} : { problems }) };
}

function hintOfWire({ code, message }: WireError): string {
  if (code === 'unavailable' && /certificate|altnames/i.test(message))
    return 'To trust it, pass its certificate ("--ca <file>", PARLEY_CA), and use a host name that it contains.';
  return WIRE_HINTS[code] ?? '';
}

/** Hints for common file errors. */
function hintOfSystem(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'ENOENT') return 'Is the path right?';
  if (code === 'EACCES' || code === 'EPERM') return 'Run it as the user that owns the file.';
  return code === 'ENOSPC' ? 'Free disk space.' : '';
}

/** Error with exit code 2: invalid command line, or an invalid file it names. */
export function usageError(code: string, message: string, hint: string, problems?: readonly string[]): CommandError {
  return new CommandError('wrong', code, message, hint, problems);
}

/** Error with exit code 5: something the command needs does not exist. */
export function notFoundError(code: string, message: string, hint: string): CommandError {
  return new CommandError('notFound', code, message, hint);
}

export function invalidValueError(where: string, expected: string, received: string, hint = ''): CommandError {
  return usageError('wrong_value', `${where}: expected ${expected}, got "${received}"`, hint);
}
