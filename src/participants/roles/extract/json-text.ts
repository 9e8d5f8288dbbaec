/** JSON that an agent wrote, read without a doubt about what it says: nothing is dropped, rounded or guessed. Pure. */

import { asError } from '../../../core/lib/errors.ts';
import { copyJson, type Json } from '../../../core/lib/json.ts';

/** Metadata is small; a hub takes no message that is much larger. */
const LIMITS = { maxDepth: 32, maxBytes: 65_536 };

export type ReadText = { readonly value: Json } | { readonly problem: string };

export function readJsonText(text: string): ReadText {
  const written = text.replace(/^\ufeff/, '').trim();
  if (written.length > LIMITS.maxBytes) return { problem: `JSON of more than ${LIMITS.maxBytes} characters` };
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch (thrown) {
    return { problem: `no JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
  const problem = doubtIn(written);
  if (problem !== null) return { problem };
  try {
    return { value: copyJson(value, 'meta', LIMITS) };
  } catch (thrown) {
    return { problem: asError(thrown).message };
  }
}

/** A text, a number, or a sign that opens, closes or parts; of JSON that is known to be whole. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

/** What JSON.parse makes something of that was not said: one of two members of one name, another number. */
function doubtIn(json: string): string | null {
  const open: (Set<string> | null)[] = [];
  let text: string | null = null;
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':' && text !== null) {
      // Written in another way it may be the same name.
      const key = String(JSON.parse(text));
      const keys = open.at(-1);
      if (keys?.has(key)) return `the key ${text} is there twice`;
      keys?.add(key);
    } else if (/^-?\d/.test(token) && isChanged(token))
      return `the number ${token} cannot be kept exactly; write it as text`;
    text = token.startsWith('"') ? token : null;
  }
  return null;
}

/** One with a point or an exponent is as exact as numbers are, unless it is beyond all of them. */
function isChanged(number: string): boolean {
  const value = Number(number);
  return !Number.isFinite(value) || (/^-?\d+$/.test(number) && !Number.isSafeInteger(value));
}
