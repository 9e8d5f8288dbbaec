/** The contracts of the hub: records, errors, ports, and the pure functions over them. */

export type { AdapterResult, CompleteAdapter, Reply, RoundDraft, SessionAdapter, TurnTool } from './ports/adapter.ts';
export { completeAdapter, renderText } from './ports/adapter.ts';
export type { AddAnswer } from './decisions/add-participant.ts';
export type { PostAnswer } from './decisions/admit.ts';
export type {
  Answer,
  Arbiter,
  ArbiterMember,
  DeliveryAsk,
  InboxAsk,
  OpenAsk,
  Party,
  SendAsk,
  UnknownAsk,
  Verdict,
} from './arbiter.ts';
export type {
  AgentLoad,
  ArmedWait,
  AwaitedSince,
  DescribedParticipant,
  FeedEntry,
  FigurePoint,
  GraphEdge,
  GraphNode,
  GraphReport,
  HubFigures,
  HubWait,
  NextDeadline,
  RulePartInfo,
  SessionDescription,
  SessionType,
  ShownExpectation,
  SlowConsumer,
  StateAt,
  TurnSince,
  WhoAmI,
} from './console-operations.ts';
export type {
  DelegateAnswer,
  DelegateParams,
  DelegationBudget,
  DelegationOpened,
  DelegationOutcome,
  DelegationReply,
  DelegationSettled,
} from './records/work/delegation.ts';
export type { EndAnswer } from './decisions/end-session.ts';
export type { Awaited, Draft, Entry, Envelope, HubEventType, Priority, Turn, Unit } from './records/session/envelope.ts';
export { doerOf, HUB_EVENT_TYPES, HUB_ID, isContent } from './records/session/envelope.ts';
export type { ErrorDetails, FieldProblem, WireCode } from './lib/errors.ts';
export { HubError, ProtocolError, WIRE_CODES, WireError } from './lib/errors.ts';
export type {
  AcceptContext,
  AcceptEvaluator,
  Accepted,
  Evaluator,
  HandlerEffect,
  TimedEvaluator,
  Violation,
  ViolationHandler,
  Violator,
  Wait,
  WaitContext,
} from './ports/expectation.ts';
export type { AgentQuery, FoundAgent } from './records/identity/find-agent.ts';
export type { Snippet, TextMatch } from './lib/find-text.ts';
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
} from './protocol/frames/frame-codec.ts';
export type { Grant } from './records/access/grants.ts';
export { GRANTS } from './records/access/grants.ts';
export type { Head } from './state/fold-head.ts';
export { foldHead } from './state/fold-head.ts';
export type { Json, JsonObject } from './lib/json.ts';
export { canonicalJson, jsonBytes } from './lib/json.ts';
export { digestText } from './records/session/keys.ts';
export type { Limits } from './records/access/limits.ts';
export { DEFAULT_LIMITS } from './records/access/limits.ts';
export type { Link } from './lib/link.ts';
export { linkPair } from './lib/link.ts';
export type { InviteAnswer } from './decisions/membership.ts';
export type {
  CreateParams,
  Duration,
  Health,
  Operation,
  OperationName,
  OperatorParams,
  Params,
  ParticipantRef,
  PostParams,
  RedactAnswer,
  RedactParams,
  Result,
  SessionSummary,
  Who,
} from './operations.ts';
export { OPERATIONS } from './operations.ts';
export type { HeldTurn, Moment, Pacing, Unanswered } from './state/pacing.ts';
export type { CallToolOptions, ContextUpdates, FinishOptions, HandoffOptions, Packet } from './records/session/packets.ts';
export { callTool, finish, handoff } from './records/session/packets.ts';
export type { AgentKind, Passport, PassportClaim } from './records/identity/passport.ts';
export type { Clock, Ids, Log } from './ports/platform.ts';
export type { FailureAnswer, ProgressAnswer } from './decisions/progress.ts';
export type { Redaction } from './records/session/redaction.ts';
export type { Observed, Resume, ResumeClaim } from './records/identity/resume-schema.ts';
export type { Overflow, Rate, Rule, RuleChange, RuleRecord } from './records/access/rule.ts';
export { ruleArbiter } from './rule-arbiter.ts';
export type {
  MissedTimes,
  RunOutcome,
  Schedule,
  ScheduleChange,
  ScheduleClaim,
  ScheduleDefinition,
  ScheduleRun,
  SessionTemplate,
} from './records/work/schedule.ts';
export type { Schema } from './lib/schema-contract.ts';
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
export type { Skill } from './records/identity/skill.ts';
export type { Spent } from './records/session/spending.ts';
export { NOTHING_SPENT, plusSpent, spentIn, spentWith } from './records/session/spending.ts';
export type {
  Append,
  AppendOutcome,
  AuditRange,
  AuditRecord,
  Cursor,
  HeadToken,
  NumberedAudit,
  ReadRange,
  SessionPage,
  SessionQuery,
  Store,
  StoredHead,
} from './ports/store.ts';
export { REGISTRY_LOG } from './ports/store.ts';
export type { CancelAnswer, TaskAnswer } from './decisions/task-decisions.ts';
export type {
  ListTasksParams,
  ResumedTask,
  StartTaskParams,
  TaskPage,
  TaskRef,
  TaskWithData,
} from './task-operations.ts';
export type { CancelRequest, Task, TaskData, TaskState } from './records/work/tasks.ts';
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
