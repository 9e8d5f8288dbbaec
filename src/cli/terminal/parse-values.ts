/** Values that are given as words: `--knob rounds=2`, a JSON or YAML file, a list of names. */

import { readFile } from 'node:fs/promises';
import type { Json, JsonObject } from '../../core/lib/json.ts';
import { Trouble, wrongValue } from './command-error.ts';

/** `a,b` and `a b`, in one or several options. */
export function namesIn(given: readonly string[]): readonly string[] {
  return given.flatMap((one) => one.split(/[,\s]+/)).filter((name) => name !== '');
}

/** `key=value`: what is JSON is meant as JSON, all else as text. */
export function pairsIn(option: string, given: readonly string[]): JsonObject {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw wrongValue(option, 'key=value', pair);
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

/** The same, all as text. */
export function textsIn(option: string, given: readonly string[]): Readonly<Record<string, string>> {
  const pairs = Object.entries(pairsIn(option, given));
  return Object.fromEntries(
    pairs.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

export function jsonObjectIn(option: string, text: string): JsonObject {
  const value = jsonOr(text);
  if (isObject(value)) return value;
  throw wrongValue(option, 'a JSON object such as {"text": "hello"}', text);
}

/** A file with one object in JSON or YAML, of which JSON is a part. */
export async function objectInFile(option: string, file: string): Promise<JsonObject> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    const why = thrown.code === 'ENOENT' ? 'is not there' : `cannot be read: ${thrown.message}`;
    throw new Trouble('notFound', 'no_file', `${option}: ${file} ${why}`, 'Give the path of a JSON or YAML file.');
  });
  const value = await parsed(option, file, text);
  if (isObject(value)) return value;
  throw new Trouble(
    'wrong',
    'wrong_value',
    `${option}: expected an object in ${file}`,
    'JSON or YAML, such as {"key": 1}.',
  );
}

async function parsed(option: string, file: string, text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(text);
  } catch (thrown) {
    const why = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : '';
    throw new Trouble('wrong', 'wrong_value', `${option}: ${file} is neither JSON nor YAML: ${why}`, 'Mend that line.');
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function wholeIn(option: string, given: string, least = 0): number {
  if (/^\d{1,15}$/.test(given) && Number(given) >= least) return Number(given);
  throw wrongValue(option, `a whole number${least > 0 ? ` from ${least}` : ''}`, given);
}
