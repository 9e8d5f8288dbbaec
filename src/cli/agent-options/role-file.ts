/** Reads a role from Markdown: identity in the front matter, instructions in the text. */

import { readFile } from 'node:fs/promises';
import { WireError } from '../../core/lib/errors.ts';
import { parseFrontMatter } from '../../core/lib/front-matter.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { type CommandError, notFoundError, usageError } from '../terminal/command-error.ts';

export interface RoleFile {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly model: string | undefined;
  readonly cli: string | undefined;
  /** System prompt of every turn. */
  readonly prompt: string;
}

export const NO_ROLE: RoleFile = {
  name: undefined,
  description: undefined,
  model: undefined,
  cli: undefined,
  prompt: '',
};

const FENCED = /^\ufeff?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)([\s\S]*)$/;
const KEYS = ['name', 'description', 'model', 'cli'] as const;

export async function readRole(file: string): Promise<RoleFile> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw notFoundError('no_file', `--role: ${file} cannot be read`, 'Give the path of a markdown file.');
  });
  return parseRole(text, file);
}

function parseRole(text: string, file: string): RoleFile {
  const [, front, body = ''] = FENCED.exec(text) ?? [];
  if (front === undefined) return { ...NO_ROLE, prompt: (body || text).trim() };
  const fields = frontMatter(front, file);
  const unknown = Object.keys(fields).find((key) => !KEYS.some((one) => one === key));
  if (unknown !== undefined)
    throw badRole(`${file}: expected ${KEYS.join(', ')} in the front matter, got "${unknown}"`);
  const [name, description, model, cli] = KEYS.map((key) => textIn(fields, key, file));
  return { name, description, model, cli, prompt: body.trim() };
}

function frontMatter(front: string, file: string): JsonObject {
  try {
    return parseFrontMatter(front, file);
  } catch (thrown) {
    throw thrown instanceof WireError ? badRole(thrown.message) : thrown;
  }
}

function textIn(fields: JsonObject, key: string, file: string): string | undefined {
  const value = fields[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  throw badRole(`${file}: ${key}: expected text, got ${JSON.stringify(value)}`);
}

function badRole(message: string): CommandError {
  return usageError('bad_role', message, 'A role starts with "---", "name: …" and "---", followed by its text.');
}
