/** Governed runs: the engine. Pure functions; time, ids and files are handed to them. */

export { acceptTurn, type NotAccepted, type ToAccept, type TurnAccepted } from './acceptance/accept.ts';
export { type Books, booksOf } from './acceptance/books.ts';
export type { HistoryEntry, LedgerEntry } from './acceptance/entries.ts';
export { drainRequests } from './acceptance/requests.ts';
export { type CheckedConfig, checkConfig } from './config/check.ts';
export { type CompletedConfig, completeConfig } from './config/complete.ts';
export type * from './config/config.ts';
export type { ConfigFault } from './config/fault.ts';
export {
  allowedNextRoles,
  authorityOf,
  exitGate,
  finalPhase,
  firstPhase,
  getMaxConcurrentTurns,
  nextPhase,
  phasesOf,
  runtimeOf,
  runtimeType,
} from './config/phases.ts';
export * from './coordinator/index.ts';
export { digestOf } from './digest.ts';
export { type EventFault, eventFaults, orderFaults } from './events/check.ts';
export { type EventDraft, eventOf, type RunEvent, withIds } from './events/draft.ts';
export { EVENT_TYPES, type EventType } from './events/types.ts';
export { applyCompletionVerdict, applyPhaseVerdict } from './gates/apply.ts';
export { evaluatePhaseExit, evaluateRunCompletion, type GateFacts } from './gates/evaluate.ts';
export { sentenceOf } from './gates/sentences.ts';
export type { CompletionVerdict, PhaseVerdict, ReadFiles, Reason, ReasonCode } from './gates/verdict.ts';
export { decisionIds, type LedgerRefusal, refusedDecision } from './ledger/append.ts';
export { decisionAuthority, type RepoDecisionRecord, repoDecisions } from './ledger/carry-over.ts';
export { nextFreeId } from './ledger/next-id.ts';
export type { Normalisation } from './normalisation.ts';
export { canonicalPath, isProductPath, isReserved } from './paths.ts';
export type { Changed, Refused } from './refusal.ts';
export { type Approval, approveCompletion, approveTransition } from './run/approve.ts';
export {
  type Blocker,
  blockRun,
  type EscalationGiven,
  escalateByOperator,
  escalateRun,
  type Resolution,
  resolveBlocked,
} from './run/block.ts';
export { EMPTY_STATE } from './run/empty-state.ts';
export { type Beginning, initialiseRun } from './run/initialise.ts';
export { MOVES, type Trigger } from './run/moves.ts';
export type * from './run/state.ts';
export { RUN_STATUSES } from './run/state.ts';
export { type TransitionAsked, transitionState } from './run/transition.ts';
export { TURN_STATUSES } from './run/turn.ts';
export type * from './turn-result/result.ts';
export {
  type Invalid,
  type ToValidate,
  type Valid,
  type Validation,
  validateTurnResult,
} from './turn-result/validate.ts';
export { getActiveTurn, getActiveTurnCount, getActiveTurns, getTurnStagingResultPath } from './turns/active.ts';
export { type Assignment, assignTurn } from './turns/assign.ts';
export { progressTurn, type TurnStep } from './turns/progress.ts';
export { type Reissue, rebaseTurn, reissueTurn } from './turns/reissue.ts';
export { type Rejected, type Rejection, rejectTurn } from './turns/reject.ts';
