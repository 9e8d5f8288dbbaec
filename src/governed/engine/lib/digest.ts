/** Computes canonical digests and compares values: equal values match regardless of key order. */

import { canonicalJson, type Json } from '../../../core/lib/json.ts';
import { sha256 } from '../../../core/lib/sha256.ts';

export function digestOf(value: unknown): string {
  return sha256(canonicalText(value));
}

export function sameJson(a: unknown, b: unknown): boolean {
  return canonicalText(a) === canonicalText(b);
}

/** Converts the value through JSON, so that undefined members count as absent. */
function canonicalText(value: unknown): string {
  const text = JSON.stringify(value);
  // JSON.parse returns JSON.
  return text === undefined ? 'null' : canonicalJson(JSON.parse(text) as Json);
}
