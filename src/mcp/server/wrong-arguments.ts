/** Explains wrong arguments of a tool: the expected and the given value, the argument's description, and the next step. */

import type { z } from 'zod';
import type { Tool } from '../tools/tool.ts';

type Issue = z.core.$ZodIssue;

const MAX_SHOWN = 3;
const SHOWN_CHARS = 40;

/** null if the arguments are valid. Reports unknown arguments too: models would assume that these had an effect. */
export function wrongArguments(
  { name, input }: Pick<Tool, 'name' | 'input'>,
  given: unknown,
  issues: readonly Issue[],
): string | null {
  const invalid = issues.slice(0, MAX_SHOWN).map((issue) => problemOf(input, given, issue));
  const problems = [...invalid, ...unknownIn(input, given)];
  if (problems.length === 0) return null;
  return [`${name}: nothing was done.`, ...problems, `Correct that and call ${name} again.`].join(' ');
}

function problemOf(input: z.ZodObject, given: unknown, issue: Issue): string {
  const [argument = ''] = issue.path;
  const field = input.shape[String(argument)] as z.ZodType | undefined;
  const about = field?.description === undefined ? '' : ` ${field.description}`;
  const where = issue.path.length === 0 ? 'arguments' : issue.path.join('.');
  return `${where}: expected ${expectedIn(issue)}, got ${shown(valueAt(given, issue.path), issue)}.${about}`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function expectedIn(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? `a ${issue.expected}`;
    case 'too_small':
      return sized(issue.origin, `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`);
    case 'too_big':
      return sized(issue.origin, `at most ${issue.maximum}`);
    case 'invalid_value':
      return `one of ${issue.values.join(', ')}`;
    default:
      return issue.message;
  }
}

const UNITS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  string: ['a text of', ' characters'],
  array: ['a list of', ' entries'],
};

function sized(origin: string, bound: string): string {
  const [before, after] = UNITS[origin] ?? ['a number of', ''];
  return `${before} ${bound}${after}`;
}

function shown(value: unknown, { code }: Issue): string {
  if (value === undefined) return 'nothing';
  if (code === 'too_big' && typeof value === 'string') return `${value.length} characters`;
  if (code === 'too_big' && Array.isArray(value)) return `${value.length} entries`;
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  let value = given;
  for (const name of path) value = isMembered(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function isMembered(value: unknown): value is Readonly<Record<PropertyKey, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Lists valid names, because the model may have passed a value under the wrong name. */
function unknownIn({ shape }: z.ZodObject, given: unknown): readonly string[] {
  const unknown = isMembered(given) ? Object.keys(given).filter((name) => !Object.hasOwn(shape, name)) : [];
  if (unknown.length === 0) return [];
  const names = unknown.slice(0, MAX_SHOWN).map((name) => JSON.stringify(name.slice(0, SHOWN_CHARS)));
  return [`Unknown: ${names.join(', ')}. Valid arguments: ${Object.keys(shape).join(', ')}.`];
}
