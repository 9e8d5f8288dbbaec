/** A key made of what is asked: the same request, asked again, is the same request. */

import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../../core/lib/json.ts';

export function derivedKey(what: string, ...parts: readonly (Json | undefined)[]): string {
  const text = canonicalJson(parts.map((part) => part ?? null));
  return `mcp ${what} ${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
