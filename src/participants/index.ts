/** Participants: agent functions that join a hub and take turns. */

export type {
  AgentFn,
  AgentReply,
  ProgressEvent,
  StartFrame,
  Step,
  ThreadContext,
  ToolCall,
  TurnOptions,
  Usage,
} from './agent-fn.ts';
export type { JoinHandlers, TakenTurn } from './handlers.ts';
export type { JoinHub } from './join-hub.ts';
export { joiningOn } from './join-hub.ts';
export type { Connect, JoinOptions, OwnOptions } from './join-options.ts';
export type { AskPerson, Question } from './manual.ts';
export { createManualAdapter } from './manual.ts';
export type { CloseOptions, Participant } from './participant.ts';
export type { Script } from './script.ts';
export { createScriptAdapter } from './script.ts';
