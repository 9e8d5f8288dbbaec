/** Exports earlier names, which stay importable until 1.0. */

export type {
  /** @deprecated Use `ArbiterAnswer`. */
  ArbiterAnswer as Answer,
  /** @deprecated Use `ArbiterParty`. */
  ArbiterParty as Party,
  /** @deprecated Use `ArbiterVerdict`. */
  ArbiterVerdict as Verdict,
} from './ports/arbiter.ts';
export type {
  /** @deprecated Use `AcceptedAt`. */
  AcceptedAt as Moment,
  /** @deprecated Use `AcceptedContent`. */
  AcceptedContent as Accepted,
  /** @deprecated Use `PendingReply`. */
  PendingReply as Unanswered,
  /** @deprecated Use `TimingFacts`. */
  TimingFacts as Pacing,
} from './ports/expectation.ts';
export type {
  /** @deprecated Use `Logger`. */
  Logger as Log,
} from './ports/platform.ts';
export type {
  /** @deprecated Use `AuditEntry`. */
  AuditEntry as NumberedAudit,
} from './ports/store.ts';
export type {
  /** @deprecated Use `PendingWait`. */
  PendingWait as HubWait,
} from './protocol/operations/console-hub.ts';
export type {
  /** @deprecated Use `ExpectationStatus`. */
  ExpectationStatus as ShownExpectation,
  /** @deprecated Use `SessionStateAt`. */
  SessionStateAt as StateAt,
} from './protocol/operations/console-sessions.ts';
export type {
  /** @deprecated Use `OperationAccess`. */
  OperationAccess as Who,
} from './protocol/operations/operation.ts';
export type {
  /** @deprecated Use `TrackRecord`. */
  TrackRecord as Observed,
} from './records/identity/resume.ts';
export {
  /** @deprecated Use `actingAgent`. */
  actingAgent as doerOf,
} from './records/session/envelope.ts';
export {
  /** @deprecated Use `addSpend`. */
  addSpend as plusSpent,
  /** @deprecated Use `Spend`. */
  type Spend as Spent,
  /** @deprecated Use `spendFromData`. */
  spendFromData as spentIn,
  /** @deprecated Use `spendFromEnvelope`. */
  spendFromEnvelope as spentWith,
  /** @deprecated Use `ZERO_SPEND`. */
  ZERO_SPEND as NOTHING_SPENT,
} from './records/session/spending.ts';
