/** The client of a Parley hub: for agents and for people, over any link. */

export type { CancelSignal, OwnSignal } from '../core/ports/platform.ts';
export type { AgentOptions } from './agent-client.ts';
export { AgentClient } from './agent-client.ts';
export type { Claim } from './bind.ts';
export type { Client, ClientOptions, ClientState, EventHandler, SearchOptions, SessionQuery } from './client.ts';
export type { ConnectHumanOptions, ConnectOptions, ReconnectTimes } from './connect.ts';
export type { ConnectionEnd } from './connection/connection.ts';
export type { DelegateOptions } from './delegate.ts';
export type { DeltaOptions } from './session/deltas.ts';
export type { HumanOptions } from './human-client.ts';
export { HumanClient } from './human-client.ts';
export type { ResumeOptions, RuleOptions } from './identity.ts';
export type { WaitOptions } from './lib/inbox.ts';
export type { Invite, InviteDecision, InviteHandler } from './session/invites.ts';
export type { Reconnect } from './connection/reconnecting-link.ts';
export type { Message, MessageHandler, TurnHandler, TurnOffer } from './message.ts';
export type {
  Observation,
  ObservationEnd,
  ObservedAt,
  ObserveHandler,
  ObserveOptions,
} from './operations/observation.ts';
export type { OpenOptions } from './open.ts';
export type { CallOptions } from './connection/requests.ts';
export type { SessionEnd } from './session/local-session.ts';
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
} from './session/session.ts';
export type { CancelRequestHandler, StartTaskOptions, TaskHandle, TaskQuery } from './session/task-handle.ts';
