/** Finds redacted content in a session's state: such content cannot be removed without changing the state. */

import { textValues } from '../lib/find-text.ts';
import type { Json } from '../lib/json.ts';
import type { SessionState } from './state.ts';

/** Minimum length to search for: shorter texts are common words. */
const LEAST = 8;
/** Names like `context_updates` or `apiToken` describe a member; any other name may itself be a secret. */
const PLAIN_NAME = /^[A-Za-z_]{1,32}$/;

/** The path at which the state holds a text, name or number of `content`, else null. Session settings do not count. */
export function findInState(
  { metadata, adapter_state, pacing, delegations, tasks }: SessionState,
  content: Json,
): string | null {
  // The close reason may quote an envelope, and everybody can see it.
  const { close_reason, ...settings } = metadata;
  const known = JSON.stringify(settings);
  const isDistinctive = (text: string): boolean =>
    text.length >= LEAST && !known.includes(JSON.stringify(text).slice(1, -1));
  const [names, numbers] = namesAndNumbersIn(content);
  const sought = [...textValues(content), ...names, ...numbers.map(String)].filter(isDistinctive);
  if (sought.length === 0) return null;
  if (typeof close_reason === 'string' && sought.some((one) => close_reason.includes(one))) return 'close_reason';
  const soughtNumbers = new Set(numbers.filter((one) => isDistinctive(String(one))));
  // The state may hold a truncated copy.
  const holds = (value: string | number): boolean => {
    if (typeof value === 'number') return soughtNumbers.has(value);
    return isDistinctive(value) && sought.some((one) => value.includes(one) || one.startsWith(value));
  };
  return placeOf({ adapter_state, pacing, delegations, tasks }, '', holds);
}

function namesAndNumbersIn(content: Json): [names: string[], numbers: number[]] {
  const [names, numbers]: [string[], number[]] = [[], []];
  const waiting: Json[] = [content];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'number') numbers.push(next);
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) names.push(...Object.keys(next).filter((name) => !PLAIN_NAME.test(name)));
    for (const member of Object.values(next)) waiting.push(member);
  }
  return [names, numbers];
}

function placeOf(value: unknown, place: string, holds: (value: string | number) => boolean): string | null {
  if (typeof value === 'string' || typeof value === 'number') return holds(value) ? place : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const inner = place === '' ? name : `${place}.${name}`;
    if (holds(name)) return place;
    const found = placeOf(member, inner, holds);
    if (found !== null) return found;
  }
  return null;
}
