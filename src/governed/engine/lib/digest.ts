/** Canonical digests and comparison: equal values match whatever the order of their keys. */

import { canonicalJson, type Json } from '../../../core/lib/json.ts';
import { sha256 } from '../../../core/lib/sha256.ts';

export function digestOf(value: unknown): string {
  return sha256(canonicalText(value));
}

export function sameJson(a: unknown, b: unknown): boolean {
  return canonicalText(a) === canonicalText(b);
}

/** A round trip through JSON treats undefined members as absent. */
function canonicalText(value: unknown): string {
  const text = JSON.stringify(value);
  // JSON.parse returns JSON.
  return text === undefined ? 'null' : canonicalJson(JSON.parse(text) as Json);
}
