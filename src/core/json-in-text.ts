/** JSON in what a model wrote: all of it, in a fence, or among words. */

import { isPlainObject, type JsonObject } from './lib/json.ts';

/** The first object that is there; null = there is none. */
export function objectIn(text: string): JsonObject | null {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n```/.exec(text)?.[1];
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  for (const candidate of [text, fenced, from === -1 || to < from ? undefined : text.slice(from, to + 1)]) {
    const read = candidate === undefined ? undefined : parsed(candidate);
    // What JSON.parse gives is JSON.
    if (isPlainObject(read)) return read as JsonObject;
  }
  return null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
