/** Values as one text: equal values have equal digests, whatever the order of their keys. */

import { canonicalJson, type Json } from '../../../core/lib/json.ts';
import { sha256 } from '../../../core/lib/sha256.ts';

export function digestOf(value: unknown): string {
  return sha256(canonicalText(value));
}

export function sameJson(a: unknown, b: unknown): boolean {
  return canonicalText(a) === canonicalText(b);
}

/** Through JSON once, so that members which are undefined are the same as absent ones. */
function canonicalText(value: unknown): string {
  const text = JSON.stringify(value);
  // What JSON.parse gives is JSON.
  return text === undefined ? 'null' : canonicalJson(JSON.parse(text) as Json);
}
