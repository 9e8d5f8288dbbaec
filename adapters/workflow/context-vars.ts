/** The context variables of a workflow, and the packets that change them. */

import { type Draft, type Json, type JsonObject, jsonBytes, ProtocolError } from 'parley-hub/core';
import { fieldError, isObject } from '../parts/field-error.ts';
import { type PacketRoute, RULES, readRoute } from '../parts/packet-route.ts';

/** A change of context variables; deletions are applied first. */
export interface ContextChange {
  readonly delete: readonly string[];
  readonly set: JsonObject;
}

/** Limit for knobs and context together: the default of the hub's limit, which an adapter cannot read. */
export const MAX_CONTEXT_BYTES: number = 64 * 1024;

/** Parses `{set?, delete?}`; null if there is no change. Throws a ProtocolError for any other value. */
export function parseChange(value: Json | undefined, field: string): ContextChange | null {
  if (value === undefined) return null;
  if (!isObject(value)) throw fieldError(field, 'an object {set, delete}', value);
  const { set = {}, delete: gone = [] } = value as Partial<JsonObject>;
  if (!isObject(set)) throw fieldError(`${field}.set`, 'an object', set);
  if (!Array.isArray(gone) || !gone.every((key: Json) => typeof key === 'string')) {
    throw fieldError(`${field}.delete`, 'a list of keys', gone);
  }
  return gone.length === 0 && Object.keys(set).length === 0 ? null : { delete: gone, set };
}

export function changed(vars: JsonObject, change: ContextChange | null): JsonObject {
  if (change === null) return vars;
  const gone = new Set(change.delete);
  const kept = Object.entries(vars).filter(([key]) => !gone.has(key));
  return { ...Object.fromEntries(kept), ...change.set };
}

/** Rejects a change that makes the variables too large. The limit is computed only if there is a change. */
export function requireRoom(vars: JsonObject, change: ContextChange | null, maxBytes: () => number): void {
  if (change === null) return;
  const bytes = jsonBytes(changed(vars, change));
  const most = Math.max(0, maxBytes());
  if (bytes <= most) return;
  const message = `context: ${bytes} bytes of JSON after this change; beside this graph at most ${most} are allowed`;
  throw new ProtocolError(message, { field: 'context', expected: `at most ${most} bytes`, received: `${bytes} bytes` });
}

export interface ReadPacket {
  readonly change: ContextChange | null;
  readonly route: PacketRoute;
}

const TEXT: ReadPacket = { change: null, route: RULES };

/** Reads the context change and route of a packet; a text has neither. Throws a ProtocolError that names the field. */
export function readPacket({ event_type, event_data }: Pick<Draft, 'event_type' | 'event_data'>): ReadPacket {
  if (event_type !== 'msg.packet') return TEXT;
  const { routing, context_updates }: Partial<JsonObject> = event_data;
  return { change: parseChange(context_updates, 'context_updates'), route: readRoute(routing) };
}
