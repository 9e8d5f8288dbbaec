/** A result is sent back: the same turn once more, until its tries are used up; then the run waits for a person. */

import type { GovernedConfig } from '../engine/config/config.ts';
import { eventOf } from '../events/draft.ts';
import type { Unknowns } from '../engine/lib/unknown-record.ts';
import type { Changed, Refused } from '../refusal.ts';
import { escalateRun } from '../engine/run/block.ts';
import { refusedMove } from '../engine/run/moves.ts';
import type { RunState, Turn } from '../run/state.ts';
import { notOut, turnOut, withTurn } from '../engine/turns/active.ts';

export interface Rejection {
  readonly turnId: string;
  readonly reason: string;
  readonly now: string;
  readonly stage?: string | null;
  readonly errors?: readonly string[];
  /** How the project stands as the next attempt begins; absent = the one it has. */
  readonly baseline?: Unknowns | null;
}

export type Rejected = Changed & { readonly turn: Turn; readonly escalated: boolean };

const DEFAULT_ATTEMPTS = 2;

export function rejectTurn(state: RunState, config: GovernedConfig, given: Rejection): Rejected | Refused {
  const { turnId, reason, now, stage = null, errors = [], baseline = null } = given;
  const turn = turnOut(state, turnId);
  if (turn === null) return notOut(turnId);
  const refused = refusedMove(state, 'escalation');
  if (refused !== null) return refused;
  const isLast = turn.attempt >= (config.rules?.max_turn_retries ?? DEFAULT_ATTEMPTS);
  const rejected: Turn = {
    ...turn,
    status: isLast ? 'failed' : 'retrying',
    attempt: isLast ? turn.attempt : turn.attempt + 1,
    baseline: baseline ?? turn.baseline,
    // The next attempt begins on what others have done meanwhile.
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
