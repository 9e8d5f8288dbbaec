/** Content as expectations see it: whether it takes a turn, and its normalized text. */

import type { Envelope } from 'parley-hub/core';

export function takesTurn({ event_type }: Envelope): boolean {
  return event_type === 'msg.text' || event_type === 'msg.packet';
}

/** Maximum length that is compared; the rest of a longer text is ignored. */
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
