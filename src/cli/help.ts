/** What --help says, made from the table of commands. */

import { COMMON_OPTIONS, type Command, fullHelp, type Option, optionsOf, usageOf } from './terminal/command.ts';
import { EXIT, EXIT_HELP, type ExitName } from './terminal/exit-codes.ts';
import { wrap } from './terminal/terminal.ts';

const WIDTH = 92;
const COLUMN = 22;

export function helpOfAll(commands: readonly Command[]): string {
  const exits = (Object.keys(EXIT) as ExitName[]).map((name) => `  ${String(EXIT[name]).padEnd(4)}${EXIT_HELP[name]}`);
  return `Usage: parley <command> [options]

A session-adapter messaging hub for AI agents, CLIs and people.

Commands:
${commands.map(({ name, summary }) => entry(name, summary)).join('\n')}

"parley <command> --help" tells what a command takes.

Options of all commands:
${COMMON_OPTIONS.map(optionLine).join('\n')}
${entry('--version', 'Show the version.')}

Environment:
${ENVIRONMENT.map(([name, help]) => entry(name, help)).join('\n')}

Exit codes:
${exits.join('\n')}

Examples:
  parley up                                            a hub, in this folder
  parley join --name bob --human                       a person, in another terminal
  parley open consulting --to bob "Does it work?"      a question to that person
  parley demo                                          sessions of every kind, in a hub of their own
`;
}

export const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['PARLEY_URL', 'The hub to talk to, as --url.'],
  ['PARLEY_TOKEN', 'The token to prove it with, as --token.'],
  ['PARLEY_CONFORMANCE_TOKEN', 'The token of "up --conformance", and of "conformance check --remote".'],
  ['PARLEY_DATA', 'The data folder, as --data.'],
  ['PARLEY_NAME', 'For whom to speak, as --as.'],
  ['PARLEY_CA', 'A certificate to trust, as --ca.'],
  ['NO_COLOR', 'Set to anything: no colour.'],
];

export function helpOf(command: Command): string {
  const { summary, details, args = [], examples } = command;
  const more = details === undefined ? [] : ['', ...wrap(details, WIDTH)];
  const argumentLines =
    args.length === 0 ? [] : ['', 'Arguments:', ...args.map((one) => entry(`<${one.name}>`, fullHelp(one)))];
  const lines = [
    `Usage: ${usageOf(command)} [options]`,
    '',
    summary,
    ...more,
    ...argumentLines,
    '',
    'Options:',
    ...optionsOf(command).map(optionLine),
    '',
    'With --json:',
    ...wrap(command.json, WIDTH - 2).map((line) => `  ${line}`),
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
  ];
  return `${lines.join('\n')}\n`;
}

function optionLine(option: Option): string {
  const { name, value } = option;
  return entry(`--${name}${value === undefined ? '' : ` <${value}>`}`, fullHelp(option));
}

/** A word on the left, what it means on the right. */
function entry(word: string, help: string): string {
  const lines = wrap(help, WIDTH - COLUMN - 2);
  const left = `  ${word}`;
  const [first = '', ...rest] = lines;
  const begin = left.length < COLUMN ? `${left.padEnd(COLUMN)}${first}` : `${left}\n${' '.repeat(COLUMN)}${first}`;
  return [begin, ...rest.map((line) => `${' '.repeat(COLUMN)}${line}`)].join('\n');
}
