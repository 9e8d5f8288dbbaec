/** Parses JSON and records where each value starts, so that errors can point to their place in the text. */

import type { Json } from '../../core/lib/json.ts';

export type ReadJson =
  /** `places`: the start of each value by path, such as `transitions.0.when`. */
  | { readonly ok: true; readonly value: Json; readonly places: ReadonlyMap<string, number> }
  | { readonly ok: false; readonly at: number; readonly message: string };

/** Maximum nesting, the same as the hub's. */
const MAX_DEPTH = 64;

export function readJson(text: string): ReadJson {
  const reading = new Reading(text);
  try {
    const value = reading.whole();
    return { ok: true, value, places: reading.places };
  } catch (thrown) {
    if (!(thrown instanceof Misread)) throw thrown;
    return { ok: false, at: thrown.at, message: thrown.message };
  }
}

class Misread extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids control characters in strings.
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;

class Reading {
  readonly places: Map<string, number> = new Map();
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  whole(): Json {
    this.skip();
    const value = this.value('', 0);
    this.skip();
    if (this.at < this.text.length) throw this.unexpected('the end');
    return value;
  }

  private value(path: string, depth: number): Json {
    this.places.set(path, this.at);
    if (depth > MAX_DEPTH) throw new Misread(this.at, `nested more than ${MAX_DEPTH} deep`);
    const sign = this.text[this.at];
    if (sign === '{') return this.object(path, depth);
    if (sign === '[') return this.list(path, depth);
    const scalar = sign === '"' ? this.match(TEXT) : (this.match(NUMBER) ?? this.match(WORD));
    if (scalar !== null) return JSON.parse(scalar);
    throw sign === '"'
      ? new Misread(this.at, 'expected a string that ends and escapes special characters')
      : this.unexpected('a value');
  }

  private object(path: string, depth: number): Json {
    const members: (readonly [string, Json])[] = [];
    const seen = new Set<string>();
    this.items('}', () => {
      const begin = this.at;
      const name = this.match(TEXT);
      if (name === null) throw this.unexpected('a name in double quotes');
      const key: string = JSON.parse(name);
      if (seen.has(key)) throw new Misread(begin, `${name} is listed twice`);
      if (key === '__proto__') throw new Misread(begin, 'the name "__proto__" is not allowed');
      seen.add(key);
      this.skip();
      this.take(':');
      this.skip();
      members.push([key, this.value(path === '' ? key : `${path}.${key}`, depth + 1)]);
    });
    return Object.fromEntries(members);
  }

  private list(path: string, depth: number): Json {
    const items: Json[] = [];
    this.items(']', () => {
      items.push(this.value(path === '' ? String(items.length) : `${path}.${items.length}`, depth + 1));
    });
    return items;
  }

  private items(end: string, item: () => void): void {
    this.at += 1;
    this.skip();
    if (this.text[this.at] === end) {
      this.at += 1;
      return;
    }
    for (;;) {
      item();
      this.skip();
      if (this.text[this.at] === end) break;
      if (this.text[this.at] !== ',') throw this.unexpected(`"," or "${end}"`);
      this.at += 1;
      this.skip();
    }
    this.at += 1;
  }

  private take(sign: string): void {
    if (this.text[this.at] !== sign) throw this.unexpected(`"${sign}"`);
    this.at += 1;
  }

  private skip(): void {
    this.match(SPACE);
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return null;
    this.at += found[0].length;
    return found[0];
  }

  private unexpected(expected: string): Misread {
    const sign = this.text.codePointAt(this.at);
    const received = sign === undefined ? 'the end of the text' : JSON.stringify(String.fromCodePoint(sign));
    return new Misread(this.at, `expected ${expected}, got ${received}`);
  }
}

export interface LineAndColumn {
  readonly line: number;
  readonly column: number;
}

/** The line and column of an offset, both counted from 1. */
export function lineOf(text: string, at: number): LineAndColumn {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return { line, column: at - before.lastIndexOf('\n') };
}

/** The offset of the value at a path, or of its nearest ancestor if the path does not exist. */
export function placeOf(places: ReadonlyMap<string, number>, path: string): number {
  const steps = path === '' ? [] : path.split('.');
  for (let length = steps.length; length > 0; length--) {
    const at = places.get(steps.slice(0, length).join('.'));
    if (at !== undefined) return at;
  }
  return places.get('') ?? 0;
}
