/** Participants in Node: agent functions that join a hub and take turns. */

import { type JoinHub, joiningOn } from './join-hub.ts';
import { systemClock } from '../system/clock.ts';

export type { AgentErrorDetails, AgentErrorKind } from './agent/agent-error.ts';
export { AGENT_ERROR_KINDS, AgentError, isAgentError } from './agent/agent-error.ts';
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
} from './index.ts';
export { createManualAdapter, createScriptAdapter, HUB_TOOL_NAMES, withinBudget } from './index.ts';
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
} from './models/index.ts';
export {
  assistantMessage,
  costOf,
  KNOWN_PRICES,
  priceWarning,
  readPrices,
  refusesForcedTools,
  withPrices,
} from './models/index.ts';
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
} from './roles/index.ts';
export {
  createRole,
  EXTRACT_STRATEGIES,
  ExtractError,
  isExtractError,
  mergeExtract,
} from './roles/index.ts';
export type { CliAdapterOptions, CliName } from './clis/cli-agents.ts';
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
} from './clis/cli-agents.ts';
export type { CliOptions } from './clis/cli-agent.ts';
export type { Permissions, Transport } from './clis/records/cli-record.ts';
export {
  createAnthropicAdapter,
  createAnthropicClient,
  createChatClient,
  createLlmAdapter,
  createResponsesAdapter,
  createResponsesClient,
} from './node-models.ts';
export type { Program, Ran, RunLimitOptions, RunLimits, RunningProgram, RunWatch } from './processes/run-program.ts';
export { runningPrograms, runProgram } from './processes/run-program.ts';

/** Joins a hub with an agent function, over a client or a way to connect one. */
export const joinHub: JoinHub = joiningOn(systemClock);
