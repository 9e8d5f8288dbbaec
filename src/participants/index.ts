/** Participants: agent functions that join a hub and take turns. */

export type {
  AgentFn,
  AgentReply,
  AgentTool,
  CallNeed,
  HeldBudget,
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
export type { Budget, BudgetLimits, Unpriced } from './budget/budget.ts';
export { withinBudget } from './models/within-budget.ts';
export type { JoinHandlers, TakenTurn } from './joining/handlers.ts';
export type { JoinHub } from './join-hub.ts';
export { joiningOn } from './join-hub.ts';
export type { Connect, JoinOptions, OwnOptions } from './joining/join-options.ts';
export type { AskPerson, Question } from './agent/manual.ts';
export { createManualAdapter } from './agent/manual.ts';
export type { CloseOptions, Participant } from './joining/join-hub.ts';
export type { Script } from './agent/script.ts';
export { createScriptAdapter } from './agent/script.ts';
export type { HubToolName } from './tools/hub-tools.ts';
export { HUB_TOOL_NAMES } from './tools/hub-tools.ts';
