/** Parses lines of JSON events defensively: the tool's shapes may change. */

import { isPlainObject } from '../../../core/lib/json.ts';
import { textAt } from '../../lib/read-json.ts';
import { appendNoise, type CliOutput, type ParsedLine } from './cli-output.ts';

export type Event = Readonly<Record<string, unknown>>;

/** Turns an event reader into a line reader: skips empty lines and keeps other text as noise. */
export function readingEvents<State extends CliOutput>(
  onEvent: (event: Event, state: State) => ParsedLine<State>,
): (line: string, state: State) => ParsedLine<State> {
  return (line, state) => {
    if (line.trim() === '') return { state };
    const event = eventOf(line);
    if (event === null) return { state: { ...appendNoise(state, line), isCut: line.trimStart().startsWith('{') } };
    return onEvent(event, state.isCut ? { ...state, isCut: false } : state);
  };
}

export function eventOf(text: string): Event | null {
  const value = jsonOf(text);
  return isPlainObject(value) ? value : null;
}

/** undefined if the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Joins the `text` blocks of a content list. */
export function textOfBlocks(blocks: readonly unknown[]): string {
  return blocks
    .filter((block) => textAt(block, 'type') === 'text')
    .map((block) => textAt(block, 'text') ?? '')
    .join('');
}
