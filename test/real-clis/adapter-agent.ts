/** A real CLI run by its agent function, with a temporary home and workspace and a local model. */

import {
  type AgentFn,
  type AgentReply,
  type CliOptions,
  createClaudeAdapter,
  createCodexAdapter,
  createGeminiAdapter,
  createOpencodeAdapter,
} from 'parley-hub/participants';
import { installed } from './installed-clis.ts';
import { PATH, RealAgent } from './real-agent.ts';
import type { AgentName } from './recipes.ts';

const FACTORIES: Readonly<Record<AgentName, (options: CliOptions) => AgentFn>> = {
  claude: createClaudeAdapter,
  codex: createCodexAdapter,
  gemini: createGeminiAdapter,
  opencode: createOpencodeAdapter,
};

export interface AdapterAgent {
  readonly tool: RealAgent;
  readonly agent: AgentFn;
}

export async function adapterAgent(name: AgentName, modelUrl: string, more: CliOptions = {}): Promise<AdapterAgent> {
  const tool = await RealAgent.open(name, modelUrl);
  const { model, env } = tool.recipe;
  const agent = FACTORIES[name]({
    command: await installed(name),
    model,
    home: tool.home,
    cwd: tool.workspace,
    env: { PATH, ...env },
    timeoutMs: 120_000,
    ...more,
  });
  return { tool, agent };
}

/** CLIs never answer with bare text. */
export function replyOf(answer: string | AgentReply): AgentReply {
  if (typeof answer === 'string') throw new Error(`expected a reply with its usage, got the text ${answer}`);
  return answer;
}
