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
} from './agent-fn.ts';
export type { Budget, BudgetLimits, Unpriced } from './budget/budget.ts';
export { withinBudget } from './budget/within-budget.ts';
export type { JoinHandlers, TakenTurn } from './handlers.ts';
export type { JoinHub } from './join-hub.ts';
export { joiningOn } from './join-hub.ts';
export type { Connect, JoinOptions, OwnOptions } from './join-options.ts';
export type { AskPerson, Question } from './manual.ts';
export { createManualAdapter } from './manual.ts';
export type { CloseOptions, Participant } from './participant.ts';
export type { Script } from './script.ts';
export { createScriptAdapter } from './script.ts';
export type { HubToolName } from './tools/hub-tools.ts';
export { HUB_TOOL_NAMES } from './tools/hub-tools.ts';
