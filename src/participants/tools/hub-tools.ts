/** The hub's tools as an agent is given them in a turn. */

import type { Json, JsonObject } from '../../core/lib/json.ts';
import type { OwnSignal } from '../../core/ports/platform.ts';
import { isAgentError } from '../agent/agent-error.ts';
import type { AgentTool, ToolResult } from '../agent/agent-fn.ts';
import { wrongArguments } from './lib/check-arguments.ts';
import { context } from './context.ts';
import { delegate } from './delegate.ts';
import type { HubTool, ToolOutcome, ToolScene } from './lib/hub-tool.ts';
import { peers, sessions, tasks } from './read-tools.ts';
import { routeTools } from './routes.ts';
import { say } from './say.ts';
import { cut, errorText, MOST_RESULT_CHARS, resultText } from './tool-text.ts';

const ALWAYS: readonly HubTool[] = [say, delegate, peers, sessions, tasks, context];

/** `handoff` and `finish` only where the session takes them; tools of a workflow's graph come with `handoff`. */
export const HUB_TOOL_NAMES = [
  'say',
  'delegate',
  'peers',
  'sessions',
  'tasks',
  'context',
  'handoff',
  'finish',
] as const;

export type HubToolName = (typeof HUB_TOOL_NAMES)[number];

export function hubTools(scene: ToolScene, chosen: true | readonly HubToolName[]): readonly AgentTool[] {
  const isChosen = (name: string): boolean => chosen === true || (chosen as readonly string[]).includes(name);
  const own = ALWAYS.filter(({ name }) => isChosen(name));
  const taken = new Set(ALWAYS.map(({ name }) => name));
  const routes = routeTools(scene.info.tools).filter(
    ({ name }) => isChosen(name === 'finish' ? name : 'handoff') && !taken.has(name),
  );
  return [...own, ...routes].map((tool) => bound(tool, scene));
}

function bound(tool: HubTool, scene: ToolScene): AgentTool {
  const { name, description, parameters } = tool;
  return { name, description, parameters, call: (args, signal) => called(tool, args, scene, signal) };
}

async function called(tool: HubTool, args: Json, scene: ToolScene, signal: OwnSignal): Promise<ToolResult> {
  const wrong = wrongArguments(tool.parameters, args);
  if (wrong.length > 0) return { is_error: true, text: cut(`Error: ${wrong.join('; ')}`, MOST_RESULT_CHARS) };
  try {
    return resultOf(await tool.run(args as JsonObject, scene, signal));
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    // What a budget does not allow is for the model to go on without.
    if (isAgentError(thrown)) return { is_error: true, text: `Error: ${thrown.message}` };
    return { is_error: true, text: errorText(thrown) };
  }
}

function resultOf(outcome: ToolOutcome): ToolResult {
  if (outcome.kind === 'shown') return { text: resultText(outcome.value) };
  const { text, route } = outcome;
  return { text: '', ends: { text, ...(route === undefined ? {} : { route }) } };
}
