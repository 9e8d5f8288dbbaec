/** What takes a turn, in the session types that have them. */

import type { Envelope } from 'parley-hub/core';

export function takesTurn({ event_type }: Envelope): boolean {
  return event_type === 'msg.text' || event_type === 'msg.packet';
}
