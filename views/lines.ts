/** How every built-in view writes a line, for views of your own that want to write them alike. */

import { HUB_ID, type ViewLine, type ViewMessage } from 'parley-hub/core';
import { escapeSpeakers, escapeSpeakersAfterName } from './parts/escape-speakers.ts';

export interface LineOptions {
  /** Whether what others say begins with their name. */
  readonly named: boolean;
}

/**
 * The participant's own lines are `assistant`, without a name. Others' are `user`, and begin with `[name]: ` if names are
 * asked for; the hub's always do. A line of any text that looks like a name in brackets, or like a summary, is indented.
 */
export function messageOf(line: ViewLine, { named }: LineOptions): ViewMessage {
  const { own, seq, name, text } = line;
  if (own) return { role: 'assistant', content: escapeSpeakers(text), seq, name };
  const isNamed = named || line.sender_id === HUB_ID;
  return {
    role: 'user',
    content: isNamed ? `[${name}]: ${escapeSpeakersAfterName(text)}` : escapeSpeakers(text),
    seq,
    name,
  };
}
