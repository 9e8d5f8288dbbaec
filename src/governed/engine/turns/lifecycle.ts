/** Changes active turns: progress, rejection, reissue and rebase. */

import type { GovernedConfig } from '../config/config.ts';
import { eventOf } from '../events/events.ts';
import type { UnknownRecord } from '../lib/unknown-record.ts';
import { escalateRun } from '../run/block.ts';
import { type Changed, changed, checkMove, type Refused, refuse } from '../run/moves.ts';
import type { RunState, Turn, TurnStatus } from '../state/state.ts';
import { findActiveTurn, turnNotActive, withTurn } from './active.ts';
import { type TurnChanged, turnDeadline } from './assign.ts';

/** Statuses from which each step is allowed. */
const STEPS: { readonly [Step in TurnStep]: readonly TurnStatus[] } = {
  dispatched: ['assigned', 'retrying', 'failed', 'failed_start', 'failed_acceptance', 'stalled', 'conflicted'],
  starting: ['dispatched'],
  running: ['dispatched', 'starting'],
  stalled: ['dispatched', 'starting', 'running'],
  failed_start: ['dispatched', 'starting'],
};

export type TurnStep = 'dispatched' | 'starting' | 'running' | 'stalled' | 'failed_start';

export function progressTurn(
  state: RunState,
  { turnId, step, now }: { readonly turnId: string; readonly step: TurnStep; readonly now: string },
): TurnChanged | Refused {
  const turn = findActiveTurn(state, turnId);
  if (turn === null) return turnNotActive(turnId);
  if (step === 'dispatched' && state.status !== 'active') {
    const detail = `a turn requires an active run; this one is ${state.status}`;
    return refuse('invalid_state_transition', 'wrong_status', detail, { status: state.status });
  }
  if (!STEPS[step].includes(turn.status)) {
    const detail = `turn ${turnId} is ${turn.status}, which cannot become ${step}`;
    return refuse('invalid_state_transition', 'wrong_turn_status', detail);
  }
  const started_at = step === 'running' ? (turn.started_at ?? now) : turn.started_at;
  const next = { ...turn, status: step, started_at, is_dispatched: turn.is_dispatched || step === 'dispatched' };
  const after = withTurn(state, next);
  const type = { dispatched: 'turn_dispatched', stalled: 'turn_stalled', failed_start: 'turn_start_failed' } as const;
  const event = step === 'starting' || step === 'running' ? [] : [eventOf(type[step], after, now, { turn })];
  return { ok: true, state: after, turn: next, events: event };
}

export interface Rejection {
  readonly turnId: string;
  readonly reason: string;
  readonly now: string;
  readonly stage?: string | null;
  readonly errors?: readonly string[];
  /** Default: the baseline of the turn. */
  readonly baseline?: UnknownRecord | null;
}

export type Rejected = TurnChanged & { readonly escalated: boolean };

const DEFAULT_ATTEMPTS = 2;

export function rejectTurn(state: RunState, config: GovernedConfig, given: Rejection): Rejected | Refused {
  const { turnId, reason, now, stage = null, errors = [], baseline = null } = given;
  const turn = findActiveTurn(state, turnId);
  if (turn === null) return turnNotActive(turnId);
  const refused = checkMove(state, 'escalation');
  if (refused !== null) return refused;
  const isLast = turn.attempt >= (config.rules?.max_turn_retries ?? DEFAULT_ATTEMPTS);
  const rejected: Turn = {
    ...turn,
    status: isLast ? 'failed' : 'retrying',
    attempt: isLast ? turn.attempt : turn.attempt + 1,
    baseline: baseline ?? turn.baseline,
    // The next attempt starts from files that include the other turns' work.
    ...(turn.overtaken_by === undefined ? {} : { overtaken_by: [] }),
    last_rejection: { attempt: turn.attempt, stage, reason, errors, rejected_at: now },
  };
  const after = withTurn(state, rejected);
  const payload = { attempt: turn.attempt, stage, reason, errors };
  const events = [eventOf('turn_rejected', after, now, { turn, payload })];
  if (!isLast) return { ok: true, state: after, turn: rejected, events, escalated: false };
  const blocked = escalateRun(after, {
    reason: 'retries_exhausted',
    role: turn.assigned_role,
    turnId,
    detail: reason,
    source: 'retries_exhausted',
    now,
  });
  if (!blocked.ok) return blocked;
  return { ok: true, state: blocked.state, turn: rejected, events: [...events, ...blocked.events], escalated: true };
}

export interface Reissue {
  readonly turnId: string;
  readonly reason: string;
  readonly now: string;
  /** Default: the baseline of the turn. */
  readonly baseline?: UnknownRecord | null;
}

export function reissueTurn(
  state: RunState,
  config: GovernedConfig,
  { turnId, reason, now, baseline = null }: Reissue,
): TurnChanged | Refused {
  const turn = findActiveTurn(state, turnId);
  if (turn === null) return turnNotActive(turnId);
  if (state.status !== 'active') {
    const detail = `a turn is reissued only in an active run; this one is ${state.status}`;
    return refuse('invalid_state_transition', 'wrong_status', detail);
  }
  const next: Turn = {
    ...turn,
    status: 'assigned',
    attempt: turn.attempt + 1,
    started_at: null,
    deadline_at: turnDeadline(config, now),
    baseline: baseline ?? turn.baseline,
    overtaken_by: [],
  };
  const after = withTurn(state, next);
  const payload = { attempt: next.attempt, reason };
  return { ok: true, state: after, turn: next, events: [eventOf('turn_reissued', after, now, { turn, payload })] };
}

/** Replaces the baseline from which the turn's changes are counted. */
export function rebaseTurn(
  state: RunState,
  { turnId, baseline }: { readonly turnId: string; readonly baseline: UnknownRecord },
): Changed | Refused {
  const turn = findActiveTurn(state, turnId);
  if (turn === null) return turnNotActive(turnId);
  return changed(withTurn(state, { ...turn, baseline }));
}
