/** Packets and context changes would be lost on an adapter that does not fold them, so it refuses them. */

import { type Draft, ProtocolError, type SessionMetadata } from 'parley-hub/core';

export function refuseUnfolded({ manifest }: SessionMetadata, { event_type }: Draft): void {
  if (event_type !== 'msg.packet' && event_type !== 'context.set') return;
  throw new ProtocolError(`${manifest.type} does not take "${event_type}"; send "msg.text"`, { event_type });
}
