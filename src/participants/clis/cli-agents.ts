/** The supported CLIs, each as a factory and as an instance with default options. */

import type { AgentFn } from '../agent/agent-fn.ts';
import { createCliAgent } from './cli-agent.ts';
import { type CliAdapterOptions, type CliOptions, checkAdapterOptions, checkCliOptions } from './cli-options.ts';
import type { CliOutput } from './output/cli-output.ts';
import { aider } from './records/aider.ts';
import { claude } from './records/claude.ts';
import type { CliRecord } from './records/cli-record.ts';
import { codex } from './records/codex.ts';
import { cursor } from './records/cursor.ts';
import { gemini } from './records/gemini.ts';
import { genericRecord } from './records/generic.ts';
import { goose } from './records/goose.ts';
import { hermes } from './records/hermes.ts';
import { opencode } from './records/opencode.ts';

export function createCliAdapter(options: CliAdapterOptions): AgentFn {
  checkAdapterOptions(options);
  // genericRecord already includes the arguments.
  return createCliAgent(genericRecord(options), { ...options, args: [] });
}

function known<State extends CliOutput>(record: CliRecord<State>, options: CliOptions): AgentFn {
  checkCliOptions(options);
  return createCliAgent(record, options);
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

/** Factories by command name, as in `parley join --cli claude`. */
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
