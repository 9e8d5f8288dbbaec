/**
 * Edits configuration files of other programs. An edit changes only the members at one path: the result is parsed again,
 * and rejected if anything else changed. The input has no byte order mark. Back ends: json-config.ts and toml-config.ts.
 */

import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../core/lib/json.ts';

/** Member names from the root inwards. */
export type Path = readonly string[];

/** The back end of a language. Every function may throw a BrokenConfig. */
interface ConfigSyntax {
  /** undefined if the text has only white space and comments. */
  parse(text: string): unknown;
  /** Sets `members` at the path; `there` is the current value. */
  put(text: string, path: Path, members: JsonObject, there: unknown): string;
  /** Removes the existing value at the path. */
  take(text: string, path: Path): string;
  alone(path: Path, members: JsonObject): string;
  readonly suspicion: string;
}

export class ConfigEditor {
  readonly alone: ConfigSyntax['alone'];
  private readonly syntax: ConfigSyntax;

  constructor(syntax: ConfigSyntax) {
    this.syntax = syntax;
    this.alone = syntax.alone;
  }

  /** undefined if there is no value at the path. */
  read(text: string, path: Path): unknown {
    return valueAt(this.syntax.parse(text), path);
  }

  set(text: string, path: Path, members: JsonObject): string {
    const root = this.syntax.parse(text);
    const there = valueAt(root, path);
    const expected = withValue(root ?? {}, path, isObject(there) ? { ...there, ...members } : members);
    return this.verified(this.syntax.put(text, path, members, there), () => expected);
  }

  remove(text: string, path: Path): string {
    const root = this.syntax.parse(text);
    if (valueAt(root, path) === undefined) return text;
    return this.verified(this.syntax.take(text, path), (left) => withoutImplied(root, path, left));
  }

  private verified(after: string, expected: (root: unknown) => unknown): string {
    const root = this.syntax.parse(after);
    if (isDeepStrictEqual(root, expected(root))) return after;
    const problem = `cannot be changed without affecting other entries${this.syntax.suspicion}`;
    throw new BrokenConfig(problem, null);
  }
}

/** Removes the path from the root, and its empty parent too if `after` has none (a table implied only by its contents). */
function withoutImplied(root: unknown, path: Path, after: unknown): unknown {
  const without = withValue(root, path, undefined);
  const outer = path.slice(0, -1);
  const left = valueAt(without, outer);
  const isImplied = isObject(left) && Object.keys(left).length === 0 && valueAt(after, outer) === undefined;
  return isImplied ? withValue(without, outer, undefined) : without;
}

/** A file that cannot be parsed, or cannot be changed without affecting other entries. */
export class BrokenConfig extends Error {
  /** Counted from 1; null if the problem has no position. */
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
export function locationAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

export function eolOf(text: string): '\n' | '\r\n' {
  return /\r\n/.test(text) ? '\r\n' : '\n';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The value at a path, or undefined. Throws BrokenConfig if the path leads through a non-object. */
function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const [i, name] of path.entries()) {
    if (value === undefined) return undefined;
    if (!isObject(value)) throw notAnObjectError(path.slice(0, i), value);
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** Returns a copy of the root with `value` at the path; undefined removes the path. */
export function withValue(root: unknown, path: Path, value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  const members = isObject(root) ? root : {};
  const next = withValue(Object.hasOwn(members, first) ? members[first] : undefined, rest, value);
  const others = Object.entries(members).filter(([name]) => name !== first);
  return Object.fromEntries(next === undefined ? others : [...others, [first, next]]);
}

export function notAnObjectError(path: Path, value: unknown): BrokenConfig {
  const where = path.length === 0 ? 'the file' : `"${path.join('.')}"`;
  const what = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return new BrokenConfig(`${where}: expected an object, got ${what}`, null);
}
