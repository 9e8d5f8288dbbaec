/** The CLIs that are ready to join, each as a factory and as an instance with what is usual. */

import type { AgentFn } from '../../participants/agent-fn.ts';
import { aider } from './aider.ts';
import { claude } from './claude.ts';
import { agentOf, type CliOptions } from './cli-adapter.ts';
import { codex } from './codex.ts';
import { cursor } from './cursor.ts';
import { gemini } from './gemini.ts';
import { type GenericOptions, genericRecord } from './generic.ts';
import { goose } from './goose.ts';
import { hermes } from './hermes.ts';
import { opencode } from './opencode.ts';

/** Any program: how it is called, how it gets the prompt, how it answers. It is told everything at every turn. */
export type CliAdapterOptions = Omit<CliOptions, 'command' | 'args' | 'permissions' | 'resume'> & GenericOptions;

export function createCliAdapter(options: CliAdapterOptions): AgentFn {
  if (typeof options.command !== 'string' || options.command.trim() === '') {
    throw new TypeError(
      `createCliAdapter: "command" must be the name or path of a program, got ${JSON.stringify(options.command)}`,
    );
  }
  // The record already has the arguments.
  return agentOf(genericRecord(options), { ...options, args: [] });
}

export const createClaudeAdapter = (options: CliOptions = {}): AgentFn => agentOf(claude, options);
export const createCodexAdapter = (options: CliOptions = {}): AgentFn => agentOf(codex, options);
export const createGeminiAdapter = (options: CliOptions = {}): AgentFn => agentOf(gemini, options);
export const createOpencodeAdapter = (options: CliOptions = {}): AgentFn => agentOf(opencode, options);
export const createCursorAdapter = (options: CliOptions = {}): AgentFn => agentOf(cursor, options);
export const createHermesAdapter = (options: CliOptions = {}): AgentFn => agentOf(hermes, options);
export const createAiderAdapter = (options: CliOptions = {}): AgentFn => agentOf(aider, options);
export const createGooseAdapter = (options: CliOptions = {}): AgentFn => agentOf(goose, options);

export const claudeAdapter: AgentFn = createClaudeAdapter();
export const codexAdapter: AgentFn = createCodexAdapter();
export const geminiAdapter: AgentFn = createGeminiAdapter();
export const opencodeAdapter: AgentFn = createOpencodeAdapter();
export const cursorAdapter: AgentFn = createCursorAdapter();
export const hermesAdapter: AgentFn = createHermesAdapter();
export const aiderAdapter: AgentFn = createAiderAdapter();
export const gooseAdapter: AgentFn = createGooseAdapter();

/** By the name a user types, as in `parley join --cli claude`. */
export const cliFactories: Readonly<Record<CliName, (options?: CliOptions) => AgentFn>> = {
  claude: createClaudeAdapter,
  codex: createCodexAdapter,
  gemini: createGeminiAdapter,
  opencode: createOpencodeAdapter,
  'cursor-agent': createCursorAdapter,
  hermes: createHermesAdapter,
  aider: createAiderAdapter,
  goose: createGooseAdapter,
};

export type CliName = 'claude' | 'codex' | 'gemini' | 'opencode' | 'cursor-agent' | 'hermes' | 'aider' | 'goose';
