/** Reads JSON from an agent strictly: nothing is dropped, rounded or guessed. Pure. */

import { asError } from '../../../core/lib/errors.ts';
import { copyJson, type Json } from '../../../core/lib/json.ts';

/** Metadata is small; the hub rejects much larger messages. */
const LIMITS = { maxDepth: 32, maxBytes: 65_536 };

type ReadText = { readonly value: Json } | { readonly problem: string };

export function readJsonText(text: string): ReadText {
  const written = text.replace(/^\ufeff/, '').trim();
  if (written.length > LIMITS.maxBytes) return { problem: `JSON of more than ${LIMITS.maxBytes} characters` };
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch (thrown) {
    return { problem: `not JSON: ${asError(thrown).message}` };
  }
  const problem = ambiguityIn(written);
  if (problem !== null) return { problem };
  try {
    return { value: copyJson(value, 'meta', LIMITS) };
  } catch (thrown) {
    return { problem: asError(thrown).message };
  }
}

/** A string, a number or a structural sign of valid JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

/** Finds what JSON.parse changes silently: duplicate keys and inexact numbers. */
function ambiguityIn(json: string): string | null {
  const open: (Set<string> | null)[] = [];
  let text: string | null = null;
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':' && text !== null) {
      // Compare decoded names: escapes can spell the same key differently.
      const key = String(JSON.parse(text));
      const keys = open.at(-1);
      if (keys?.has(key)) return `duplicate key ${text}`;
      keys?.add(key);
    } else if (/^-?\d/.test(token) && isChanged(token))
      return `the number ${token} cannot be kept exactly; write it as text`;
    text = token.startsWith('"') ? token : null;
  }
  return null;
}

/** Decimals and exponents are accepted as doubles unless they overflow. */
function isChanged(number: string): boolean {
  const value = Number(number);
  return !Number.isFinite(value) || (/^-?\d+$/.test(number) && !Number.isSafeInteger(value));
}
