/** Looks into JSON that others wrote: what is not there, or is of another kind, is null. Pure. */

import type { Json, JsonObject } from '../../core/lib/json.ts';
import { isTooDeep } from './json-depth.ts';

/** undefined when the text is no JSON, or nested deeper than any answer is. */
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

export function objectAt(holder: JsonObject | null, key: string): JsonObject | null {
  return asObject(holder?.[key]);
}

export function listAt(holder: JsonObject | null, key: string): readonly Json[] {
  const value = holder?.[key];
  return Array.isArray(value) ? value : [];
}

export function textAt(holder: JsonObject | null, key: string): string | null {
  const value = holder?.[key];
  return typeof value === 'string' ? value : null;
}

/** A count: whole, and not below 0. */
export function numberAt(holder: JsonObject | null, key: string): number | null {
  const value = holder?.[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
