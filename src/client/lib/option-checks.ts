/** Checks callers' options before anything is sent; errors name the field, the expectation and the value. */

import { HubError, WireError } from '../../core/lib/errors.ts';
import { copyJsonObject, describeValue, invalidValueError, type JsonObject } from '../../core/lib/json.ts';
import { schemeProblem } from '../../core/records/access/credentials.ts';

export interface OptionCheck {
  readonly expected: string;
  holds(value: unknown): boolean;
}

/** The check of each option; null if only the hub checks it. */
export type OptionChecks<Options> = { readonly [Name in keyof Required<Options>]: OptionCheck | null };

/** Values nested deeper are rejected before they are sent; the hub's limit is lower. */
const MAX_DEPTH = 1000;

/** Longest field path shown: a cycle would make a very long one. */
const MAX_PATH = 120;

/** Rejects options of the wrong kind, and unknown ones: a typo would silently become a default. */
export function checkOptions<Options>(given: unknown, rules: OptionChecks<Options>, where = ''): void {
  if (!isObject(given)) throw invalidValueError('options', 'an object', given);
  const known = Object.entries<OptionCheck | null>(rules);
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(rules, key)) continue;
    throw invalidValueError(where + key, `a known option (${known.map(([option]) => option).join(', ')})`, key);
  }
  for (const [key, rule] of known) {
    if (rule !== null && !rule.holds(given[key])) throw invalidValueError(where + key, rule.expected, given[key]);
  }
}

/** Creates the error for options that never reach a hub. */
export function badOptionError(field: string, expected: string, value: unknown): HubError {
  return new HubError('bad_options', `${field}: expected ${expected}, got ${describeValue(value)}`);
}

/** Checks for options that only the hub checks. */
export function unchecked<const Name extends string>(...names: readonly Name[]): Readonly<Record<Name, null>> {
  // Object.fromEntries loses the names in its type.
  return Object.fromEntries(names.map((name) => [name, null])) as Record<Name, null>;
}

export function optional({ expected, holds }: OptionCheck): OptionCheck {
  return { expected, holds: (value) => value === undefined || holds(value) };
}

export const functionCheck: OptionCheck = { expected: 'a function', holds: (value) => typeof value === 'function' };
export const textCheck: OptionCheck = { expected: 'text', holds: (value) => typeof value === 'string' };
export const nameListCheck: OptionCheck = { expected: 'a list of names', holds: Array.isArray };

export const millisecondsCheck: OptionCheck = {
  expected: 'a number of milliseconds over 0',
  holds: (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
};

/** The bounds of a frame's deadline_ms. */
export const deadlineCheck: OptionCheck = {
  expected: 'a whole number of milliseconds from 1 to 86400000',
  holds: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 86_400_000,
};

export function objectWithMethods(...methods: readonly string[]): OptionCheck {
  return {
    expected: `an object with ${methods.join(', ')}`,
    holds: (value) => isObject(value) && methods.every((method) => typeof value[method] === 'function'),
  };
}

/** Copies the parameters. Rejects values JSON would silently change; drops undefined members. */
export function copyParams(value: unknown, where = 'params'): JsonObject {
  // The frame size is checked when it is encoded.
  const limits = { maxDepth: MAX_DEPTH, maxBytes: Number.POSITIVE_INFINITY };
  return withCallerFieldNames(() => copyJsonObject(value, where, limits));
}

/** Copies credentials like `copyParams`; errors never show their values. */
export function copyCredentials(credentials: unknown): JsonObject {
  let copy: JsonObject;
  try {
    copy = copyParams(credentials, 'credentials');
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    const field = String(error.details?.field);
    throw new WireError('bad_frame', `${field}: expected ${error.details?.expected}`, { field });
  }
  const problem = schemeProblem(copy.scheme);
  if (problem === null) return copy;
  const field = `credentials.${problem.field}`;
  const message = `${field}: expected ${problem.expected}, got ${problem.received}`;
  throw new WireError('bad_frame', message, { ...problem, field });
}

/** Rewrites field names in errors as callers know them, without `params` or `passport`; shortens long paths. */
export function withCallerFieldNames<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    const { field, expected, received } = error.details ?? {};
    const path = String(field).replace(/^(params|passport)\./, '');
    const shown = path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}...` : path;
    const details = { field: shown, expected, received };
    throw new WireError(error.code, `${shown}: expected ${expected}, got ${received}`, details);
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
