/** Blocks an active run; only an explicit resolution makes it active again. Active turns stay active. */

import { eventOf } from '../events/events.ts';
import type { Escalation, RunState } from '../state/state.ts';
import { applyMove, type Changed, changed, checkMove, type Refused, refuse } from './moves.ts';

export interface Blocker {
  readonly blockedOn: string;
  readonly category: string;
  readonly now: string;
  readonly turnId?: string | null;
  readonly owner?: string;
  readonly recoveryAction?: string;
  readonly detail?: string;
  readonly escalation?: Escalation | null;
}

export function blockRun(state: RunState, blocker: Blocker): Changed | Refused {
  const refused = checkMove(state, 'escalation');
  if (refused !== null) return refused;
  const { blockedOn, category, now, turnId = null, escalation = null } = blocker;
  const next: RunState = {
    ...applyMove(state, 'escalation'),
    blocked_on: blockedOn,
    blocked_reason: {
      category,
      recovery: {
        typed_reason: category,
        owner: blocker.owner ?? 'human',
        recovery_action: blocker.recoveryAction ?? 'resolve the blocker, then resume',
        turn_retained: turnId !== null && Object.hasOwn(state.active_turns, turnId),
        detail: blocker.detail ?? blockedOn,
      },
      blocked_at: now,
      turn_id: turnId,
    },
    escalation: escalation ?? { source: 'turn', reason: category, detail: blocker.detail ?? null, raised_at: now },
  };
  const payload = { blocked_on: blockedOn, category, turn_id: turnId };
  return changed(
    next,
    eventOf('run_blocked', next, now, { payload }),
    eventOf('escalation_raised', next, now, { payload }),
  );
}

export interface EscalationInput {
  readonly reason: string;
  readonly now: string;
  readonly role?: string | null;
  readonly turnId?: string | null;
  readonly detail?: string | null;
  readonly source?: Escalation['source'];
}

/** Blocks the run on a name such as `escalation:retries-exhausted:dev`. */
export function escalateRun(state: RunState, given: EscalationInput): Changed | Refused {
  const { reason, now, role = null, turnId = null, detail = null, source = 'transition' } = given;
  const words = ['escalation', reason.replaceAll('_', '-'), ...(role === null ? [] : [role])];
  return blockRun(state, {
    blockedOn: words.join(':'),
    category: reason,
    now,
    turnId,
    ...(detail === null ? {} : { detail }),
    escalation: { source, reason, detail, raised_at: now },
  });
}

/** Blocks the run on `escalation:operator:<slug of the reason>`. */
export function escalateByOperator(state: RunState, given: EscalationInput): Changed | Refused {
  const slug = given.reason
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return blockRun(state, {
    blockedOn: `escalation:operator:${slug === '' ? 'unnamed' : slug}`,
    category: 'operator_escalation',
    now: given.now,
    turnId: given.turnId ?? null,
    detail: given.detail ?? given.reason,
    escalation: { source: 'operator', reason: given.reason, detail: given.detail ?? null, raised_at: given.now },
  });
}

export interface Resolution {
  readonly action: string;
  readonly now: string;
  readonly note?: string | null;
}

export function resolveBlocked(state: RunState, { action, now, note = null }: Resolution): Changed | Refused {
  if (state.status !== 'blocked') {
    const detail = `only a blocked run can be resolved; this one is ${state.status}`;
    return refuse('invalid_state_transition', 'not_blocked', detail);
  }
  if (action !== 'resume') {
    const detail = `a blocker is resolved by "resume", not by "${action}"`;
    return refuse('invalid_state_transition', 'unknown_action', detail);
  }
  const next: RunState = {
    ...applyMove(state, 'resolve_blocked'),
    blocked_on: null,
    blocked_reason: null,
    escalation: null,
  };
  const payload = { was_blocked_on: state.blocked_on, action, note };
  return changed(next, eventOf('escalation_resolved', next, now, { payload }));
}
