/** The routing of packets, and the tools with which a model routes its turn. */

import { type Json, type JsonObject, nameOf, type SessionMetadata, type TurnTool } from 'parley-hub/core';
import { fieldError, isObject } from './field-error.ts';
import { isReason, reasonArg } from './rule-args.ts';

/** Where a packet leads; `rules` leaves the decision to the session type. */
export type PacketRoute =
  | { readonly kind: 'rules' }
  | { readonly kind: 'handoff'; readonly target: string }
  | { readonly kind: 'finish'; readonly reason: string };

export const RULES: PacketRoute = { kind: 'rules' };

/** Parses the routing of a packet; throws a ProtocolError that names the field. */
export function readRoute(routing: Json | undefined): PacketRoute {
  if (routing === undefined) return RULES;
  if (!isObject(routing)) throw fieldError('routing', 'an object', routing);
  const { kind, target, tool, reason } = routing as Partial<JsonObject>;
  if (tool !== undefined && typeof tool !== 'string') throw fieldError('routing.tool', 'the name of a tool', tool);
  if (reason !== undefined && !isReason(reason)) throw fieldError('routing.reason', reasonArg.expected, reason);
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

const reason = { type: 'string', description: 'Why, in a few words.' };
const message = { type: 'string', description: 'What to say with it.' };

/** Parameters of a tool that only carries a message. */
export const packetParameters: JsonObject = {
  type: 'object',
  properties: { message },
  additionalProperties: false,
};

export function isTurnTool(name: string): boolean {
  return name === 'handoff' || name === 'finish';
}

export function turnTools(metadata: SessionMetadata, active: readonly string[], holder: string): readonly TurnTool[] {
  const others = active.filter((id) => id !== holder).map((id) => nameOf(metadata, id));
  const finish: TurnTool = {
    name: 'finish',
    description: 'End the session with this message.',
    parameters: { type: 'object', properties: { message, reason }, additionalProperties: false },
  };
  if (others.length === 0) return [finish];
  const to = { type: 'string', enum: others, description: 'Who speaks next.' };
  const handoff: TurnTool = {
    name: 'handoff',
    description: 'Pass the turn to another participant.',
    parameters: {
      type: 'object',
      properties: { to, message, reason },
      required: ['to'],
      additionalProperties: false,
    },
  };
  return [handoff, finish];
}
