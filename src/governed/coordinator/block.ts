/** A super run that cannot go on by itself, and the explicit word that lets it. */

import { type CoordinatorChange, changed, line } from './approve.ts';
import type { CoordinatorView } from './gates.ts';
import { type CoordinatorRefusal, refused } from './refusal.ts';

export function blockSuperRun(
  view: CoordinatorView,
  { code, detail, now }: { readonly code: string; readonly detail: string; readonly now: string },
): CoordinatorChange | CoordinatorRefusal {
  const { state } = view;
  if (state.status === 'completed' || state.status === 'blocked') {
    return refused('invalid_state_transition', 'not_running', `super run ${state.super_run_id} is ${state.status}`);
  }
  const blocked_reason = { code, detail, blocked_at: now };
  const next = { ...state, status: 'blocked' as const, blocked_reason, updated_at: now };
  return changed(view, next, [line(state, 'super_run_blocked', now, { code, detail })]);
}

/** A gate that was pending is pending again. */
export function resolveSuperRun(
  view: CoordinatorView,
  { by, resolution, now }: { readonly by: string; readonly resolution: string; readonly now: string },
): CoordinatorChange | CoordinatorRefusal {
  const { state } = view;
  if (state.status !== 'blocked') {
    const error = `super run ${state.super_run_id} is ${state.status}, not blocked`;
    return refused('invalid_state_transition', 'not_blocked', error, { status: state.status });
  }
  const status = state.pending_gate === null ? ('active' as const) : ('paused' as const);
  const next = { ...state, status, blocked_reason: null, updated_at: now };
  return changed(view, next, [line(state, 'super_run_resolved', now, { by, resolution })]);
}
