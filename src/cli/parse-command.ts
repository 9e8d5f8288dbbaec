/** Parses the words of a command line into a command and its arguments, or throws an error with a hint. */

import { parseArgs } from 'node:util';
import { HELP_TOPICS, type HelpTopic } from './help.ts';
import { type Argument, type Command, type CommandArgs, type Option, optionsOf, usageOf } from './terminal/command.ts';
import { type CommandError, invalidValueError, usageError } from './terminal/command-error.ts';
import { findNearest } from './terminal/nearest.ts';

type ParsedCommand =
  | { readonly kind: 'run'; readonly command: Command; readonly args: CommandArgs }
  | { readonly kind: 'help'; readonly command: Command | null; readonly topic?: HelpTopic }
  | { readonly kind: 'version' };

const ALL = 'Try "parley demo", or run "parley --help" for all commands.';

export function parseCommand(commands: readonly Command[], words: readonly string[]): ParsedCommand {
  const [first, ...rest] = beginWithCommand(words);
  if (first === undefined) throw usageError('no_command', 'missing command', ALL);
  if (first === '--help' || first === '-h' || first === 'help') return helpFor(commands, rest[0]);
  if (first === '--version' || first === '-v') return { kind: 'version' };
  const command = named(commands, first);
  if (command === null) throw unknownCommand(commands, first);
  if (isHelpAsked(rest)) return { kind: 'help', command };
  return { kind: 'run', command, args: readWords(command, rest) };
}

function helpFor(commands: readonly Command[], about: string | undefined): ParsedCommand {
  const topic = HELP_TOPICS.find((name) => name === about);
  return { kind: 'help', command: named(commands, about), ...(topic === undefined ? {} : { topic }) };
}

/** Accepts `parley --json sessions` for `parley sessions --json`. */
function beginWithCommand(words: readonly string[]): readonly string[] {
  const [first, second, ...rest] = words;
  return first === '--json' && second !== undefined ? [second, first, ...rest] : words;
}

function named(commands: readonly Command[], name: string | undefined): Command | null {
  return commands.find((command) => command.name === name) ?? null;
}

/** Checked first: a request for help takes precedence over any error in the words. */
function isHelpAsked(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h');
}

function unknownCommand(commands: readonly Command[], value: string): CommandError {
  const names = commands.map(({ name }) => name);
  if (value.startsWith('-')) {
    return usageError('unknown_option', `Unknown option '${value}'`, 'Put the command first: "parley --help".');
  }
  const meant = findNearest(value, names);
  const hint = meant === null ? ALL : `Did you mean "parley ${meant}"? Run "parley --help" for all commands.`;
  return usageError('unknown_command', `unknown command "${value}"`, hint);
}

function readWords(command: Command, words: readonly string[]): CommandArgs {
  const options = optionsOf(command);
  const { values, positionals } = parsed(command, options, words);
  const args = {
    values: {} as Record<string, string>,
    lists: {} as Record<string, string[]>,
    switches: new Set<string>(),
  };
  for (const option of options) {
    const value = values[option.name];
    if (value === undefined) continue;
    if (option.value === undefined) args.switches.add(option.name);
    else if (option.isMany === true)
      args.lists[option.name] = [value].flat().map((one) => checked(command, option, String(one)));
    else args.values[option.name] = checked(command, option, String(value));
  }
  return { ...args, positionals: argumentsOf(command, positionals) };
}

function parsed(command: Command, options: readonly Option[], words: readonly string[]) {
  const rules = options.map(({ name, value, isMany }) => {
    return [name, { type: value === undefined ? 'boolean' : 'string', multiple: isMany === true }] as const;
  });
  try {
    // The result's type depends on options that are only known at run time.
    return parseArgs({ args: [...words], allowPositionals: true, options: Object.fromEntries(rules) }) as {
      readonly values: Readonly<Record<string, string | boolean | string[] | undefined>>;
      readonly positionals: readonly string[];
    };
  } catch (thrown) {
    // Only invalid words throw; the first sentence names them.
    const [problem = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('. ');
    throw usageError('wrong_option', problem, optionHint(command, options, problem));
  }
}

function optionHint({ name }: Command, options: readonly Option[], problem: string): string {
  const [, value] = /'--?([\w-]+)/.exec(problem) ?? [];
  const names = options.map((option) => option.name);
  const meant = value === undefined || !problem.startsWith('Unknown') ? null : findNearest(value, names);
  return `${meant === null ? '' : `Did you mean --${meant}? `}Run "parley ${name} --help" for its options.`;
}

function checked(command: Command, { name, values }: Option, value: string): string {
  if (typeof values !== 'object' || values.includes(value)) return value;
  const meant = findNearest(value, values);
  const hint = `${meant === null ? '' : `Did you mean ${meant}? `}Run "parley ${command.name} --help" for its options.`;
  throw invalidValueError(`--${name}`, `one of ${values.join(', ')}`, value, hint);
}

function argumentsOf(command: Command, words: readonly string[]): Readonly<Record<string, string>> {
  const { args = [] } = command;
  const help = `Usage: ${usageOf(command)}. Run "parley ${command.name} --help" for details.`;
  const found: Record<string, string> = {};
  for (const [i, argument] of args.entries()) {
    const value = argument.isRest === true ? words.slice(i).join(' ') : words[i];
    if (value === undefined || (argument.isRest === true && words.length <= i)) {
      if (argument.isOptional === true) break;
      throw usageError('missing_argument', `"${command.name}" requires <${argument.name}>: ${argument.help}`, help);
    }
    found[argument.name] = checkedArgument(argument, value, help);
  }
  const extra = args.at(-1)?.isRest === true ? undefined : words[args.length];
  if (extra === undefined) return found;
  const takes = args.length === 0 ? 'no arguments' : args.length === 1 ? 'one argument' : `${args.length} arguments`;
  throw usageError('extra_argument', `"${command.name}" takes ${takes}, got "${extra}"`, help);
}

function checkedArgument({ name, values }: Argument, value: string, help: string): string {
  if (typeof values !== 'object' || values.includes(value)) return value;
  throw invalidValueError(`<${name}>`, `one of ${values.join(', ')}`, value, help);
}
