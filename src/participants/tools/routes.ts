/** The tools that pass the turn on, as the session's type offers them now: each ends the turn. */

import type { TurnTool } from '../../core/ports/adapter.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { wrongArguments } from './lib/check-arguments.ts';
import { type HubTool, ToolRefusal, type ToolScene } from './lib/hub-tool.ts';

export function routeTools(offered: readonly TurnTool[]): readonly HubTool[] {
  return offered.map(({ name, description, parameters }) => ({
    name,
    description: `${description} It ends your turn.`,
    parameters,
    async run(args, scene) {
      await requireOpen(scene, name, args);
      const text = typeof args.message === 'string' ? args.message : '';
      return { kind: 'ends', text, route: { name, arguments: args } };
    },
  }));
}

/** Somebody may have gone since it was offered. */
async function requireOpen({ session }: ToolScene, name: string, args: JsonObject): Promise<void> {
  const { tools } = await session.info();
  const open = tools.find((one) => one.name === name);
  if (open === undefined) {
    const others =
      tools.length === 0 ? 'just write your answer' : `there is ${tools.map((one) => one.name).join(', ')}`;
    throw new ToolRefusal(`${name} does not lead anywhere now; ${others}`);
  }
  const wrong = wrongArguments(open.parameters, args);
  if (wrong.length > 0) throw new ToolRefusal(wrong.join('; '));
}
