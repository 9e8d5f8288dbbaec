/** Renders a line as the built-in views do; custom views can use it too. */

import { HUB_ID, type ViewLine, type ViewMessage } from 'parley-hub/core';
import { escapeSpeakers, escapeSpeakersAfterName } from './parts/escape-speakers.ts';

export interface LineOptions {
  /** Prefixes lines of others with their name. */
  readonly named: boolean;
}

/** The participant's own lines are `assistant`, without a name; others are `user`, prefixed with `[name]: ` if `named`, and
 * always for the hub. Lines within a text that look like a speaker or a summary are indented. */
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
