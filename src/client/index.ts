/** The client of a Parley hub: for agents and for people, over any link. */

export type { CancelSignal, OwnSignal } from '../core/ports.ts';
export type { AgentOptions } from './agent-client.ts';
export { AgentClient } from './agent-client.ts';
export type { Claim } from './bind.ts';
export type { Client, ClientOptions, ClientState, EventHandler, SearchOptions, SessionQuery } from './client.ts';
export type { ConnectHumanOptions, ConnectOptions, ReconnectTimes } from './connect.ts';
export type { ConnectionEnd } from './connection.ts';
export type { DelegateOptions } from './delegate.ts';
export type { DeltaOptions } from './deltas.ts';
export type { HumanOptions } from './human-client.ts';
export { HumanClient } from './human-client.ts';
export type { ResumeOptions, RuleOptions } from './identity.ts';
export type { WaitOptions } from './inbox.ts';
export type { Invite, InviteDecision, InviteHandler } from './invites.ts';
export type { Reconnect } from './line.ts';
export type { Message, MessageHandler, TurnHandler, TurnOffer } from './message.ts';
export type {
  Observation,
  ObservationEnd,
  ObservedAt,
  ObserveHandler,
  ObserveOptions,
} from './observation.ts';
export type { OpenOptions } from './open.ts';
export type { CallOptions } from './requests.ts';
export type { SessionEnd } from './room.ts';
export type { ScheduledSession, ScheduleOptions, ScheduleQuery, ScheduleUpdate } from './schedule.ts';
export type {
  AddOptions,
  CloseOptions,
  Content,
  LogOptions,
  OperatorOptions,
  SendOptions,
  Session,
  ViewOptions,
} from './session.ts';
export type { CancelRequestHandler, StartTaskOptions, TaskHandle, TaskQuery } from './task-handle.ts';
