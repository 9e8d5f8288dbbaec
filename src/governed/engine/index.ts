/**
 * Judges configs, turn results, gates and moves of governed runs.
 * Pure: functions from data to data, without Node. Time, ids and file texts are arguments.
 * Folders, each importing only earlier ones: lib, hooks, state, config, coordinator, events, run, turn-result, gates,
 * turns, acceptance, dispatch.
 * Start at `run/moves.ts` (the state machine) and `acceptance/accept.ts` (a result becomes part of the run).
 */

export { type AcceptanceFailure, type AcceptInput, acceptTurn, type TurnAccepted } from './acceptance/accept.ts';
export { type AcceptanceIndex, buildAcceptanceIndex } from './acceptance/acceptance-index.ts';
export {
  checkDecision,
  decisionAuthority,
  decisionIds,
  type LedgerRefusal,
  type RepoDecisionRecord,
  repoDecisions,
} from './acceptance/decisions.ts';
export type { HistoryEntry, LedgerEntry } from './acceptance/entries.ts';
export { drainRequests } from './acceptance/settle.ts';
export { type CheckedConfig, type CompletedConfig, checkConfig, completeConfig } from './config/check.ts';
export {
  type ArtifactConfig,
  allowedNextRoles,
  authorityOf,
  type CONFIG_VERSION,
  exitGate,
  finalPhase,
  firstPhase,
  type GateConfig,
  type GovernedConfig,
  getMaxConcurrentTurns,
  nextPhase,
  type PhaseConfig,
  phasesOf,
  type RoleConfig,
  type RUNTIME_TYPES,
  type RulesConfig,
  type RuntimeConfig,
  runtimeOf,
  runtimeType,
  type WRITE_AUTHORITIES,
  type WriteAuthority,
} from './config/config.ts';
export * from './coordinator/index.ts';
export * from './deprecated.ts';
export {
  assignEventIds,
  EVENT_TYPES,
  type EventDraft,
  type EventFault,
  type EventType,
  eventFaults,
  eventOf,
  orderFaults,
  type RunEvent,
} from './events/events.ts';
export { applyCompletionVerdict, applyPhaseVerdict } from './gates/apply.ts';
export { evaluatePhaseExit, evaluateRunCompletion, type GateFacts } from './gates/evaluate.ts';
export type { CompletionVerdict, PhaseVerdict, ReadFiles, Reason, ReasonCode } from './gates/verdict.ts';
export { describeReason } from './gates/verdict.ts';
export { digestOf } from './lib/digest.ts';
export type { ConfigFault, Normalisation } from './lib/findings.ts';
export { canonicalPath, isProductPath, isReserved } from './lib/project-paths.ts';
export {
  type Blocker,
  blockRun,
  type EscalationInput,
  escalateByOperator,
  escalateRun,
  type Resolution,
  resolveBlocked,
} from './run/block.ts';
export type { Changed, Refused } from './run/moves.ts';
export { MOVES, type Trigger } from './run/moves.ts';
export {
  type Approval,
  approveCompletion,
  approveTransition,
  initialiseRun,
  type RunInit,
  type TransitionRequest,
  transitionState,
} from './run/transition.ts';
export type * from './state/state.ts';
export { EMPTY_STATE, RUN_STATUSES, TURN_STATUSES } from './state/state.ts';
export { nextFreeId } from './turn-result/normalise.ts';
export type * from './turn-result/result.ts';
export {
  type Invalid,
  type Valid,
  type ValidateInput,
  type Validation,
  validateTurnResult,
} from './turn-result/validate.ts';
export { getActiveTurn, getActiveTurnCount, getActiveTurns, getTurnStagingResultPath } from './turns/active.ts';
export { type Assignment, assignTurn } from './turns/assign.ts';
export {
  progressTurn,
  type Reissue,
  type Rejected,
  type Rejection,
  rebaseTurn,
  reissueTurn,
  rejectTurn,
  type TurnStep,
} from './turns/lifecycle.ts';
