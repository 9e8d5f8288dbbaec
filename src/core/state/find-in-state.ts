/** Whether a session's state holds what an envelope said: then it cannot be hidden without changing the state. Pure. */

import { textValues } from '../lib/find-text.ts';
import type { Json } from '../lib/json.ts';
import type { SessionState } from './state.ts';

/** Shorter texts are words that stand anywhere. */
const LEAST = 8;
/** A member is called so to say what it holds: `context_updates`, `apiToken`. Whatever else is in a name may be a secret. */
const PLAIN_NAME = /^[A-Za-z_]{1,32}$/;

/** Where the state holds some text, name or number of it; null = nowhere. Names and settings of the session are no secret of an envelope. */
export function findInState(
  { metadata, adapter_state, pacing, delegations, tasks }: SessionState,
  said: Json,
): string | null {
  // Why it ended may be what an envelope said: no setting, and shown to everybody.
  const { close_reason, ...settings } = metadata;
  const known = JSON.stringify(settings);
  const isSought = (text: string): boolean =>
    text.length >= LEAST && !known.includes(JSON.stringify(text).slice(1, -1));
  const [names, numbers] = namesAndNumbersIn(said);
  const sought = [...textValues(said), ...names, ...numbers.map(String)].filter(isSought);
  if (sought.length === 0) return null;
  if (typeof close_reason === 'string' && sought.some((one) => close_reason.includes(one))) return 'close_reason';
  const soughtNumbers = new Set(numbers.filter((one) => isSought(String(one))));
  // A part of it is held too where it was cut to its beginning.
  const holds = (value: string | number): boolean => {
    if (typeof value === 'number') return soughtNumbers.has(value);
    return isSought(value) && sought.some((one) => value.includes(one) || one.startsWith(value));
  };
  return placeOf({ adapter_state, pacing, delegations, tasks }, '', holds);
}

function namesAndNumbersIn(said: Json): [names: string[], numbers: number[]] {
  const [names, numbers]: [string[], number[]] = [[], []];
  const waiting: Json[] = [said];
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
