/**
 * Participants in Node: agent functions that join a hub and take turns.
 *
 * Folders, each importing only those before it: lib and agent (the agent type), budget, models (asked over HTTP), roles
 * (answers with metadata), tools (hub actions of agents), processes and clis (programs as agents), joining. A turn is
 * answered at most once, even across restarts; errors never show secrets. Start at agent/agent-fn.ts and joining/turns.ts.
 */

import { systemClock } from '../system/clock.ts';
import { createJoinHub, type JoinHub } from './joining/join-hub.ts';

export type { AgentErrorDetails, AgentErrorKind } from './agent/agent-error.ts';
export { AGENT_ERROR_KINDS, AgentError, isAgentError } from './agent/agent-error.ts';
export type {
  AgentFn,
  AgentReply,
  AgentTool,
  BudgetHold,
  BudgetRequest,
  Meter,
  ProgressEvent,
  StartFrame,
  Step,
  ThreadContext,
  ToolCall,
  ToolResult,
  TurnBudget,
  TurnOptions,
  Usage,
} from './agent/agent-fn.ts';
export { type AskPerson, createManualAdapter, type Question } from './agent/manual.ts';
export { createScriptAdapter, type Script } from './agent/script.ts';
export type { Budget, BudgetLimits, UnpricedPolicy } from './budget/account.ts';
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
export type { AgentTurn, JoinHandlers } from './joining/handlers.ts';
export type { CloseOptions, JoinHub, Participant } from './joining/join-hub.ts';
export type { Connect, ConnectIdentity, JoinOptions } from './joining/join-options.ts';
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
export { withinBudget } from './models/within-budget.ts';
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
export {
  EXTRACT_STRATEGIES,
  type ExtractSettings,
  type ExtractStrategy,
  mergeExtract,
} from './roles/extract/settings.ts';
export type {
  ExtractIssue,
  MetaOf,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './roles/lib/standard-schema.ts';
export { type AnyRole, createRole, type MetaSchema, type Role, type RoleAnswer } from './roles/role.ts';
export { ExtractError, isExtractError } from './roles/role-turn.ts';
export { HUB_TOOL_NAMES, type HubToolName } from './tools/hub-tools.ts';

/** Joins a hub with an agent function, given a connected client or a function that connects one. */
export const joinHub: JoinHub = createJoinHub(systemClock);
export * from './deprecated.ts';
