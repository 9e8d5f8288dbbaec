/**
 * Exports the client of a Parley hub, for agents and people, over any link. `connection/` is the protocol on one link,
 * `session/` the handles of sessions and tasks, `operations/` the parameters of other calls; entries: `node.ts` and
 * `web.ts`. Invariants: no message is lost or handled twice across lost links; options are checked before
 * anything is sent. Start reading at client.ts, session/session.ts and connection/connection.ts.
 */

export type { CancelSignal, OwnSignal } from '../core/ports/platform.ts';
export type { AgentOptions } from './agent-client.ts';
export { AgentClient } from './agent-client.ts';
export type { Client } from './client.ts';
export type { ClientOptions, ClientState, EventHandler, SearchOptions, SessionQuery } from './client-options.ts';
export type { ConnectHumanOptions, ConnectOptions, ReconnectTimes } from './connect.ts';
export type { ConnectionEnd } from './connection/connection-types.ts';
export type { Claim } from './connection/handshake.ts';
export type { ReconnectOptions } from './connection/reconnecting-link.ts';
export type { CallOptions } from './connection/requests.ts';
export * from './deprecated.ts';
export type { HumanOptions } from './human-client.ts';
export { HumanClient } from './human-client.ts';
export type { WaitOptions } from './lib/inbox.ts';
export type {
  Observation,
  ObservationContext,
  ObservationEnd,
  ObserveHandler,
  ObserveOptions,
} from './operations/observation.ts';
export type {
  OpenOptions,
  ResumeOptions,
  RuleOptions,
  ScheduledSession,
  ScheduleOptions,
  ScheduleQuery,
  ScheduleUpdate,
} from './operations/params.ts';
export type { DeltaOptions } from './session/deltas.ts';
export type { Invite, InviteDecision, InviteHandler } from './session/invites.ts';
export type { Message, MessageHandler, Session, TurnHandler, TurnOffer } from './session/session.ts';
export type { SessionEnd } from './session/session-host.ts';
export type {
  AddOptions,
  CloseOptions,
  Content,
  DelegateOptions,
  LogOptions,
  OperatorOptions,
  SendOptions,
  StartTaskOptions,
  TaskQuery,
  ViewOptions,
} from './session/session-options.ts';
export type { CancelRequestHandler, TaskHandle } from './session/task-handle.ts';
