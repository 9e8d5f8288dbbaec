/** One line of JSON from a tool we do not trust to keep its shapes: every look inside may find nothing. */

import { isPlainObject } from '../../../core/lib/json.ts';
import { textAt } from '../../lib/read-json.ts';
import { appendNoise, type CliOutput, type ParsedLine } from './cli-output.ts';

export type Event = Readonly<Record<string, unknown>>;

/** A reader of lines from a reader of events: empty lines are passed over, lines that are no events are kept as noise. */
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

/** The value of a JSON text, or undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a list of content blocks: those of type `text`, in order. */
export function textOfBlocks(blocks: readonly unknown[]): string {
  return blocks
    .filter((block) => textAt(block, 'type') === 'text')
    .map((block) => textAt(block, 'text') ?? '')
    .join('');
}
