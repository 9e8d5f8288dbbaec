/** What a packet asks of a workflow: a change of the context, and where the turn should go. */

import type { Draft, Json, JsonObject } from 'parley-hub/core';
import { fieldError, isObject } from '../graph/field-error.ts';
import { aReason, isReason } from '../graph/rule-args.ts';
import { type ContextChange, parseChange } from './context-vars.ts';

/** Where the sender wants the turn to go; `rules` = wherever the graph says. */
export type PacketRoute =
  | { readonly kind: 'rules' }
  | { readonly kind: 'handoff'; readonly target: string }
  | { readonly kind: 'finish'; readonly reason: string };

export interface ReadPacket {
  readonly change: ContextChange | null;
  readonly route: PacketRoute;
}

const RULES: PacketRoute = { kind: 'rules' };
const TEXT: ReadPacket = { change: null, route: RULES };

/** Texts ask nothing. Throws a ProtocolError that names the field. */
export function readPacket({ event_type, event_data }: Pick<Draft, 'event_type' | 'event_data'>): ReadPacket {
  if (event_type !== 'msg.packet') return TEXT;
  const { routing, context_updates }: Partial<JsonObject> = event_data;
  return { change: parseChange(context_updates, 'context_updates'), route: readRoute(routing) };
}

function readRoute(routing: Json | undefined): PacketRoute {
  if (routing === undefined) return RULES;
  if (!isObject(routing)) throw fieldError('routing', 'an object', routing);
  const { kind, target, tool, reason } = routing as Partial<JsonObject>;
  if (tool !== undefined && typeof tool !== 'string') throw fieldError('routing.tool', 'the name of a tool', tool);
  if (reason !== undefined && !isReason(reason)) throw fieldError('routing.reason', aReason.expected, reason);
  switch (kind) {
    case 'handoff':
      if (typeof target !== 'string') throw fieldError('routing.target', 'the participant to hand off to', target);
      return { kind, target };
    case 'finish':
      return { kind, reason: reason ?? 'finished' };
    case 'tool':
    case undefined:
      if (kind === 'tool' && tool === undefined) throw fieldError('routing.tool', 'the name of a tool', tool);
      return RULES;
    default:
      throw fieldError('routing.kind', '"handoff", "finish" or "tool"', kind);
  }
}
