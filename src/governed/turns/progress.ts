/** How far a turn that is out has come. Its dispatch is told once, whatever is told of it later. */

import { eventOf } from '../events/draft.ts';
import { type Changed, type Refused, refuse } from '../refusal.ts';
import type { RunState, Turn, TurnStatus } from '../run/state.ts';
import { notOut, turnOut, withTurn } from '../engine/turns/active.ts';

/** From where each step may come. */
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
): (Changed & { readonly turn: Turn }) | Refused {
  const turn = turnOut(state, turnId);
  if (turn === null) return notOut(turnId);
  if (step === 'dispatched' && state.status !== 'active') {
    const detail = `a turn goes out in an active run; this one is ${state.status}`;
    return refuse('invalid_state_transition', 'wrong_status', detail, { status: state.status });
  }
  if (!STEPS[step].includes(turn.status)) {
    return refuse(
      'invalid_state_transition',
      'wrong_turn_status',
      `turn ${turnId} is ${turn.status}, and not ${step} from there`,
    );
  }
  const started_at = step === 'running' ? (turn.started_at ?? now) : turn.started_at;
  const next = { ...turn, status: step, started_at, is_dispatched: turn.is_dispatched || step === 'dispatched' };
  const after = withTurn(state, next);
  const type = { dispatched: 'turn_dispatched', stalled: 'turn_stalled', failed_start: 'turn_start_failed' } as const;
  const event = step === 'starting' || step === 'running' ? [] : [eventOf(type[step], after, now, { turn })];
  return { ok: true, state: after, turn: next, events: event };
}
