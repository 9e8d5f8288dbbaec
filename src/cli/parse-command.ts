/** Words of a command line → a command and what it was asked, or what is wrong with them and what was meant. */

import { parseArgs } from 'node:util';
import { type Argument, type Command, type CommandArgs, type Option, optionsOf, usageOf } from './terminal/command.ts';
import { type CommandError, invalidValueError, usageError } from './terminal/command-error.ts';
import { findNearest } from './terminal/nearest.ts';

type ParsedCommand =
  | { readonly kind: 'run'; readonly command: Command; readonly args: CommandArgs }
  /** null = of all commands. */
  | { readonly kind: 'help'; readonly command: Command | null }
  | { readonly kind: 'version' };

const ALL = 'Try "parley demo", or "parley --help" for all there is.';

export function parseCommand(commands: readonly Command[], words: readonly string[]): ParsedCommand {
  const [first, ...rest] = beginWithCommand(words);
  if (first === undefined) throw usageError('no_command', 'a command is missing', ALL);
  if (first === '--help' || first === '-h' || first === 'help')
    return { kind: 'help', command: named(commands, rest[0]) };
  if (first === '--version' || first === '-v') return { kind: 'version' };
  const command = named(commands, first);
  if (command === null) throw unknownCommand(commands, first);
  if (isHelpAsked(rest)) return { kind: 'help', command };
  return { kind: 'run', command, args: readWords(command, rest) };
}

/** `parley --json sessions` is meant as `parley sessions --json`. */
function beginWithCommand(words: readonly string[]): readonly string[] {
  const [first, second, ...rest] = words;
  return first === '--json' && second !== undefined ? [second, first, ...rest] : words;
}

function named(commands: readonly Command[], name: string | undefined): Command | null {
  return commands.find((command) => command.name === name) ?? null;
}

/** Whoever asks for help gets it, whatever else is wrong with the words. */
function isHelpAsked(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h');
}

function unknownCommand(commands: readonly Command[], value: string): CommandError {
  const names = commands.map(({ name }) => name);
  if (value.startsWith('-')) {
    return usageError('unknown_option', `Unknown option '${value}'`, 'The command comes first: "parley --help".');
  }
  const meant = findNearest(value, names);
  const hint = meant === null ? ALL : `Did you mean "parley ${meant}"? "parley --help" shows all there is.`;
  return usageError('unknown_command', `there is no command "${value}"`, hint);
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
    // The types of what it gives depend on the options, which are known only when it runs.
    return parseArgs({ args: [...words], allowPositionals: true, options: Object.fromEntries(rules) }) as {
      readonly values: Readonly<Record<string, string | boolean | string[] | undefined>>;
      readonly positionals: readonly string[];
    };
  } catch (thrown) {
    // Only bad words make it throw; its first sentence names them.
    const [problem = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('. ');
    throw usageError('wrong_option', problem, optionHint(command, options, problem));
  }
}

function optionHint({ name }: Command, options: readonly Option[], problem: string): string {
  const [, value] = /'--?([\w-]+)/.exec(problem) ?? [];
  const meant =
    value === undefined
      ? null
      : findNearest(
          value,
          options.map((option) => option.name),
        );
  const isUnknown = problem.startsWith('Unknown');
  return `${isUnknown && meant !== null ? `Did you mean --${meant}? ` : ''}"parley ${name} --help" shows its options.`;
}

function checked(command: Command, { name, values }: Option, value: string): string {
  if (typeof values !== 'object' || values.includes(value)) return value;
  const meant = findNearest(value, values);
  const hint = `${meant === null ? '' : `Did you mean ${meant}? `}"parley ${command.name} --help" shows its options.`;
  throw invalidValueError(`--${name}`, `one of ${values.join(', ')}`, value, hint);
}

function argumentsOf(command: Command, words: readonly string[]): Readonly<Record<string, string>> {
  const { args = [] } = command;
  const help = `${usageOf(command)}; "parley ${command.name} --help" says more.`;
  const found: Record<string, string> = {};
  for (const [i, argument] of args.entries()) {
    const value = argument.isRest === true ? words.slice(i).join(' ') : words[i];
    if (value === undefined || (argument.isRest === true && words.length <= i)) {
      if (argument.isOptional === true) break;
      throw usageError('missing_argument', `"${command.name}" needs <${argument.name}>: ${argument.help}`, help);
    }
    found[argument.name] = checkedArgument(argument, value, help);
  }
  const extra = args.at(-1)?.isRest === true ? undefined : words[args.length];
  if (extra === undefined) return found;
  const takes =
    args.length === 0 ? 'no arguments' : `${args.length === 1 ? 'one argument' : `${args.length} arguments`}`;
  throw usageError('extra_argument', `"${command.name}" takes ${takes}, got "${extra}"`, help);
}

function checkedArgument({ name, values }: Argument, value: string, help: string): string {
  if (typeof values !== 'object' || values.includes(value)) return value;
  throw invalidValueError(`<${name}>`, `one of ${values.join(', ')}`, value, help);
}
