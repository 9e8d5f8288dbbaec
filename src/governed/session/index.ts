/**
 * Implements governed runs as sessions: the effect of each envelope in a run's log. Pure, like the engine.
 * Owns the session state and every envelope type that may change it. Judging a post, folding the log and reading it
 * share one path, so they cannot differ.
 * Start at `judge.ts`, then `moves/table.ts`.
 */

export * from './deprecated.ts';
export { displayState, parseResultText, renderLine, turnInputOf } from './display.ts';
export { judgeSend, outcomeOf, type RunRecord, readRun, recordsFrom } from './judge.ts';
export {
  type Evidence,
  type FileEvidence,
  type GitEvidence,
  type HookEvidence,
  MAX_EVIDENCE_TEXT,
} from './moves/evidence.ts';
export type { Outcome } from './moves/move.ts';
export { APPROVALS, GOVERNED_TYPES, type GovernedType } from './moves/table.ts';
export type { AcceptedData } from './moves/turn-moves.ts';
export { awaitedOf } from './open-items.ts';
export { type HistoryIndex, toAcceptanceIndex } from './state/history-index.ts';
export {
  type Created,
  checkRules,
  holderOf,
  KNOBS_SCHEMA,
  resolvedKnobs,
  rulesOf,
  type SessionRules,
} from './state/rules.ts';
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
