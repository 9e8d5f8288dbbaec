/** Participants in Node: agent functions that join a hub and take turns. */

import { type JoinHub, joiningOn } from '../participants/join-hub.ts';
import { systemClock } from './system-clock.ts';

export type { AgentErrorDetails, AgentErrorKind } from '../participants/agent-error.ts';
export { AGENT_ERROR_KINDS, AgentError, isAgentError } from '../participants/agent-error.ts';
export type {
  AgentFn,
  AgentReply,
  AgentTool,
  AskPerson,
  Budget,
  BudgetLimits,
  CallNeed,
  CloseOptions,
  Connect,
  HeldBudget,
  HubToolName,
  JoinHandlers,
  JoinHub,
  JoinOptions,
  Meter,
  OwnOptions,
  Participant,
  ProgressEvent,
  Question,
  Script,
  StartFrame,
  Step,
  TakenTurn,
  ThreadContext,
  ToolCall,
  ToolResult,
  TurnBudget,
  TurnOptions,
  Unpriced,
  Usage,
} from '../participants/index.ts';
export { createManualAdapter, createScriptAdapter, HUB_TOOL_NAMES, withinBudget } from '../participants/index.ts';
export type {
  CallEstimate,
  LlmProvider,
  ModelClient,
  ModelMessage,
  ModelProvider,
  ModelReply,
  ModelRequest,
  ModelTool,
  ModelToolCall,
  ModelUsage,
  Price,
  PriceList,
  ToolChoice,
} from '../participants/models/index.ts';
export {
  assistantMessage,
  costOf,
  KNOWN_PRICES,
  priceWarning,
  readPrices,
  refusesForcedTools,
  withPrices,
} from '../participants/models/index.ts';
export type {
  AnyRole,
  ExtractIssue,
  ExtractSettings,
  ExtractStrategy,
  MetaOf,
  MetaSchema,
  Role,
  RoleAnswer,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from '../participants/roles/index.ts';
export {
  createRole,
  EXTRACT_STRATEGIES,
  ExtractError,
  isExtractError,
  mergeExtract,
} from '../participants/roles/index.ts';
export type { CliAdapterOptions, CliName } from './clis/adapters.ts';
export {
  aiderAdapter,
  claudeAdapter,
  codexAdapter,
  createAiderAdapter,
  createClaudeAdapter,
  createCliAdapter,
  createCodexAdapter,
  createCursorAdapter,
  createGeminiAdapter,
  createGooseAdapter,
  createHermesAdapter,
  createOpencodeAdapter,
  cursorAdapter,
  geminiAdapter,
  gooseAdapter,
  hermesAdapter,
  opencodeAdapter,
} from './clis/adapters.ts';
export type { CliOptions } from './clis/cli-adapter.ts';
export type { Permissions, Transport } from './clis/cli-record.ts';
export {
  createAnthropicAdapter,
  createAnthropicClient,
  createChatClient,
  createLlmAdapter,
  createResponsesAdapter,
  createResponsesClient,
} from './models.ts';
export type { Program, Ran, RunLimitOptions, RunLimits, RunningProgram, RunWatch } from './run/run-program.ts';
export { runningPrograms, runProgram } from './run/run-program.ts';

/** Joins a hub with an agent function, over a client or a way to connect one. */
export const joinHub: JoinHub = joiningOn(systemClock);
