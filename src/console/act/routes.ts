/** Where the turn goes with what one says, as the session's type offers it to who has the turn (`get_session`). Pure. */

import type { TurnTool } from '../../core/adapter.ts';
import { isPlainObject, type JsonObject } from '../../core/json.ts';
import { callTool, finish, handoff, type Packet } from '../../core/packets.ts';

export interface RouteChoice {
  readonly id: string;
  readonly words: string;
  /** What is posted with this text. */
  packet(text: string): Packet;
}

/** Those whose only argument, beside a target, is what is said. */
export function routeChoices(tools: readonly TurnTool[]): readonly RouteChoice[] {
  return tools.flatMap(({ name, description, parameters }): readonly RouteChoice[] => {
    if (name === 'handoff') {
      return targetsIn(parameters).map((to) => ({
        id: `handoff ${to}`,
        words: `hand over to ${to}`,
        packet: (text) => handoff(to, said(text)),
      }));
    }
    if (name === 'finish') return [{ id: name, words: 'end the session', packet: (text) => finish(said(text)) }];
    if (!saysOnly(parameters)) return [];
    return [{ id: `tool ${name}`, words: `${name}: ${description}`, packet: (text) => callTool(name, said(text)) }];
  });
}

function said(text: string): { readonly body?: string } {
  return text === '' ? {} : { body: text };
}

function targetsIn({ properties }: JsonObject): readonly string[] {
  const to = isPlainObject(properties) ? properties.to : undefined;
  const names = isPlainObject(to) && Array.isArray(to.enum) ? to.enum : [];
  return names.filter((name): name is string => typeof name === 'string');
}

function saysOnly({ properties }: JsonObject): boolean {
  return isPlainObject(properties) && Object.keys(properties).every((name) => name === 'message');
}
