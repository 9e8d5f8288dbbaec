/** Defines a command as one record, the source of the parser, --help, completion scripts and docs/reference/cli.md. */

import type { Io } from './io.ts';

/** Values that the shell completes. */
export type Completion = 'file' | 'folder' | readonly string[];

export interface Argument {
  readonly name: string;
  readonly help: string;
  readonly isOptional?: true;
  /** Takes all remaining words, joined with spaces. */
  readonly isRest?: true;
  readonly values?: Completion;
  /** Some of the possible values. */
  readonly suggests?: readonly string[];
}

export interface Option {
  readonly name: string;
  /** Placeholder of its value in the help; absent for a switch. */
  readonly value?: string;
  readonly isMany?: true;
  readonly help: string;
  readonly values?: Completion;
  /** Heading in the help, "Options" by default. */
  readonly group?: string;
}

/** Parsed words, checked against the command's record. */
export interface CommandArgs {
  /** By argument name. */
  readonly positionals: Readonly<Record<string, string>>;
  /** By option name; absent if not passed. */
  readonly values: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly switches: ReadonlySet<string>;
}

type Example = readonly [comment: string, command: string];

export interface Command {
  readonly name: string;
  /** One imperative line without a full stop. */
  readonly summary: string;
  readonly details?: string;
  readonly args?: readonly Argument[];
  readonly options?: readonly Option[];
  /** `hub`: connects to a running hub; `folder`: works on a data folder. Adds the options for that. */
  readonly on?: 'hub' | 'folder';
  /** Acts for a participant: adds `--as` and `--take-over`. */
  readonly acts?: true;
  readonly examples: readonly Example[];
  /** What `--json` writes to stdout. */
  readonly json: string;
  /** Returns the exit code; the caller reports an error that it throws. */
  run(args: CommandArgs, io: Io): Promise<number>;
}

const DATA_DEFAULT = '[env: PARLEY_DATA] (default: .parley)';

const HUB_OPTIONS: readonly Option[] = inGroup('Connection options', [
  { name: 'url', value: 'url', help: 'Hub URL [env: PARLEY_URL] (default: ws://127.0.0.1:4747)' },
  { name: 'token', value: 'token', help: "Token [env: PARLEY_TOKEN] (default: the operator token's file)" },
  { name: 'token-file', value: 'file', help: 'File that contains the token', values: 'file' },
  { name: 'data', value: 'folder', help: `Data folder with the operator token ${DATA_DEFAULT}`, values: 'folder' },
  { name: 'ca', value: 'file', help: 'PEM certificate to trust for wss [env: PARLEY_CA]', values: 'file' },
]);

const FOLDER_OPTIONS: readonly Option[] = [
  { name: 'data', value: 'folder', help: `Data folder ${DATA_DEFAULT}`, values: 'folder' },
];

export const TAKE_OVER_OPTION: Option = { name: 'take-over', help: 'Replace an existing connection of that name' };

const ACTING_OPTIONS: readonly Option[] = [
  {
    name: 'as',
    value: 'name',
    help: "Identity to act as [env: PARLEY_NAME] (default: the token's name, else your login name)",
  },
  TAKE_OVER_OPTION,
];

export const SESSION_ARGUMENT: Argument = {
  name: 'session',
  help: 'Session id, four or more digits of its beginning or end, or "last"',
};

/** The option `--as` of commands that only read. */
export const READER_OPTION: Option = {
  name: 'as',
  value: 'name',
  help: "Identity to act as (default: the token's name)",
};

/** Options of every command. */
export const COMMON_OPTIONS: readonly Option[] = inGroup('Global options', [
  { name: 'json', help: 'Print only JSON to stdout; one object per line for streams' },
  { name: 'help', help: 'Show help' },
]);

/** Puts options under a separate heading in the help. */
export function inGroup(group: string, options: readonly Option[]): readonly Option[] {
  return options.map((option) => ({ ...option, group }));
}

export function optionsOf({ options = [], on, acts }: Command): readonly Option[] {
  const own = new Set(options.map(({ name }) => name));
  const shared = [
    ...(acts === true ? ACTING_OPTIONS : []),
    ...(on === 'hub' ? HUB_OPTIONS : on === 'folder' ? FOLDER_OPTIONS : []),
  ];
  return [...options, ...shared.filter(({ name }) => !own.has(name)), ...COMMON_OPTIONS];
}

/** The help text with the possible values, unless it names them all. */
export function fullHelp({ help, values, ...rest }: Argument | Option): string {
  const isComplete = typeof values !== 'object' || values.every((value) => help.includes(value));
  const known = isComplete ? '' : ` (one of ${values.join(', ')})`;
  return `${help}${known}${'isMany' in rest && rest.isMany === true ? ' (repeatable)' : ''}`;
}

/** `parley send <session> <text...>`. */
export function usageOf({ name, args = [] }: Command): string {
  const words = args.map((one) => {
    const word = `<${one.name}${one.isRest === true ? '...' : ''}>`;
    return one.isOptional === true ? `[${word}]` : word;
  });
  return ['parley', name, ...words].join(' ');
}
