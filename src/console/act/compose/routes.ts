/** Derives how a message can pass the turn from the tools that `get_session` offers the turn holder. Pure. */

import { isPlainObject, type JsonObject } from '../../../core/lib/json.ts';
import type { TurnTool } from '../../../core/ports/adapter.ts';
import { callTool, finish, handoff, type Packet } from '../../../core/records/session/packets.ts';

export interface RouteChoice {
  readonly id: string;
  readonly label: string;
  readonly takesReason: boolean;
  /** Builds the packet to post with this text. */
  packet(text: string, reason?: string): Packet;
}

/** Skips tools that take arguments other than a message, a target or a reason. */
export function routeChoices(tools: readonly TurnTool[]): readonly RouteChoice[] {
  return tools.flatMap(({ name, description, parameters }): readonly RouteChoice[] => {
    const takesReason = hasReason(parameters);
    if (name === 'handoff') {
      return targetsIn(parameters).map((to) => ({
        id: `handoff ${to}`,
        label: `hand over to ${to}`,
        takesReason,
        packet: (text, reason) => handoff(to, bodyOf(text, reason)),
      }));
    }
    if (name === 'finish') {
      const packet = (text: string, reason?: string) => finish(bodyOf(text, reason));
      return [{ id: name, label: 'end the session', takesReason, packet }];
    }
    if (!takesOnlyMessage(parameters)) return [];
    const packet = (text: string) => callTool(name, bodyOf(text));
    return [{ id: `tool ${name}`, label: `${name}: ${description}`, takesReason: false, packet }];
  });
}

function bodyOf(text: string, reason = ''): { readonly body?: string; readonly reason?: string } {
  return { ...(text === '' ? {} : { body: text }), ...(reason === '' ? {} : { reason }) };
}

function hasReason({ properties }: JsonObject): boolean {
  return isPlainObject(properties) && properties.reason !== undefined;
}

function targetsIn({ properties }: JsonObject): readonly string[] {
  const to = isPlainObject(properties) ? properties.to : undefined;
  const names = isPlainObject(to) && Array.isArray(to.enum) ? to.enum : [];
  return names.filter((name): name is string => typeof name === 'string');
}

function takesOnlyMessage({ properties }: JsonObject): boolean {
  return isPlainObject(properties) && Object.keys(properties).every((name) => name === 'message');
}
