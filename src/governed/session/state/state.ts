/** Defines the state of a governed session: the run, used ids and open items. History and ledger are in the log. */

import { EMPTY_STATE, type RunState } from '../../engine/state/state.ts';
import { EMPTY_HISTORY_INDEX, type HistoryIndex } from './history-index.ts';

/** A submitted result that has not been judged yet. */
export interface Claim {
  readonly attempt: number;
  readonly seq: number;
  /** Digest of the submitted result, which the accepted result must match. */
  readonly digest: string;
}

/** The run waits for the holder's result, or for the runner to judge it. */
export interface Expected {
  readonly turn_id: string;
  readonly attempt: number;
  readonly kind: 'result' | 'judgement';
  readonly agent_id: string;
  readonly since_seq: number;
}

/** Work to do at least once after an envelope is durable. */
export interface FollowUp {
  readonly id: string;
  readonly phase: FollowUpPhase;
  readonly turn_id: string | null;
  readonly seq: number;
}

const FOLLOW_UP_PHASES = ['after_acceptance', 'on_escalation', 'notification'] as const;
export type FollowUpPhase = (typeof FOLLOW_UP_PHASES)[number];

/** The runner process that works on the run. */
export interface Lease {
  readonly owner: string;
  readonly fence: number;
  readonly expires_at: string;
}

/** A refusal by an approver; the gate stays pending. */
export interface GateRefusal {
  readonly gate: string | null;
  readonly gate_type: GateType;
  readonly by: string;
  readonly reason: string;
  readonly seq: number;
}

export const GATE_TYPES = ['phase_transition', 'run_completion'] as const;
export type GateType = (typeof GATE_TYPES)[number];

export interface GovernedState {
  readonly run: RunState;
  readonly books: HistoryIndex;
  /** Claims by turn id. */
  readonly claims: Readonly<Record<string, Claim>>;
  readonly expected: Expected | null;
  readonly follow_ups: readonly FollowUp[];
  readonly lease: Lease | null;
  readonly last_fence: number;
  readonly refusal: GateRefusal | null;
  readonly gate_hooks_passed: boolean;
  /** True after the first move of the run, which ends imports. */
  readonly has_moved: boolean;
  /** Seq of the last envelope that changed the run; 0 if there is none. */
  readonly last_seq: number;
}

export const NEW_SESSION: GovernedState = Object.freeze({
  run: EMPTY_STATE,
  books: EMPTY_HISTORY_INDEX,
  claims: {},
  expected: null,
  follow_ups: [],
  lease: null,
  last_fence: 0,
  refusal: null,
  gate_hooks_passed: false,
  has_moved: false,
  last_seq: 0,
});
