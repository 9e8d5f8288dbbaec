/** Packets that route: what a participant of a workflow sends to pass the turn on, to say that it called a tool, or to end the session. */

import type { Json, JsonObject } from '../../lib/json.ts';

/** How the context variables of the session change: first what is deleted, then what is set. */
export interface ContextUpdates {
  readonly set?: JsonObject;
  readonly delete?: readonly string[];
}

export interface FinishOptions {
  /** Why the session ends; it becomes its close reason. */
  readonly reason?: string;
  readonly body?: Json;
  readonly contextUpdates?: ContextUpdates;
}

export interface HandoffOptions {
  readonly reason?: string;
  /** What is said with it. */
  readonly body?: Json;
  readonly contextUpdates?: ContextUpdates;
  /** The tool whose call it came from. */
  readonly tool?: string;
}

export interface CallToolOptions {
  /** What the call gave, or what is said with it. */
  readonly body?: Json;
  readonly contextUpdates?: ContextUpdates;
}

/** Content as `send` and adapters take it. */
export interface Packet {
  readonly event_type: 'msg.packet';
  readonly event_data: JsonObject;
}

/** The turn goes to `to`, a name or id of somebody active in the session. */
export function handoff(to: string, options: HandoffOptions = {}): Packet {
  const { tool, reason } = options;
  const routing = { kind: 'handoff', target: to, ...given({ tool, reason }) };
  return packet(routing, options);
}

/** The session ends with this packet: with its reason, or `finished`. */
export function finish(options: FinishOptions = {}): Packet {
  return packet({ kind: 'finish', ...given({ reason: options.reason }) }, options);
}

/** A tool was called, for rules with `tool_called` to see; where the turn goes is for the graph to say. */
export function callTool(tool: string, options: CallToolOptions = {}): Packet {
  return packet({ kind: 'tool', tool }, options);
}

function packet(routing: JsonObject, { body = null, contextUpdates = {} }: CallToolOptions): Packet {
  // Members nobody knows go along: the hub refuses them by name.
  const context_updates = given({ ...contextUpdates });
  const isChange = Object.keys(context_updates).length > 0;
  const event_data = isChange ? { body, routing, context_updates } : { body, routing };
  return { event_type: 'msg.packet', event_data };
}

/** Only the members that are there: undefined is not JSON. */
function given(members: { readonly [key: string]: Json | undefined }): JsonObject {
  const there = Object.entries(members).filter((member): member is [string, Json] => member[1] !== undefined);
  return Object.fromEntries(there);
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
