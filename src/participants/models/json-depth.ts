/** How deep JSON may be that services and models write: what is made of it goes through it level by level. Pure. */

import type { Json } from '../../core/lib/json.ts';

/** No answer comes near it, and no stack ends before it. */
export const MOST_LEVELS = 256;

/** Looked for in the text: a value that is too deep is better not made at all. */
export function isTooDeep(json: string): boolean {
  // Each level takes a sign to open it and one to close it.
  if (json.length <= 2 * MOST_LEVELS) return false;
  let levels = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (isText && sign === '\\') at += 1;
    else if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if (sign === '[' || sign === '{') levels += 1;
    else if (sign === ']' || sign === '}') levels -= 1;
    if (levels > MOST_LEVELS) return true;
  }
  return false;
}

/** The text with null for what is too deep, so that the rest can be read; itself when it is no JSON. */
export function withoutDepths(json: string): string {
  try {
    return JSON.stringify(flattened(JSON.parse(json) as Json, MOST_LEVELS - 1));
  } catch {
    return json;
  }
}

function flattened(value: Json, left: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (left === 0) return null;
  if (Array.isArray(value)) return value.map((item: Json) => flattened(item, left - 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, flattened(member, left - 1)]));
}
