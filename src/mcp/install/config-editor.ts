/** What an editor of configuration files can do, whatever the file is written in. Texts have no byte order mark. */

import type { JsonObject } from '../../core/lib/json.ts';

/** The members by which something is reached, from the outside in. */
export type Path = readonly string[];

export interface ConfigFormat {
  /** What is written there: undefined = nothing. Throws a BrokenConfig. */
  read(text: string, path: Path): unknown;
  /** The text with these members in the object at the path, and everything else as it was. Throws a BrokenConfig. */
  set(text: string, path: Path, members: JsonObject): string;
  /** The text without what is at the path. Throws a BrokenConfig. */
  remove(text: string, path: Path): string;
  /** The whole of a file that has nothing but this. */
  alone(path: Path, members: JsonObject): string;
}

/** A file that cannot be read as what it should be, or not changed without touching what is not ours. */
export class BrokenConfig extends Error {
  /** From 1; null = of the file as a whole. */
  readonly line: number | null;
  readonly column: number | null;

  constructor(problem: string, place: { readonly line: number; readonly column: number } | null) {
    super(problem);
    this.name = 'BrokenConfig';
    this.line = place?.line ?? null;
    this.column = place?.column ?? null;
  }
}

/** The line and the column of an offset, both from 1. */
export function placeAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** What ends its lines. */
export function eolOf(text: string): '\n' | '\r\n' {
  return /\r\n/.test(text) ? '\r\n' : '\n';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** What a path leads to: undefined where there is nothing. What is in the way and is no object is a BrokenConfig. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const [i, name] of path.entries()) {
    if (value === undefined) return undefined;
    if (!isObject(value)) throw notAnObject(path.slice(0, i), value);
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** The same value with another one at the path; undefined = without it. */
export function withValue(root: unknown, path: Path, value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  const members = isObject(root) ? root : {};
  const next = withValue(Object.hasOwn(members, first) ? members[first] : undefined, rest, value);
  const others = Object.entries(members).filter(([name]) => name !== first);
  return Object.fromEntries(next === undefined ? others : [...others, [first, next]]);
}

export function notAnObject(path: Path, value: unknown): BrokenConfig {
  const where = path.length === 0 ? 'the file' : `"${path.join('.')}"`;
  const what = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return new BrokenConfig(`${where} should be an object, and is ${what}`, null);
}
