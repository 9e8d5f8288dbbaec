/** What a command is: one record, from which the parser, --help, the completion scripts and docs/reference/cli.md are made. */

import type { Io } from './io.ts';

/** What the shell may offer for a value. */
export type Completion = 'file' | 'folder' | readonly string[];

export interface Argument {
  readonly name: string;
  readonly help: string;
  readonly isOptional?: true;
  /** It takes all that follow; they are joined with spaces, as one writes a sentence. */
  readonly isRest?: true;
  readonly values?: Completion;
  /** Some of the values there are. */
  readonly suggests?: readonly string[];
}

export interface Option {
  readonly name: string;
  /** What stands for its value in the help; absent = a switch. */
  readonly value?: string;
  /** It may be given several times. */
  readonly isMany?: true;
  readonly help: string;
  readonly values?: Completion;
}

/** What was asked, checked against the record: nothing that is not in it. */
export interface CommandArgs {
  /** By the names of the arguments. */
  readonly positionals: Readonly<Record<string, string>>;
  /** By the names of the options; absent = not given. */
  readonly values: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly switches: ReadonlySet<string>;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** More than the summary, in whole sentences. */
  readonly details?: string;
  readonly args?: readonly Argument[];
  readonly options?: readonly Option[];
  /** `hub`: it talks to a hub that runs, and has the options for that; `folder`: it works on a data folder that no hub has open. */
  readonly on?: 'hub' | 'folder';
  /** It speaks for somebody: it has `--as` and `--take-over`. */
  readonly acts?: true;
  readonly examples: readonly string[];
  /** What `--json` puts on stdout. */
  readonly json: string;
  /** Gives the exit code. What it throws is told by whoever runs it. */
  run(args: CommandArgs, io: Io): Promise<number>;
}

const HUB_OPTIONS: readonly Option[] = [
  { name: 'url', value: 'url', help: 'The hub (PARLEY_URL, or ws://127.0.0.1:4747).' },
  { name: 'token', value: 'token', help: "A token (PARLEY_TOKEN, or the operator's of the data folder)." },
  { name: 'token-file', value: 'file', help: 'A file with the token in it.', values: 'file' },
  {
    name: 'data',
    value: 'folder',
    help: "Where the operator's token is (PARLEY_DATA, or .parley).",
    values: 'folder',
  },
  { name: 'ca', value: 'file', help: 'A certificate to trust beside wss, as PEM (PARLEY_CA).', values: 'file' },
];

const FOLDER_OPTIONS: readonly Option[] = [
  { name: 'data', value: 'folder', help: 'The data folder (PARLEY_DATA, or .parley).', values: 'folder' },
];

const ACTING_OPTIONS: readonly Option[] = [
  {
    name: 'as',
    value: 'name',
    help: 'For whom to speak (PARLEY_NAME, the name your token is for, or your login name).',
  },
  { name: 'take-over', help: 'Also if that name is connected elsewhere: it is sent away there.' },
];

/** Of commands about one session. */
export const SESSION_ARGUMENT: Argument = {
  name: 'session',
  help: 'Its id, four or more digits of its beginning or end, or "last".',
};

/** Of commands that only read. */
export const READER_OPTION: Option = {
  name: 'as',
  value: 'name',
  help: 'Who asks; a token for one name knows it by itself.',
};

/** What every command takes. */
export const COMMON_OPTIONS: readonly Option[] = [
  { name: 'json', help: 'JSON on stdout and nothing else; of a stream, a line each.' },
  { name: 'help', help: 'Show help.' },
];

export function optionsOf({ options = [], on, acts }: Command): readonly Option[] {
  const own = new Set(options.map(({ name }) => name));
  const shared = [
    ...(acts === true ? ACTING_OPTIONS : []),
    ...(on === 'hub' ? HUB_OPTIONS : on === 'folder' ? FOLDER_OPTIONS : []),
  ];
  return [...options, ...shared.filter(({ name }) => !own.has(name)), ...COMMON_OPTIONS];
}

/** Its help, with the values there are unless it explains them all itself. */
export function fullHelp({ help, values, ...rest }: Argument | Option): string {
  const isSaid = typeof values !== 'object' || values.every((value) => help.includes(value));
  const known = isSaid ? '' : ` One of ${values.join(', ')}.`;
  return `${help}${known}${'isMany' in rest && rest.isMany === true ? ' May be repeated.' : ''}`;
}

/** `parley send <session> <text...>`. */
export function usageOf({ name, args = [] }: Command): string {
  const words = args.map((one) => {
    const word = `<${one.name}${one.isRest === true ? '...' : ''}>`;
    return one.isOptional === true ? `[${word}]` : word;
  });
  return ['parley', name, ...words].join(' ');
}
