/** Where the sender of a packet wants the turn to go. */

import type { Json, JsonObject } from 'parley-hub/core';
import { fieldError, isObject } from './field-error.ts';
import { aReason, isReason } from './rule-args.ts';

/** `rules` = it does not say, and the session type knows. */
export type PacketRoute =
  | { readonly kind: 'rules' }
  | { readonly kind: 'handoff'; readonly target: string }
  | { readonly kind: 'finish'; readonly reason: string };

export const RULES: PacketRoute = { kind: 'rules' };

/** Throws a ProtocolError that names the field. */
export function readRoute(routing: Json | undefined): PacketRoute {
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
