/** Packets with routing: hand the turn to a participant, report a tool call, or end the session. */

import type { Json, JsonObject } from '../../lib/json.ts';

/** Changes to the session's context variables; deletions are applied first. */
export interface ContextUpdates {
  readonly set?: JsonObject;
  readonly delete?: readonly string[];
}

export interface FinishOptions {
  /** Becomes the close reason of the session. */
  readonly reason?: string;
  readonly body?: Json;
  readonly contextUpdates?: ContextUpdates;
}

export interface HandoffOptions {
  readonly reason?: string;
  readonly body?: Json;
  readonly contextUpdates?: ContextUpdates;
  /** The tool whose call caused the handoff. */
  readonly tool?: string;
}

export interface CallToolOptions {
  /** The result of the call, or a text about it. */
  readonly body?: Json;
  readonly contextUpdates?: ContextUpdates;
}

/** Content for `send`, and for adapters. */
export interface Packet {
  readonly event_type: 'msg.packet';
  readonly event_data: JsonObject;
}

/** Gives the turn to `to`, the name or id of an active participant. */
export function handoff(to: string, options: HandoffOptions = {}): Packet {
  const { tool, reason } = options;
  const routing = { kind: 'handoff', target: to, ...definedMembers({ tool, reason }) };
  return packet(routing, options);
}

/** Ends the session with its reason, or `finished`. */
export function finish(options: FinishOptions = {}): Packet {
  return packet({ kind: 'finish', ...definedMembers({ reason: options.reason }) }, options);
}

/** Reports a tool call for rules with `tool_called`; the graph decides the next turn. */
export function callTool(tool: string, options: CallToolOptions = {}): Packet {
  return packet({ kind: 'tool', tool }, options);
}

function packet(routing: JsonObject, { body = null, contextUpdates = {} }: CallToolOptions): Packet {
  // Unknown members stay: the hub rejects them by name.
  const context_updates = definedMembers({ ...contextUpdates });
  const isChange = Object.keys(context_updates).length > 0;
  const event_data = isChange ? { body, routing, context_updates } : { body, routing };
  return { event_type: 'msg.packet', event_data };
}

/** Drops undefined members, because undefined is not JSON. */
function definedMembers(members: { readonly [key: string]: Json | undefined }): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, Json] => member[1] !== undefined),
  );
}

export function packetText({ body, routing }: Partial<JsonObject>): string {
  return [bodyText(body), routeText(routing)].filter((part) => part !== '').join(' ');
}

function bodyText(body: Json | undefined): string {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  const text = memberOf(body, 'text');
  return text === '' ? JSON.stringify(body) : text;
}

function routeText(routing: Json | undefined): string {
  const reason = memberOf(routing, 'reason');
  const because = reason === '' ? '' : `: ${reason}`;
  switch (memberOf(routing, 'kind')) {
    case 'handoff':
      return `(handoff to ${memberOf(routing, 'target')}${because})`;
    case 'finish':
      return `(finished${because})`;
    default: {
      const tool = memberOf(routing, 'tool');
      return tool === '' ? '' : `(called ${tool}${because})`;
    }
  }
}

function memberOf(value: Json | undefined, key: string): string {
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof member === 'string' ? member : '';
}
