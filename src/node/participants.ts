/** Participants in Node: agent functions that join a hub and take turns. */

import { type JoinHub, joiningOn } from '../participants/join-hub.ts';
import { systemClock } from './system-clock.ts';

export type {
  AgentFn,
  AgentReply,
  AskPerson,
  CloseOptions,
  Connect,
  JoinHandlers,
  JoinHub,
  JoinOptions,
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
  TurnOptions,
  Usage,
} from '../participants/index.ts';
export { createManualAdapter, createScriptAdapter } from '../participants/index.ts';

/** Joins a hub with an agent function, over a client or a way to connect one. */
export const joinHub: JoinHub = joiningOn(systemClock);
