/** Whether a session's state holds what an envelope said: then it cannot be hidden without changing the state. Pure. */

import { textsIn } from './find-text.ts';
import type { Json } from './json.ts';
import type { SessionState } from './state.ts';

/** Shorter texts are words that stand anywhere. */
const LEAST = 8;

/** Where the state holds some text of it; null = nowhere. Names and settings of the session are no secret of an envelope. */
export function heldByState(
  { metadata, adapter_state, pacing, delegations, tasks }: SessionState,
  said: Json,
): string | null {
  const known = JSON.stringify(metadata);
  const isKnown = (text: string): boolean => known.includes(JSON.stringify(text).slice(1, -1));
  const sought = [...textsIn(said)].filter((text) => text.length >= LEAST && !isKnown(text));
  if (sought.length === 0) return null;
  // A part of it is held too where it was cut to its beginning.
  const holds = (text: string): boolean =>
    text.length >= LEAST && sought.some((one) => text.includes(one) || one.startsWith(text)) && !isKnown(text);
  return placeOf({ adapter_state, pacing, delegations, tasks }, '', holds);
}

function placeOf(value: unknown, place: string, holds: (text: string) => boolean): string | null {
  if (typeof value === 'string') return holds(value) ? place : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const inner = place === '' ? name : `${place}.${name}`;
    if (holds(name)) return place;
    const found = placeOf(member, inner, holds);
    if (found !== null) return found;
  }
  return null;
}
