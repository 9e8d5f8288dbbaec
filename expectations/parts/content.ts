/** What expectations look at in content: whether it takes a turn, and its text without what changes when nothing does. */

import type { Envelope } from 'parley-hub/core';

export function takesTurn({ event_type }: Envelope): boolean {
  return event_type === 'msg.text' || event_type === 'msg.packet';
}

/** As much of a text is looked at; texts that agree so far count as the same. */
const LONGEST = 16_384;

export function normalText(text: string): string {
  return text
    .slice(0, LONGEST)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Nd}+/gu, '0')
    .replace(/\s+/gu, ' ')
    .trim();
}
