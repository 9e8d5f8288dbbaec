/** Parses option values: `--knob rounds=2`, JSON or YAML files, lists of names. */

import { readFile } from 'node:fs/promises';
import type { Json, JsonObject } from '../../core/lib/json.ts';
import { invalidValueError, notFoundError, usageError } from './command-error.ts';

/** Splits names at commas and spaces, in one option or several. */
export function parseNames(values: readonly string[]): readonly string[] {
  return values.flatMap((one) => one.split(/[,\s]+/)).filter((name) => name !== '');
}

/** Parses `key=value`, where the value is JSON if it parses, else text. */
export function parsePairs(option: string, values: readonly string[]): JsonObject {
  return Object.fromEntries(
    values.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw invalidValueError(option, 'key=value', pair);
      return [pair.slice(0, at), jsonOr(pair.slice(at + 1))] as const;
    }),
  );
}

function jsonOr(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Parses `key=value`, where every value is text. */
export function parseTextPairs(option: string, values: readonly string[]): Readonly<Record<string, string>> {
  const pairs = Object.entries(parsePairs(option, values));
  return Object.fromEntries(
    pairs.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

export function parseJsonOption(option: string, text: string): JsonObject {
  const value = jsonOr(text);
  if (isObject(value)) return value;
  throw invalidValueError(option, 'a JSON object such as {"text": "hello"}', text);
}

/** Reads a file with one object in JSON or YAML. */
export async function readJsonOption(option: string, file: string): Promise<JsonObject> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    const why = thrown.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${thrown.message}`;
    throw notFoundError('no_file', `${option}: ${file} ${why}`, 'Give the path of a JSON or YAML file.');
  });
  const value = await parsed(option, file, text);
  if (isObject(value)) return value;
  throw usageError('wrong_value', `${option}: expected an object in ${file}`, 'JSON or YAML, such as {"key": 1}.');
}

async function parsed(option: string, file: string, text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(text);
  } catch (thrown) {
    const why = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : '';
    throw usageError('wrong_value', `${option}: ${file} is neither JSON nor YAML: ${why}`, 'Correct that line.');
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parseInteger(option: string, value: string, least = 0): number {
  if (/^\d{1,15}$/.test(value) && Number(value) >= least) return Number(value);
  throw invalidValueError(option, `a whole number${least > 0 ? ` from ${least}` : ''}`, value);
}
