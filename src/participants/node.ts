/** Participants in Node: agent functions that join a hub and take turns. */

import { systemClock } from '../system/clock.ts';
import { createJoinHub, type JoinHub } from './joining/join-hub.ts';

export type { AgentErrorDetails, AgentErrorKind } from './agent/agent-error.ts';
export { AGENT_ERROR_KINDS, AgentError, isAgentError } from './agent/agent-error.ts';
export type { CliName } from './clis/cli-agents.ts';
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
export type { CliAdapterOptions, CliOptions } from './clis/cli-options.ts';
export type { Permissions, Transport } from './clis/records/cli-record.ts';
export type {
  AgentFn,
  AgentReply,
  AgentTool,
  AgentTurn,
  AskPerson,
  Budget,
  BudgetHold,
  BudgetLimits,
  BudgetRequest,
  CloseOptions,
  Connect,
  ConnectIdentity,
  HubToolName,
  JoinHandlers,
  JoinHub,
  JoinOptions,
  Meter,
  Participant,
  ProgressEvent,
  Question,
  Script,
  StartFrame,
  Step,
  ThreadContext,
  ToolCall,
  ToolResult,
  TurnBudget,
  TurnOptions,
  UnpricedPolicy,
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
export {
  createAnthropicAdapter,
  createAnthropicClient,
  createChatClient,
  createLlmAdapter,
  createResponsesAdapter,
  createResponsesClient,
} from './node-models.ts';
export type {
  Program,
  ProgramResult,
  RunLimitOptions,
  RunLimits,
  RunListener,
  RunningProgram,
} from './processes/run-program.ts';
export { runningPrograms, runProgram } from './processes/run-program.ts';
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

/** Joins a hub with an agent function, over a client or a way to connect one. */
export const joinHub: JoinHub = createJoinHub(systemClock);
export * from './deprecated.ts';
