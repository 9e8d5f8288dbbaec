/** A turn that is out goes out anew: another attempt, from how the project stands now. What was handed in for it counts no more. */

import { isoFromMs, msFromIso } from '../../core/time.ts';
import type { GovernedConfig } from '../engine/config/config.ts';
import { eventOf } from '../events/draft.ts';
import type { Unknowns } from '../engine/lib/unknown-record.ts';
import { type Changed, type Refused, refuse } from '../refusal.ts';
import type { RunState, Turn } from '../run/state.ts';
import { notOut, turnOut, withTurn } from '../engine/turns/active.ts';
import { DEFAULT_TURN_MINUTES } from '../engine/turns/assign.ts';

export interface Reissue {
  readonly turnId: string;
  readonly reason: string;
  readonly now: string;
  /** null = the one it has. */
  readonly baseline?: Unknowns | null;
}

export function reissueTurn(
  state: RunState,
  config: GovernedConfig,
  { turnId, reason, now, baseline = null }: Reissue,
): (Changed & { readonly turn: Turn }) | Refused {
  const turn = turnOut(state, turnId);
  if (turn === null) return notOut(turnId);
  if (state.status !== 'active') {
    const detail = `a turn goes out anew in an active run; this one is ${state.status}`;
    return refuse('invalid_state_transition', 'wrong_status', detail);
  }
  const minutes = config.timeouts?.per_turn_minutes ?? DEFAULT_TURN_MINUTES;
  const next: Turn = {
    ...turn,
    status: 'assigned',
    attempt: turn.attempt + 1,
    started_at: null,
    deadline_at: isoFromMs(msFromIso(now) + minutes * 60_000),
    baseline: baseline ?? turn.baseline,
    overtaken_by: [],
  };
  const after = withTurn(state, next);
  const payload = { attempt: next.attempt, reason };
  return { ok: true, state: after, turn: next, events: [eventOf('turn_reissued', after, now, { turn, payload })] };
}

/** What has changed is counted from another moment. */
export function rebaseTurn(
  state: RunState,
  { turnId, baseline }: { readonly turnId: string; readonly baseline: Unknowns },
): Changed | Refused {
  const turn = turnOut(state, turnId);
  if (turn === null) return notOut(turnId);
  return { ok: true, state: withTurn(state, { ...turn, baseline }), events: [] };
}
