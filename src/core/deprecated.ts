/** Names of version 0.1. They stay importable until 1.0. */

export type {
  /** @deprecated since 0.2; use `ArbiterAnswer`. */
  ArbiterAnswer as Answer,
  /** @deprecated since 0.2; use `ArbiterParty`. */
  ArbiterParty as Party,
  /** @deprecated since 0.2; use `ArbiterVerdict`. */
  ArbiterVerdict as Verdict,
} from './ports/arbiter.ts';
export type {
  AcceptedAt as Moment,
  /** @deprecated since 0.2; use `AcceptedContent`. */
  AcceptedContent as Accepted,
  PendingReply as Unanswered,
  TimingFacts as Pacing,
} from './ports/expectation.ts';
export type {
  /** @deprecated since 0.2; use `Logger`. */
  Logger as Log,
} from './ports/platform.ts';
export type {
  /** @deprecated since 0.2; use `AuditEntry`. */
  AuditEntry as NumberedAudit,
} from './ports/store.ts';
export type { PendingWait as HubWait } from './protocol/operations/console-hub.ts';
export type {
  ExpectationStatus as ShownExpectation,
  SessionStateAt as StateAt,
} from './protocol/operations/console-sessions.ts';
export type { OperationAccess as Who } from './protocol/operations/operation.ts';
export type {
  /** @deprecated since 0.2; use `TrackRecord`. */
  TrackRecord as Observed,
} from './records/identity/resume.ts';
export {
  /** @deprecated since 0.2; use `actingAgent`. */
  actingAgent as doerOf,
} from './records/session/envelope.ts';
export {
  /** @deprecated since 0.2; use `addSpend`. */
  addSpend as plusSpent,
  /** @deprecated since 0.2; use `Spend`. */
  type Spend as Spent,
  /** @deprecated since 0.2; use `spendFromData`. */
  spendFromData as spentIn,
  /** @deprecated since 0.2; use `spendFromEnvelope`. */
  spendFromEnvelope as spentWith,
  /** @deprecated since 0.2; use `ZERO_SPEND`. */
  ZERO_SPEND as NOTHING_SPENT,
} from './records/session/spending.ts';
