/** Governed runs: the engine. Pure functions; time, ids and files are handed to them. */

export { acceptTurn, type NotAccepted, type ToAccept, type TurnAccepted } from './engine/acceptance/accept.ts';
export { type Books, booksOf } from './engine/acceptance/acceptance-index.ts';
export type { HistoryEntry, LedgerEntry } from './engine/acceptance/entries.ts';
export { drainRequests } from './acceptance/requests.ts';
export { type CheckedConfig, checkConfig } from './engine/config/check.ts';
export { type CompletedConfig, completeConfig } from './config/complete.ts';
export type * from './engine/config/config.ts';
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
export * from './engine/coordinator/index.ts';
export { digestOf } from './engine/lib/digest.ts';
export { type EventFault, eventFaults, orderFaults } from './engine/events/events.ts';
export { type EventDraft, eventOf, type RunEvent, withIds } from './events/draft.ts';
export { EVENT_TYPES, type EventType } from './events/types.ts';
export { applyCompletionVerdict, applyPhaseVerdict } from './engine/gates/apply.ts';
export { evaluatePhaseExit, evaluateRunCompletion, type GateFacts } from './engine/gates/evaluate.ts';
export { sentenceOf } from './engine/gates/verdict.ts';
export type { CompletionVerdict, PhaseVerdict, ReadFiles, Reason, ReasonCode } from './gates/verdict.ts';
export { decisionIds, type LedgerRefusal, refusedDecision } from './ledger/append.ts';
export { decisionAuthority, type RepoDecisionRecord, repoDecisions } from './engine/acceptance/decisions.ts';
export { nextFreeId } from './ledger/next-id.ts';
export type { Normalisation } from './normalisation.ts';
export { canonicalPath, isProductPath, isReserved } from './engine/lib/project-paths.ts';
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
} from './engine/run/block.ts';
export { EMPTY_STATE } from './run/empty-state.ts';
export { type Beginning, initialiseRun } from './run/initialise.ts';
export { MOVES, type Trigger } from './engine/run/moves.ts';
export type * from './run/state.ts';
export { RUN_STATUSES } from './run/state.ts';
export { type TransitionAsked, transitionState } from './run/transition.ts';
export { TURN_STATUSES } from './run/turn.ts';
export type * from './engine/turn-result/result.ts';
export {
  type Invalid,
  type ToValidate,
  type Valid,
  type Validation,
  validateTurnResult,
} from './engine/turn-result/validate.ts';
export { getActiveTurn, getActiveTurnCount, getActiveTurns, getTurnStagingResultPath } from './engine/turns/active.ts';
export { type Assignment, assignTurn } from './engine/turns/assign.ts';
export { progressTurn, type TurnStep } from './turns/progress.ts';
export { type Reissue, rebaseTurn, reissueTurn } from './turns/reissue.ts';
export { type Rejected, type Rejection, rejectTurn } from './turns/reject.ts';
