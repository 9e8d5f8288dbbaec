/** Whether a value comes back from JSON text exactly as it went in. */

import { isPlainObject } from '../core/lib/json.ts';

/** Deeper than any state that is meant to be one; also the way out of a cycle. */
const MAX_DEPTH = 256;

export function survivesJson(value: unknown, depth: number = 0): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    const isDense = Object.keys(value).length === value.length;
    return isDense && value.every((item) => survivesJson(item, depth + 1));
  }
  if (!isPlainObject(value) || Object.getOwnPropertySymbols(value).length > 0) return false;
  const names = Object.getOwnPropertyNames(value);
  const hasHidden = names.length !== Object.keys(value).length || names.includes('__proto__');
  return !hasHidden && Object.values(value).every((member) => survivesJson(member, depth + 1));
}
