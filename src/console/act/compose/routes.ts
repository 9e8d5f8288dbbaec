/** Where the turn goes with what one says, as the session's type offers it to who has the turn (`get_session`). Pure. */

import { isPlainObject, type JsonObject } from '../../../core/lib/json.ts';
import type { TurnTool } from '../../../core/ports/adapter.ts';
import { callTool, finish, handoff, type Packet } from '../../../core/records/session/packets.ts';

export interface RouteChoice {
  readonly id: string;
  readonly words: string;
  /** It can be said why. */
  readonly takesReason: boolean;
  /** What is posted with this text; without a reason none is given. */
  packet(text: string, reason?: string): Packet;
}

/** Those whose only arguments, beside a target and a reason, are what is said. */
export function routeChoices(tools: readonly TurnTool[]): readonly RouteChoice[] {
  return tools.flatMap(({ name, description, parameters }): readonly RouteChoice[] => {
    const takesReason = hasReason(parameters);
    if (name === 'handoff') {
      return targetsIn(parameters).map((to) => ({
        id: `handoff ${to}`,
        words: `hand over to ${to}`,
        takesReason,
        packet: (text, reason) => handoff(to, said(text, reason)),
      }));
    }
    if (name === 'finish') {
      const packet = (text: string, reason?: string) => finish(said(text, reason));
      return [{ id: name, words: 'end the session', takesReason, packet }];
    }
    if (!saysOnly(parameters)) return [];
    const packet = (text: string) => callTool(name, said(text));
    return [{ id: `tool ${name}`, words: `${name}: ${description}`, takesReason: false, packet }];
  });
}

function said(text: string, reason = ''): { readonly body?: string; readonly reason?: string } {
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

function saysOnly({ properties }: JsonObject): boolean {
  return isPlainObject(properties) && Object.keys(properties).every((name) => name === 'message');
}
