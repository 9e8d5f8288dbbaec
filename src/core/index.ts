/** The contracts of the hub: records, errors, ports, and the pure functions over them. */

export type { AdapterResult, CompleteAdapter, Reply, RoundDraft, SessionAdapter, TurnTool } from './adapter.ts';
export { completeAdapter, renderText } from './adapter.ts';
export type { AddAnswer } from './adding.ts';
export type { PostAnswer } from './admit.ts';
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
} from './delegation.ts';
export type { EndAnswer } from './ending.ts';
export type { Awaited, Draft, Entry, Envelope, HubEventType, Priority, Turn, Unit } from './envelope.ts';
export { doerOf, HUB_EVENT_TYPES, HUB_ID, isContent } from './envelope.ts';
export type { ErrorDetails, FieldProblem, WireCode } from './errors.ts';
export { HubError, ProtocolError, WIRE_CODES, WireError } from './errors.ts';
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
} from './expectation.ts';
export type { AgentQuery, FoundAgent } from './find-agent.ts';
export type { Snippet, TextMatch } from './find-text.ts';
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
} from './frames.ts';
export type { Grant } from './grants.ts';
export { GRANTS } from './grants.ts';
export type { Head } from './head.ts';
export { foldHead } from './head.ts';
export type { Json, JsonObject } from './json.ts';
export { canonicalJson, jsonBytes } from './json.ts';
export { digestText } from './keys.ts';
export type { Limits } from './limits.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { Link } from './link.ts';
export { linkPair } from './link.ts';
export type { InviteAnswer } from './membership.ts';
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
export type { HeldTurn, Moment, Pacing, Unanswered } from './pacing.ts';
export type { CallToolOptions, ContextUpdates, FinishOptions, HandoffOptions, Packet } from './packets.ts';
export { callTool, finish, handoff } from './packets.ts';
export type { AgentKind, Passport, PassportClaim } from './passport.ts';
export type { Clock, Ids, Log } from './ports.ts';
export type { FailureAnswer, ProgressAnswer } from './progress.ts';
export type { Redaction } from './redaction.ts';
export type { Observed, Resume, ResumeClaim } from './resume.ts';
export type { Overflow, Rate, Rule, RuleChange, RuleRecord } from './rule.ts';
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
} from './schedule.ts';
export type { Schema } from './schema-contract.ts';
export type { SearchMatch, SearchPage, SearchParams } from './search.ts';
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
} from './session.ts';
export { isTerminal, nameOf, participantOf } from './session.ts';
export type { Skill } from './skill.ts';
export type { Spent } from './spending.ts';
export { NOTHING_SPENT, plusSpent, spentIn, spentWith } from './spending.ts';
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
} from './store.ts';
export { REGISTRY_LOG } from './store.ts';
export type { CancelAnswer, TaskAnswer } from './task-decisions.ts';
export type {
  ListTasksParams,
  ResumedTask,
  StartTaskParams,
  TaskPage,
  TaskRef,
  TaskWithData,
} from './task-operations.ts';
export type { CancelRequest, Task, TaskData, TaskState } from './tasks.ts';
export type {
  Condition,
  Destination,
  Routing,
  RulePart,
  RuleRef,
  Target,
  UsedNames,
  Vocabulary,
} from './transition.ts';
export type { EarlierLines, View, ViewLine, ViewMessage } from './view.ts';
