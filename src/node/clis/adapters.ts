/** The CLIs that are ready to join, each as a factory and as an instance with what is usual. */

import type { AgentFn } from '../../participants/agent-fn.ts';
import { aider } from './aider.ts';
import { claude } from './claude.ts';
import { agentOf, type CliOptions } from './cli-adapter.ts';
import { checkAdapterOptions, checkCliOptions } from './cli-options.ts';
import type { CliRecord } from './cli-record.ts';
import { codex } from './codex.ts';
import { cursor } from './cursor.ts';
import { gemini } from './gemini.ts';
import { type GenericOptions, genericRecord } from './generic.ts';
import { goose } from './goose.ts';
import type { Heard } from './heard.ts';
import { hermes } from './hermes.ts';
import { opencode } from './opencode.ts';

/** Any program: how it is called, how it gets the prompt, how it answers. It is told everything at every turn. */
export type CliAdapterOptions = Omit<CliOptions, 'command' | 'args' | 'permissions' | 'resume'> & GenericOptions;

export function createCliAdapter(options: CliAdapterOptions): AgentFn {
  checkAdapterOptions(options);
  // The record already has the arguments.
  return agentOf(genericRecord(options), { ...options, args: [] });
}

function known<State extends Heard>(record: CliRecord<State>, options: CliOptions): AgentFn {
  checkCliOptions(options);
  return agentOf(record, options);
}

export const createClaudeAdapter = (options: CliOptions = {}): AgentFn => known(claude, options);
export const createCodexAdapter = (options: CliOptions = {}): AgentFn => known(codex, options);
export const createGeminiAdapter = (options: CliOptions = {}): AgentFn => known(gemini, options);
export const createOpencodeAdapter = (options: CliOptions = {}): AgentFn => known(opencode, options);
export const createCursorAdapter = (options: CliOptions = {}): AgentFn => known(cursor, options);
export const createHermesAdapter = (options: CliOptions = {}): AgentFn => known(hermes, options);
export const createAiderAdapter = (options: CliOptions = {}): AgentFn => known(aider, options);
export const createGooseAdapter = (options: CliOptions = {}): AgentFn => known(goose, options);

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
