/** Builds the texts of --help and `parley help <topic>` from the table of commands. */

import { COMMON_OPTIONS, type Command, fullHelp, type Option, optionsOf, usageOf } from './terminal/command.ts';
import { EXIT, EXIT_HELP, type ExitName } from './terminal/exit-codes.ts';
import { wrap } from './terminal/terminal.ts';

const WIDTH = 100;
const COLUMN = 27;

/** Groups of commands, each with a heading. */
export type CommandGroups = readonly (readonly [heading: string, commands: readonly Command[]])[];

export const HELP_TOPICS = ['exit-codes', 'environment'] as const;
export type HelpTopic = (typeof HELP_TOPICS)[number];

export const ENVIRONMENT: readonly (readonly [name: string, help: string])[] = [
  ['PARLEY_URL', 'Hub URL, as --url'],
  ['PARLEY_TOKEN', 'Token, as --token'],
  ['PARLEY_CONFORMANCE_TOKEN', 'Token of "up --conformance" and "conformance check --remote"'],
  ['PARLEY_DATA', 'Data folder, as --data'],
  ['PARLEY_NAME', 'Identity to act as, as --as'],
  ['PARLEY_CA', 'PEM certificate to trust, as --ca'],
  ['PARLEY_DEBUG', 'Set to any value to print the stack of an error'],
  ['NO_COLOR', 'Set to any value to disable colour'],
];

export function helpOfAll(groups: CommandGroups): string {
  const lists = groups.map(([heading, commands]) =>
    section(
      heading,
      commands.map(({ name, summary }) => entry(name, summary)),
    ),
  );
  return `Usage: parley <command> [options]

A session-adapter messaging hub for AI agents, CLIs and people
${lists.join('')}${section('Global options', [...COMMON_OPTIONS.map(optionLine), entry('--version', 'Show the version')])}
Examples:
  # Run a hub in this folder
  parley up
  # Join as a person, in another terminal
  parley join --name bob --human
  # Ask that person a question
  parley open consulting --to bob "Does it work?"

Run "parley <command> --help" for details of a command, or "parley help <topic>" for a topic:
${HELP_TOPICS.join(', ')}.
`;
}

export function helpOfTopic(topic: HelpTopic): string {
  if (topic === 'environment') return `Environment variables:\n${linesOf(ENVIRONMENT)}\nOptions take precedence.\n`;
  const codes = (Object.keys(EXIT) as ExitName[]).map((name) => [String(EXIT[name]), EXIT_HELP[name]] as const);
  return `Exit codes:\n${codes.map(([code, help]) => `  ${code.padEnd(4)}${help}\n`).join('')}`;
}

/** Puts the examples last, so that usage, arguments and options fit on one screen. */
export function helpOf(command: Command): string {
  const { summary, details, args = [], examples, json } = command;
  const options = optionsOf(command);
  const headings = new Set(options.map(headingOf));
  return [
    `Usage: ${usageOf(command)} [options]\n\n${summary}\n`,
    details === undefined ? '' : `\n${wrap(details, WIDTH).join('\n')}\n`,
    args.length === 0
      ? ''
      : section(
          'Arguments',
          args.map((one) => entry(`<${one.name}>`, fullHelp(one))),
        ),
    ...[...headings].map((heading) =>
      section(heading, options.filter((option) => headingOf(option) === heading).map(optionLine)),
    ),
    section(
      'Examples',
      examples.map(([comment, line]) => `  # ${comment}\n  ${line}`),
    ),
    section(
      'JSON output',
      wrap(json, WIDTH - 2).map((line) => `  ${line}`),
    ),
  ].join('');
}

function headingOf({ group = 'Options' }: Option): string {
  return group;
}

function section(heading: string, lines: readonly string[]): string {
  return `\n${heading}:\n${lines.join('\n')}\n`;
}

function linesOf(entries: readonly (readonly [string, string])[]): string {
  return entries.map(([word, help]) => `${entry(word, help)}\n`).join('');
}

function optionLine(option: Option): string {
  const { name, value } = option;
  return entry(`--${name}${value === undefined ? '' : ` <${value}>`}`, fullHelp(option));
}

/** A word on the left, its meaning on the right. */
function entry(word: string, help: string): string {
  const indent = ' '.repeat(COLUMN);
  const left = `  ${word}`;
  const text = wrap(help, WIDTH - COLUMN).join(`\n${indent}`);
  return left.length < COLUMN - 1 ? `${left.padEnd(COLUMN)}${text}` : `${left}\n${indent}${text}`;
}
