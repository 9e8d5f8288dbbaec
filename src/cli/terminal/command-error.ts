/** What a command tells when it cannot go on: what is wrong, and what to type next. */

import { asError, HubError, type WireCode, WireError } from '../../core/lib/errors.ts';
import { EXIT, type ExitName, exitOf } from './exit-codes.ts';

/** An error that a command found itself. */
export class CommandError extends Error {
  readonly exit: ExitName;
  readonly code: string;
  readonly hint: string;
  /** Where there are several: a line each. */
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

/** As it is told: to people in two lines, to programs as JSON. */
interface ReportedError {
  readonly exit: number;
  readonly code: string;
  readonly message: string;
  /** What to type next; empty = nobody knows. */
  readonly hint: string;
  /** What the message counts, a line each; most have none. */
  readonly problems?: readonly string[];
}

const WIRE_HINTS: Partial<Record<WireCode, string>> = {
  unauthenticated: 'Is it the token of that hub? "--token", PARLEY_TOKEN, or "--data" with the folder of "parley up".',
  forbidden: 'A token with the grant it takes: "parley token create --grant …" by who has it, then "--token".',
  not_found: '"parley sessions", "parley agents" and "parley schedule list" show what there is.',
  invalid_create:
    '"parley agents" shows who is there; "parley join --name … --human" in another terminal adds somebody.',
  not_your_turn: '"parley show <session>" says whose turn it is.',
  session_closed: '"parley show <session>" says how it ended; "parley open" begins a new one.',
  protocol_error: '"parley show <session>" says what it waits for.',
  conflict: '"parley show <session>" says how far it is now.',
  rate_limited: 'Wait a little, and try again.',
  inbox_full: 'Whoever it is for has to read first.',
  unavailable: 'Is the hub running? "parley up" starts one; "parley doctor" says more; "--url" names another.',
  timeout: 'It may still take effect: "parley show <session>".',
  internal: 'The log of the hub says more.',
};

const HUB_HINTS: Readonly<Record<string, string>> = {
  bad_limits: 'docs/reference/config.md has the settings of the config file.',
  bad_data_folder: 'Give the path of a folder that can be made or written: "--data <folder>", PARLEY_DATA.',
  cannot_listen:
    'Another port: "parley up --port 4748", in a clone "npm start -- --port 4748"; another address with "--host".',
  data_in_use:
    'Another folder: "parley up --data other --port 4748", in a clone "npm start -- --data other --port 4748".',
  client_closed: 'Is the hub still running? "parley doctor" says more.',
  not_a_backup: 'Give the folder that "parley backup" made.',
  is_backup: '"parley restore <backup> --data <new folder>" makes a data folder of it.',
  not_damaged: '"parley verify" finds what is.',
  backup_damaged: 'Another copy of it may be whole.',
  folder_not_empty: 'Give the path of a folder that is not there yet.',
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
    return 'If you trust it: "--ca <its certificate as PEM>", PARLEY_CA; and call the hub by a name that is in it.';
  return WIRE_HINTS[code] ?? '';
}

/** Missing files are the system error that people meet most. */
function hintOfSystem(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'ENOENT') return 'Is the path right?';
  if (code === 'EACCES' || code === 'EPERM') return 'Whose file is it? Run it as that user.';
  return code === 'ENOSPC' ? 'Make room on the disk.' : '';
}

/** Exit 2: the words of the command line or a file they name are wrong. */
export function usageError(code: string, message: string, hint: string, problems?: readonly string[]): CommandError {
  return new CommandError('wrong', code, message, hint, problems);
}

/** Exit 5: what the command needs is not there. */
export function notFoundError(code: string, message: string, hint: string): CommandError {
  return new CommandError('notFound', code, message, hint);
}

/** A value that is not what is asked for. */
export function invalidValueError(where: string, expected: string, received: string, hint = ''): CommandError {
  return usageError('wrong_value', `${where}: expected ${expected}, got "${received}"`, hint);
}
