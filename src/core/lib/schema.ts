/** Parses with zod, and reports field, expectation and value on failure. Public declarations import schema-contract.ts
 * instead, so no zod type becomes public. */

import { z } from 'zod';
import { type FieldProblem, type WireCode, WireError } from './errors.ts';
import { describeValue, isWellFormed, type JsonObject } from './json.ts';
import type { Schema } from './schema-contract.ts';

export function schemaOf<T>(type: z.ZodType<T>, code: WireCode = 'bad_frame'): Schema<T> {
  return {
    parse(value, where) {
      const result = type.safeParse(value, { error: expectation });
      if (result.success) return result.data;
      throw fieldError(result.error.issues[0], value, where, code);
    },
    jsonSchema: () => z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as unknown as JsonObject,
  };
}

/** Bounded, well-formed text. */
export function text(most: number, least = 1): z.ZodType<string> {
  const expected = `text of ${least} to ${most} characters`;
  return z
    .string({ error: expected })
    .min(least, expected)
    .max(most, expected)
    .refine(isWellFormed, 'well-formed Unicode text (no lone surrogate)');
}

/** Text that is not only blanks, such as a name or a title. */
export function nonBlankText(most: number): z.ZodType<string> {
  return text(most).refine((value) => value.trim() !== '', `text of 1 to ${most} characters that are not all blank`);
}

export function integerBetween(least: number, most: number): z.ZodType<number> {
  const message = `a whole number from ${least} to ${most}`;
  return z.number({ error: message }).int(message).min(least, message).max(most, message);
}

/** An object whose members are checked elsewhere (`copyJsonObject` limits its size, depth and content). */
export function anyObject(): z.ZodType<JsonObject> {
  return z.custom<JsonObject>(isAnyObject, 'an object').meta({ type: 'object' });
}

/** The check of `anyObject` without zod, for fast paths. */
export function isAnyObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The check of `text` without zod, for fast paths. */
export function isTextUpTo(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= most && isWellFormed(value);
}

/** A map of strings. Rejects `__proto__`, which zod would drop silently. */
export function textMap(): z.ZodType<Record<string, string>> {
  const message = 'an object of texts';
  return anyObject()
    .refine((value) => !Object.hasOwn(value, '__proto__'), 'an object of texts without the key __proto__')
    .pipe(z.record(z.string(), z.string({ error: 'text' }), { error: message }))
    .meta({ type: 'object', additionalProperties: { type: 'string' } });
}

/** Schema of a union of words; compiles only if `words` lists every member. */
export function oneOf<Word extends string>(words: { readonly [W in Word]: unknown }, error?: string): z.ZodType<Word> {
  // The parameter's type guarantees that the keys are exactly the words.
  const values = Object.keys(words) as Word[];
  return error === undefined ? z.enum(values) : z.enum(values, { error });
}

type Member<T, Key extends keyof T> =
  Record<never, never> extends Pick<T, Key> ? z.ZodExactOptional<z.ZodType<T[Key]>> : z.ZodType<T[Key]>;

/** A closed record with exactly the members of T, so schema and type cannot drift apart. */
export function record<T>(members: { readonly [Key in keyof T]-?: Member<T, Key> }): z.ZodType<T> {
  // zod cannot infer T from a generic shape; the parameter's type has checked every member.
  return z.strictObject(members) as unknown as z.ZodType<T>;
}

function fieldError(issue: z.core.$ZodIssue | undefined, value: unknown, where: string, code: WireCode): WireError {
  const deepest = deepestIssue(issue);
  // Report an unknown key as if it were a field.
  const unknownKey = deepest?.code === 'unrecognized_keys' ? deepest.keys[0] : undefined;
  const path = [...(deepest?.path ?? []), ...(unknownKey === undefined ? [] : [unknownKey])];
  const field = [where, ...path].map(String).join('.');
  const problem: FieldProblem = {
    field,
    expected: deepest?.message ?? 'something else',
    // Never show a credential, not even to its sender: errors end up in logs.
    received: path[0] === 'auth' ? kindOf(valueAt(value, path)) : describeValue(unknownKey ?? valueAt(value, path)),
  };
  return new WireError(code, `${field}: expected ${problem.expected}, got ${problem.received}`, { ...problem });
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['array', 'a list'],
  ['null', 'null'],
  ['nonoptional', 'a value'],
  ['never', 'nothing'],
]);

/** Words that follow "expected" in an error, for a schema without its own message. */
export function expectation(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES.get(issue.expected) ?? `a ${issue.expected}`;
    case 'invalid_value':
      return issue.values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(' or ');
    case 'too_small':
      return bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.format === 'regex' ? `text that matches ${issue.pattern}` : `text in the format ${issue.format}`;
    case 'unrecognized_keys':
      return knownKeys(issue.inst);
    case 'invalid_union':
      return [...new Set(issue.errors.map((issues) => issues[0]?.message ?? 'something else'))].join(' or ');
    default:
      return 'another value';
  }
}

function bound(origin: string, comparison: string, limit: number | bigint): string {
  if (origin === 'string') return `text of ${comparison} ${limit} characters`;
  if (origin === 'array') return `a list of ${comparison} ${limit}`;
  return `${comparison} ${limit}`;
}

function knownKeys(object: unknown): string {
  const keys = object instanceof z.ZodObject ? Object.keys(object.shape) : [];
  return keys.length === 0 ? 'no such key' : `one of ${keys.join(', ')}`;
}

/** For a union, the issue of the branch that matched the longest path. */
export function deepestIssue(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union') return issue;
  const inner = issue.errors.map((issues) => deepestIssue(issues[0])).filter((one) => one !== undefined);
  const deepest = inner.sort((a, b) => b.path.length - a.path.length)[0];
  if (deepest === undefined || deepest.path.length === 0) return issue;
  return { ...deepest, path: [...issue.path, ...deepest.path] };
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}
