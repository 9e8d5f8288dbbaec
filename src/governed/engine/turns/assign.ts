/** Assigns a turn, which lets one role act once. */

import { isoFromMs, msFromIso } from '../../../core/lib/time.ts';
import {
  authorityOf,
  BUILT_IN_RUNTIME,
  type GovernedConfig,
  getMaxConcurrentTurns,
  roleConfig,
  runtimeOf,
} from '../config/config.ts';
import { getOwn, type UnknownRecord } from '../lib/unknown-record.ts';
import { type Changed, type Refused, refuse } from '../run/moves.ts';
import type { RunState, Turn } from '../state/state.ts';
import { getActiveTurnCount, withTurn } from './active.ts';
import { contextFor, startDelegation } from './delegation-queue.ts';

export interface Assignment {
  readonly roleId: string;
  readonly turnId: string;
  readonly now: string;
  /** State of the work tree; null if unknown. */
  readonly git?: { readonly isClean: boolean } | null;
  readonly baseline?: UnknownRecord | null;
  /** Ids of accepted turns, which cannot be assigned again. */
  readonly acceptedTurns?: ReadonlySet<string>;
}

const DEFAULT_TURN_MINUTES = 120;

export function turnDeadline({ timeouts }: GovernedConfig, now: string): string {
  return isoFromMs(msFromIso(now) + (timeouts?.per_turn_minutes ?? DEFAULT_TURN_MINUTES) * 60_000);
}

export type TurnChanged = Changed & { readonly turn: Turn };

export function assignTurn(state: RunState, config: GovernedConfig, given: Assignment): TurnChanged | Refused {
  const refused = refusedAssignment(state, config, given);
  if (refused !== null) return refused;
  const { roleId, turnId, now } = given;
  const sequence = state.turn_sequence + 1;
  const review = state.pending_delegation_review?.parent_role === roleId ? state.pending_delegation_review : null;
  const delegated = review === null ? startDelegation(state.delegation_queue, roleId, turnId) : null;
  const turn: Turn = {
    turn_id: turnId,
    run_id: state.run_id,
    assigned_role: roleId,
    status: 'assigned',
    attempt: 1,
    assigned_at: now,
    started_at: null,
    deadline_at: turnDeadline(config, now),
    runtime_id: runtimeOf(config, roleId),
    baseline: given.baseline ?? null,
    assigned_sequence: sequence,
    concurrent_with: Object.keys(state.active_turns),
    is_dispatched: false,
    delegation_context: delegated === null ? null : contextFor(delegated.started),
    delegation_review: review,
  };
  const next = {
    ...withTurn(state, turn),
    turn_sequence: sequence,
    delegation_queue: delegated?.queue ?? state.delegation_queue,
  };
  return { ok: true, state: next, turn, events: [] };
}

function refusedAssignment(state: RunState, config: GovernedConfig, given: Assignment): Refused | null {
  const { roleId, turnId, git = null } = given;
  if (state.status !== 'active')
    return no('wrong_status', `a turn requires an active run; this one is ${state.status}`);
  if (state.pending_phase_transition !== null || state.pending_run_completion !== null) {
    return no('gate_pending', 'a gate waits for approval');
  }
  if (roleConfig(config, roleId) === null) return no('unknown_role', `the role "${roleId}" is not declared`);
  const runtime = runtimeOf(config, roleId);
  if (runtime !== BUILT_IN_RUNTIME && getOwn(config.runtimes, runtime) === undefined) {
    return no('role_without_runtime', `the runtime "${runtime}" of ${roleId} is not declared`);
  }
  if (getOwn(state.active_turns, turnId) !== undefined || given.acceptedTurns?.has(turnId) === true) {
    return no('turn_id_taken', `there is a turn ${turnId} already`);
  }
  const busy = Object.values(state.active_turns).find(({ assigned_role }) => assigned_role === roleId);
  if (busy !== undefined) return no('role_busy', `${roleId} already has the active turn ${busy.turn_id}`);
  const limit = getMaxConcurrentTurns(config, state.phase);
  if (getActiveTurnCount(state) >= limit)
    return no('too_many_turns', `phase ${state.phase} allows ${limit} active turns`);
  const left = state.budget_status?.remaining_usd ?? null;
  if (left !== null && left <= 0) return no('budget_spent', 'the budget of this run is spent');
  if (git !== null && !git.isClean && authorityOf(config, roleId) !== 'review_only') {
    return no('tree_not_clean', `${roleId} writes files, and the work tree has uncommitted changes`);
  }
  return null;
}

function no(code: string, detail: string): Refused {
  return refuse('invalid_state_transition', code, detail);
}
