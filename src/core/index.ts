/**
 * The contracts of the hub: records, errors, ports, and pure functions over them, without clock, store or network.
 * Each room imports only the rooms before it: lib → records → ports → state → decisions → protocol.
 *
 * Start with records/session/envelope.ts, state/state.ts, decisions/admit.ts and protocol/operations/operations.ts.
 */

export type { AddAnswer } from './decisions/add-participant.ts';
export type { PostAnswer } from './decisions/admit.ts';
export type { EndAnswer } from './decisions/end-session.ts';
export type { InviteAnswer } from './decisions/membership.ts';
export type { FailureAnswer, ProgressAnswer } from './decisions/progress.ts';
export type { CancelAnswer, TaskAnswer } from './decisions/task-decisions.ts';
export * from './deprecated.ts';
export type { ErrorDetails, FieldProblem, WireCode } from './lib/errors.ts';
export { HubError, ProtocolError, WIRE_CODES, WireError } from './lib/errors.ts';
export type { Snippet, TextMatch } from './lib/find-text.ts';
export type { Json, JsonObject } from './lib/json.ts';
export { canonicalJson, jsonBytes } from './lib/json.ts';
export type { Link } from './lib/link.ts';
export { linkPair } from './lib/link.ts';
export type { Schema } from './lib/schema-contract.ts';
export type {
  AdapterResult,
  CompleteAdapter,
  GraphEdge,
  GraphNode,
  GraphReport,
  Reply,
  RoundDraft,
  SessionAdapter,
  TurnTool,
} from './ports/adapter.ts';
export { completeAdapter, renderText } from './ports/adapter.ts';
export type {
  Arbiter,
  ArbiterAnswer,
  ArbiterMember,
  ArbiterParty,
  ArbiterVerdict,
  DeliveryAsk,
  InboxAsk,
  OpenAsk,
  SendAsk,
  UnknownAsk,
} from './ports/arbiter.ts';
export { ruleArbiter } from './ports/arbiter.ts';
export type {
  AcceptContext,
  AcceptEvaluator,
  AcceptedAt,
  AcceptedContent,
  Evaluator,
  HandlerEffect,
  HeldTurn,
  PendingReply,
  TimedEvaluator,
  TimingFacts,
  Violation,
  ViolationHandler,
  Violator,
  Wait,
  WaitContext,
} from './ports/expectation.ts';
export type { Clock, Ids, Logger } from './ports/platform.ts';
export type {
  Append,
  AppendOutcome,
  AuditEntry,
  AuditRange,
  AuditRecord,
  Cursor,
  HeadToken,
  ReadRange,
  SessionPage,
  SessionQuery,
  Store,
  StoredHead,
} from './ports/store.ts';
export { REGISTRY_LOG } from './ports/store.ts';
export type {
  Condition,
  Destination,
  Routing,
  RulePart,
  RuleRef,
  Target,
  UsedNames,
  Vocabulary,
} from './ports/transition.ts';
export type { EarlierLines, View, ViewLine, ViewMessage } from './ports/view.ts';
export type {
  ClientFrame,
  DeltaFrame,
  ForwardedDelta,
  GapFrame,
  GoodbyeFrame,
  HelloFrame,
  HubFrame,
  NotifyFrame,
  ReceiptFrame,
  RequestFrame,
  ResponseFrame,
  WelcomeFrame,
  WelcomeLimits,
} from './protocol/frames/frames.ts';
export type {
  AgentLoad,
  FeedEntry,
  FigurePoint,
  Health,
  HubFigures,
  PendingWait,
  SlowConsumer,
} from './protocol/operations/console-hub.ts';
export type {
  ArmedWait,
  AwaitedSince,
  DescribedParticipant,
  ExpectationStatus,
  NextDeadline,
  RulePartInfo,
  SessionDescription,
  SessionStateAt,
  SessionType,
  TurnSince,
  WhoAmI,
} from './protocol/operations/console-sessions.ts';
export type { OperatorParams } from './protocol/operations/membership.ts';
export type { OperationAccess } from './protocol/operations/operation.ts';
export type { Operation, OperationName, Params, Result } from './protocol/operations/operations.ts';
export { OPERATIONS } from './protocol/operations/operations.ts';
export type { PostParams } from './protocol/operations/posting.ts';
export type { RedactAnswer, RedactParams, SessionSummary } from './protocol/operations/sessions.ts';
export type {
  ListTasksParams,
  ResumedTask,
  StartTaskParams,
  TaskPage,
  TaskRef,
  TaskWithData,
} from './protocol/operations/tasks.ts';
export type { Grant } from './records/access/grants.ts';
export { GRANTS } from './records/access/grants.ts';
export type { Limits } from './records/access/limits.ts';
export { DEFAULT_LIMITS } from './records/access/limits.ts';
export type { Overflow, Rate, Rule, RuleChange, RuleRecord } from './records/access/rule.ts';
export type { AgentQuery, FoundAgent } from './records/identity/find-agent.ts';
export type { AgentKind, Passport, PassportClaim } from './records/identity/passport.ts';
export type { Resume, ResumeClaim, TrackRecord } from './records/identity/resume.ts';
export type { Skill } from './records/identity/skill.ts';
export type { CreateParams, Duration, ParticipantRef, SessionTemplate } from './records/session/create-params.ts';
export type { Awaited, Draft, Envelope, HubEventType, Priority, Redaction, Turn } from './records/session/envelope.ts';
export { actingAgent, HUB_EVENT_TYPES, HUB_ID, isContent } from './records/session/envelope.ts';
export { digestText } from './records/session/keys.ts';
export type {
  CallToolOptions,
  ContextUpdates,
  FinishOptions,
  HandoffOptions,
  Packet,
} from './records/session/packets.ts';
export { callTool, finish, handoff } from './records/session/packets.ts';
export type { SearchMatch, SearchPage, SearchParams } from './records/session/search.ts';
export type {
  CreatedData,
  ExpectationEntry,
  LifecycleState,
  Manifest,
  Participant,
  ParticipantStatus,
  SessionMetadata,
  ViewRef,
  ViolationAction,
} from './records/session/session.ts';
export { isTerminal, nameOf, participantOf } from './records/session/session.ts';
export type { Spend } from './records/session/spending.ts';
export { addSpend, spendFromData, spendFromEnvelope, ZERO_SPEND } from './records/session/spending.ts';
export type { Entry, Head, Unit } from './records/session/unit.ts';
export type {
  DelegateAnswer,
  DelegateParams,
  DelegationBudget,
  DelegationOpened,
  DelegationOutcome,
  DelegationReply,
  DelegationSettled,
} from './records/work/delegation.ts';
export type {
  MissedTimes,
  RunOutcome,
  Schedule,
  ScheduleChange,
  ScheduleClaim,
  ScheduleDefinition,
  ScheduleRun,
} from './records/work/schedule.ts';
export type { CancelRequest, Task, TaskData, TaskState } from './records/work/tasks.ts';
export { foldHead } from './state/fold-head.ts';
