/**
 * Participants: agent functions that join a hub and take turns. Runs anywhere; `node.ts` adds programs and the system clock.
 *
 * Rooms, each importing only those before it: lib and agent (what an agent is), budget, models (asked over HTTP), roles
 * (answers with metadata), tools (what an agent may do in the hub), processes and clis (programs as agents, Node only),
 * joining. Must stay true: a turn is answered at most once, also across restarts; errors never show secrets. Start reading
 * at agent/agent-fn.ts, then joining/join-hub.ts and joining/turns.ts.
 */

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
export type { AskPerson, Question } from './agent/manual.ts';
export { createManualAdapter } from './agent/manual.ts';
export type { Script } from './agent/script.ts';
export { createScriptAdapter } from './agent/script.ts';
export type { Budget, BudgetLimits, UnpricedPolicy } from './budget/budget.ts';
export type { AgentTurn, JoinHandlers } from './joining/handlers.ts';
export type { CloseOptions, JoinHub, Participant } from './joining/join-hub.ts';
export { createJoinHub } from './joining/join-hub.ts';
export type { Connect, ConnectIdentity, JoinOptions } from './joining/join-options.ts';
export { withinBudget } from './models/within-budget.ts';
export type { HubToolName } from './tools/hub-tools.ts';
export { HUB_TOOL_NAMES } from './tools/hub-tools.ts';
