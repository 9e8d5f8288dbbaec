/** What a packet asks of a workflow: a change of the context, and where the turn should go. */

import type { Draft, JsonObject } from 'parley-hub/core';
import { type PacketRoute, RULES, readRoute } from '../parts/packet-route.ts';
import { type ContextChange, parseChange } from './context-vars.ts';

export interface ReadPacket {
  readonly change: ContextChange | null;
  readonly route: PacketRoute;
}

const TEXT: ReadPacket = { change: null, route: RULES };

/** Texts ask nothing. Throws a ProtocolError that names the field. */
export function readPacket({ event_type, event_data }: Pick<Draft, 'event_type' | 'event_data'>): ReadPacket {
  if (event_type !== 'msg.packet') return TEXT;
  const { routing, context_updates }: Partial<JsonObject> = event_data;
  return { change: parseChange(context_updates, 'context_updates'), route: readRoute(routing) };
}
