/** Reads JSON from services and models: missing or unexpected values are null, and depth is bounded. Pure. */

import { isPlainObject, type Json, type JsonObject } from '../../core/lib/json.ts';

/** undefined if the text is not JSON or is nested too deeply. */
export function parseJson(text: string): Json | undefined {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text) as Json; // JSON.parse makes nothing else.
  } catch {
    return undefined;
  }
}

export function asObject(value: Json | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** The value at the path, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    if (Array.isArray(found) && typeof key === 'number') found = found[key];
    else if (isPlainObject(found) && Object.hasOwn(found, key)) found = found[key];
    else return undefined;
  }
  return found;
}

export function objectAt(value: unknown, ...path: readonly (string | number)[]): JsonObject | null {
  return asObject(at(value, ...path) as Json | undefined);
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly Json[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, ...path: readonly (string | number)[]): string | null {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : null;
}

export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | null {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** A count: a whole number >= 0. */
export function countAt(value: unknown, ...path: readonly (string | number)[]): number | null {
  const found = numberAt(value, ...path);
  return found !== null && Number.isSafeInteger(found) && found >= 0 ? found : null;
}

/** Nesting limit: far above any real answer, far below the stack limit. */
export const MAX_LEVELS = 256;

/** Scans the text first, so that a value nested too deeply is never built. */
export function isTooDeep(json: string): boolean {
  if (json.length <= 2 * MAX_LEVELS) return false;
  let levels = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (isText && sign === '\\') at += 1;
    else if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if (sign === '[' || sign === '{') levels += 1;
    else if (sign === ']' || sign === '}') levels -= 1;
    if (levels > MAX_LEVELS) return true;
  }
  return false;
}

/** Replaces everything below the depth limit with null so that the rest can be read; returns other text unchanged. */
export function truncateDepth(json: string): string {
  try {
    return JSON.stringify(withoutDepth(JSON.parse(json) as Json, MAX_LEVELS - 1));
  } catch {
    return json;
  }
}

function withoutDepth(value: Json, left: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (left === 0) return null;
  if (Array.isArray(value)) return value.map((item: Json) => withoutDepth(item, left - 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutDepth(member, left - 1)]));
}
