/** Governed runs as sessions: what each envelope of a run's log means. Pure, like the engine. */

export { awaitedOf } from './awaited.ts';
export { type BookIndex, booksIn } from './state/history-index.ts';
export {
  type Evidence,
  type FileEvidence,
  type GitEvidence,
  type HookEvidence,
  MAX_EVIDENCE_TEXT,
} from './moves/evidence.ts';
export { judgeSend, outcomeOf } from './judge.ts';
export type { Outcome } from './moves/move.ts';
export type { AcceptedData } from './moves/accept-move.ts';
export { addedBy, type RunRecord, readRun } from './replay.ts';
export {
  type Created,
  checkRules,
  holderOf,
  KNOBS_SCHEMA,
  resolvedKnobs,
  rulesOf,
  type SessionRules,
} from './state/rules.ts';
export { renderLine, resultIn, shownState, turnInputOf } from './display.ts';
export {
  type Claim,
  type Expected,
  type FollowUp,
  type GateRefusal,
  type GateType,
  type GovernedState,
  type Lease,
  NEW_SESSION,
} from './state/state.ts';
export { APPROVALS, GOVERNED_TYPES, type GovernedType } from './moves/table.ts';
