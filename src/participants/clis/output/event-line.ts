/** One line of JSON from a tool we do not trust to keep its shapes: every look inside may find nothing. */

import { isPlainObject } from '../../../core/lib/json.ts';
import { type Heard, heardNoise, type Reading } from './cli-output.ts';

export type Event = Readonly<Record<string, unknown>>;

/** A reader of lines from a reader of events: empty lines are passed over, lines that are no events are kept as noise. */
export function readingEvents<State extends Heard>(
  onEvent: (event: Event, state: State) => Reading<State>,
): (line: string, state: State) => Reading<State> {
  return (line, state) => {
    if (line.trim() === '') return { state };
    const event = eventOf(line);
    if (event === null) return { state: { ...heardNoise(state, line), isCut: line.trimStart().startsWith('{') } };
    return onEvent(event, state.isCut ? { ...state, isCut: false } : state);
  };
}

export function eventOf(text: string): Event | null {
  const value = jsonOf(text);
  return isPlainObject(value) ? value : null;
}

/** The value of a JSON text, or undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is found along the path, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    if (Array.isArray(found) && typeof key === 'number') found = found[key];
    else if (isPlainObject(found) && Object.hasOwn(found, key)) found = found[key];
    else return undefined;
  }
  return found;
}

export function textAt(value: unknown, ...path: readonly (string | number)[]): string | null {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : null;
}

export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | null {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The text of a list of content blocks: those of type `text`, in order. */
export function textOfBlocks(blocks: readonly unknown[]): string {
  return blocks
    .filter((block) => textAt(block, 'type') === 'text')
    .map((block) => textAt(block, 'text') ?? '')
    .join('');
}
