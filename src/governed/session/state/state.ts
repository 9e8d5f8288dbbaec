/** The state of a governed session: the run, which ids are taken, and what is open. History and ledger are in the log. */

import { EMPTY_STATE, type RunState } from '../../engine/state/state.ts';
import { EMPTY_HISTORY_INDEX, type HistoryIndex } from './history-index.ts';

/** A result that was handed in and not judged yet. */
export interface Claim {
  readonly attempt: number;
  readonly seq: number;
  /** Of the result, so that what is accepted is what was said. */
  readonly digest: string;
}

/** Whose doing the run waits for: the holder's result, or the runner's judgement of it. */
export interface Expected {
  readonly turn_id: string;
  readonly attempt: number;
  readonly kind: 'result' | 'judgement';
  readonly agent_id: string;
  readonly since_seq: number;
}

/** What has to be done after something became durable, at least once. */
export interface FollowUp {
  readonly id: string;
  readonly phase: FollowUpPhase;
  readonly turn_id: string | null;
  readonly seq: number;
}

const FOLLOW_UP_PHASES = ['after_acceptance', 'on_escalation', 'notification'] as const;
export type FollowUpPhase = (typeof FOLLOW_UP_PHASES)[number];

/** One process of the runner works on the run, and others keep off. */
export interface Lease {
  readonly owner: string;
  readonly fence: number;
  readonly expires_at: string;
}

/** Somebody who may approve has said no. The gate waits on. */
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
  /** By turn. */
  readonly claims: Readonly<Record<string, Claim>>;
  readonly expected: Expected | null;
  readonly follow_ups: readonly FollowUp[];
  readonly lease: Lease | null;
  /** The newest fence that was given out. */
  readonly last_fence: number;
  readonly refusal: GateRefusal | null;
  /** The hooks before the gate that waits have let it pass. */
  readonly gate_hooks_passed: boolean;
  /** The run was begun or has gone on here: nothing is taken over from elsewhere any more. */
  readonly has_moved: boolean;
  /** The envelope that last changed the run; 0 = none has. */
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
