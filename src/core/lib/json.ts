/** Plain JSON values. Outside values become trusted JSON only through `copyJson`. */

import { type FieldProblem, WireError } from './errors.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export interface JsonLimits {
  readonly maxDepth: number;
  readonly maxBytes: number;
}

/** Returns a deep frozen copy, or throws an error that names the field. Rejects what a round trip through JSON text would
 * change: functions, NaN, class instances, cycles (as depth), lone surrogates and `__proto__` keys. */
export function copyJson(value: unknown, field: string, limits: JsonLimits): Json {
  const copy = copyValue(value, field, limits.maxDepth, limits.maxDepth);
  checkSize(copy, field, limits.maxBytes);
  return copy;
}

export function copyJsonObject(value: unknown, field: string, limits: JsonLimits): JsonObject {
  if (!isPlainObject(value)) throw invalidValueError(field, 'a JSON object', value);
  // `copyJson` returns an object for an object.
  return copyJson(value, field, limits) as JsonObject;
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || isForeignObjectPrototype(prototype);
}

/** Writes JSON text with sorted keys, so that equal values give equal text. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(',')}}`;
}

export function jsonEqual(a: Json, b: Json): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b);
}

/** Length of `text` in UTF-8 bytes, computed without encoding it. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // A surrogate pair takes four bytes: two from `length`, two added here. A lone half becomes U+FFFD, three bytes.
    if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(i + 1))) i++;
  }
  return bytes;
}

export function jsonBytes(value: Json): number {
  return utf8Bytes(JSON.stringify(value));
}

/** Describes a received value, short enough for an error message. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return shorten(JSON.stringify(value));
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'object' && value !== null) return describeObject(value);
  return String(value);
}

export function invalidValueError(field: string, expected: string, value: unknown): WireError {
  const problem: FieldProblem = { field, expected, received: describeValue(value) };
  return new WireError('bad_frame', `${field}: expected ${expected}, got ${problem.received}`, { ...problem });
}

function isJsonArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Node 20 has this method, but the TypeScript library we compile with lacks it. */
interface CheckedText {
  isWellFormed(): boolean;
}

export function isWellFormed(text: string): boolean {
  return (text as unknown as CheckedText).isWellFormed();
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function copyValue(value: unknown, field: string, depth: number, maxDepth: number): Json {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    if (!isWellFormed(value)) throw invalidValueError(field, 'well-formed Unicode text (no lone surrogate)', value);
    return value;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalidValueError(field, 'a finite number', value);
    return Object.is(value, -0) ? 0 : value;
  }
  if (depth === 0) throw invalidValueError(field, `JSON nested at most ${maxDepth} deep`, 'deeper nesting');
  if (Array.isArray(value)) {
    return Object.freeze(Array.from(value, (item, i) => copyValue(item, `${field}[${i}]`, depth - 1, maxDepth)));
  }
  if (!isPlainObject(value)) throw invalidValueError(field, 'a JSON value', value);
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw invalidValueError(`${field}.__proto__`, 'another key', '__proto__');
    if (!isWellFormed(key)) throw invalidValueError(field, 'well-formed Unicode keys', key);
    const member = value[key];
    if (member === undefined) continue;
    // Most members are strings: avoid building a path that only an error needs.
    const isText = typeof member === 'string' && isWellFormed(member);
    copy[key] = isText ? member : copyValue(member, `${field}.${key}`, depth - 1, maxDepth);
  }
  return Object.freeze(copy);
}

/** Estimates the length of a value's JSON text. No character takes more than MAX_EXPANSION bytes. */
export function estimateJsonLength(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return MAX_SCALAR_LENGTH;
  let length = 2;
  if (isJsonArray(value)) {
    for (const item of value) length += estimateJsonLength(item) + 1;
  } else {
    for (const key in value) length += key.length + 4 + estimateJsonLength(value[key] as Json);
  }
  return length;
}

/** A control character is written as six characters. */
const MAX_EXPANSION = 6;
/** The length of a number such as -1.7976931348623157e+308. */
const MAX_SCALAR_LENGTH = 24;

function checkSize(value: Json, field: string, maxBytes: number): void {
  // Most values are far below the limit: skip building their text.
  if (estimateJsonLength(value) * MAX_EXPANSION <= maxBytes) return;
  const bytes = jsonBytes(value);
  if (bytes <= maxBytes) return;
  throw new WireError('too_large', `${field}: ${bytes} bytes of JSON; at most ${maxBytes} are allowed`, {
    field,
    expected: `at most ${maxBytes} bytes`,
    received: `${bytes} bytes`,
  });
}

/** Objects from another realm (a vm context, a test runner) have a different Object.prototype. */
function isForeignObjectPrototype(prototype: unknown): boolean {
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'hasOwnProperty')
  );
}

function describeObject(value: object): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (!isPlainObject(value)) return `a ${value.constructor?.name ?? 'strange object'}`;
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an empty object' : shorten(`an object with ${keys.join(', ')}`);
}

/** Never splits a surrogate pair: errors are sent to peers. */
function shorten(text: string): string {
  if (text.length <= 80) return text;
  return `${text.slice(0, isHighSurrogate(text.charCodeAt(76)) ? 76 : 77)}...`;
}

/** The first JSON object found in a text, inside or outside a code fence; null if there is none. */
export function findJsonObject(text: string): JsonObject | null {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n```/.exec(text)?.[1];
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  for (const candidate of [text, fenced, from === -1 || to < from ? undefined : text.slice(from, to + 1)]) {
    const read = candidate === undefined ? undefined : parsed(candidate);
    if (isPlainObject(read)) return read as JsonObject;
  }
  return null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
