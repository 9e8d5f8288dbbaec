/** zod behind a small face: parse or a typed error that names field, expectation and value. No zod type leaves this layer:
 * what public declarations reach imports schema-contract.ts, never the types of this file. */

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
    // JSON Schema is JSON.
    jsonSchema: () => z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as unknown as JsonObject,
  };
}

/** Text that survives every store and socket: no lone surrogate, bounded. */
export function text(most: number, least = 1): z.ZodType<string> {
  return z
    .string({ error: `text of ${least} to ${most} characters` })
    .min(least, `text of ${least} to ${most} characters`)
    .max(most, `text of ${least} to ${most} characters`)
    .refine(isWellFormed, 'well-formed Unicode text (no lone surrogate)');
}

/** Text that says something: a name or a title of blanks alone is a slip of the pen. */
export function nonBlankText(most: number): z.ZodType<string> {
  return text(most).refine((given) => given.trim() !== '', `text of 1 to ${most} characters that are not all blank`);
}

export function integerBetween(least: number, most: number): z.ZodType<number> {
  const message = `a whole number from ${least} to ${most}`;
  return z.number({ error: message }).int(message).min(least, message).max(most, message);
}

/** An object whose members are looked at elsewhere (size, depth and content have limits of their own). */
export function anyObject(): z.ZodType<JsonObject> {
  // Only the outer shape is checked here; copyJsonObject makes it JSON.
  return z
    .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'an object')
    .meta({ type: 'object' });
}

/** A map of texts. zod would drop a `__proto__` key without a word. */
export function textMap(): z.ZodType<Record<string, string>> {
  const message = 'an object of texts';
  return anyObject()
    .refine((value) => !Object.hasOwn(value, '__proto__'), 'an object of texts without the key __proto__')
    .pipe(z.record(z.string(), z.string({ error: 'text' }), { error: message }))
    .meta({ type: 'object', additionalProperties: { type: 'string' } });
}

/** One of the words of a union type: all of them are listed, or it does not compile. */
export function oneOf<Word extends string>(words: { readonly [W in Word]: unknown }, error?: string): z.ZodType<Word> {
  // The keys are the words, as the parameter's type says.
  const values = Object.keys(words) as Word[];
  return error === undefined ? z.enum(values) : z.enum(values, { error });
}

type Member<T, Key extends keyof T> =
  Record<never, never> extends Pick<T, Key> ? z.ZodExactOptional<z.ZodType<T[Key]>> : z.ZodType<T[Key]>;

/** A closed record: a member for each of T's and none beside them, so that schema and type cannot drift apart. */
export function record<T>(members: { readonly [Key in keyof T]-?: Member<T, Key> }): z.ZodType<T> {
  // zod cannot infer T from a generic shape; the parameter's type has compared them member by member.
  return z.strictObject(members) as unknown as z.ZodType<T>;
}

function fieldError(issue: z.core.$ZodIssue | undefined, value: unknown, where: string, code: WireCode): WireError {
  const deepest = deepestIssue(issue);
  // A key nobody asked for is named as the field it would be.
  const stranger = deepest?.code === 'unrecognized_keys' ? deepest.keys[0] : undefined;
  const path = [...(deepest?.path ?? []), ...(stranger === undefined ? [] : [stranger])];
  const field = [where, ...path].map(String).join('.');
  const problem: FieldProblem = {
    field,
    expected: deepest?.message ?? 'something else',
    // A credential is never shown, also not to who sent it: errors end up in logs.
    received: path[0] === 'auth' ? kindOf(valueAt(value, path)) : describeValue(stranger ?? valueAt(value, path)),
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

/** What a schema without words of its own expects, as the end of the sentence "expected …". */
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

/** Of a union, the complaint of the branch that came furthest. */
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
