/** Defines the events of a run, and checks whether a list of events is plausible. */

import { msFromIso } from '../../../core/lib/time.ts';
import { isNonEmptyText, isOneOf, isRecord, type UnknownRecord } from '../lib/unknown-record.ts';
import type { RunState, RunStatus } from '../state/state.ts';

export const EVENT_TYPES = [
  'run_started',
  'phase_entered',
  'intents_migrated',
  'intents_superseded',
  'intent_retired_by_phase_advance',
  'turn_dispatched',
  'turn_accepted',
  'turn_rejected',
  'turn_conflicted',
  'conflict_resolved',
  'acceptance_failed',
  'turn_reissued',
  'turn_stalled',
  'turn_start_failed',
  'runtime_spawn_failed',
  'stdout_attach_failed',
  'turn_checkpointed',
  'coordinator_retry',
  'coordinator_retry_projection_warning',
  'run_blocked',
  'run_completed',
  'escalation_raised',
  'escalation_resolved',
  'gate_pending',
  'gate_approved',
  'gate_failed',
  'phase_cleanup',
  'budget_exceeded_warn',
  'human_escalation_raised',
  'human_escalation_resolved',
  'dispatch_progress',
  'session_continuation',
  'auto_retried_ghost',
  'ghost_retry_exhausted',
  'auto_retried_productive_timeout',
  'productive_timeout_retry_exhausted',
  'retained_claude_auth_escalation_reclassified',
  'state_reconciled_operator_commits',
  'operator_commit_reconcile_refused',
  'charter_materialization_required',
  'artifact_type_auto_normalized',
  'staged_result_auto_normalized',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Event types that must name a turn. */
const TURN_EVENT_TYPES: readonly EventType[] = ['turn_dispatched', 'turn_accepted', 'turn_rejected'];

export interface EventDraft {
  readonly event_type: EventType;
  readonly timestamp: string;
  readonly run_id: string | null;
  readonly phase: string | null;
  readonly status: RunStatus;
  readonly turn: { readonly turn_id: string; readonly role_id: string } | null;
  readonly intent_id: string | null;
  readonly payload: UnknownRecord;
}

export interface RunEvent extends EventDraft {
  readonly event_id: string;
}

export interface About {
  readonly turn?: { readonly turn_id: string; readonly assigned_role: string } | null;
  readonly payload?: UnknownRecord;
}

/** `state` is the state after the event. */
export function eventOf(event_type: EventType, state: RunState, timestamp: string, about: About = {}): EventDraft {
  const { run_id, phase, status } = state;
  const turn = about.turn ? { turn_id: about.turn.turn_id, role_id: about.turn.assigned_role } : null;
  return { event_type, timestamp, run_id, phase, status, turn, intent_id: null, payload: about.payload ?? {} };
}

export function assignEventIds(drafts: readonly EventDraft[], nextId: () => string): readonly RunEvent[] {
  return drafts.map((draft) => ({ event_id: nextId(), ...draft }));
}

export interface EventFault {
  readonly code: string;
  readonly message: string;
}

export function eventFaults(event: unknown): readonly EventFault[] {
  if (!isRecord(event)) return [fault('not_an_event', 'an event is an object')];
  const { event_id, event_type, timestamp, turn } = event;
  const faults: EventFault[] = [];
  if (!isNonEmptyText(event_id)) faults.push(fault('missing_event_id', 'event_id: expected a non-empty text'));
  if (!isOneOf(EVENT_TYPES, event_type)) {
    const message = `event_type: ${JSON.stringify(event_type) ?? 'nothing'} is no type of event`;
    faults.push(fault('unknown_event_type', message));
  }
  if (Number.isNaN(timeOf(timestamp))) faults.push(fault('bad_timestamp', 'timestamp: expected a time'));
  if (isOneOf(TURN_EVENT_TYPES, event_type) && turnOf(turn) === null) {
    faults.push(fault('missing_turn_id', `turn.turn_id: ${event_type} says which turn it is about`));
  }
  return faults;
}

/** Finds faults in the order of a run's events, given oldest first. */
export function orderFaults(events: readonly unknown[]): readonly EventFault[] {
  const ordered = events.map((event) => (isRecord(event) ? event : {}));
  const faults: EventFault[] = [];
  const dispatched = new Set<string>();
  let latest = Number.NEGATIVE_INFINITY;
  for (const [at, { event_type, timestamp, turn }] of ordered.entries()) {
    if (at === 0 && event_type !== 'run_started') {
      faults.push(fault('run_started_not_first', 'the first event of a run is run_started'));
    }
    if (event_type === 'run_completed' && at !== ordered.length - 1) {
      faults.push(fault('run_completed_not_last', `event ${at + 1}: nothing comes after run_completed`));
    }
    const id = turnOf(turn);
    if (event_type === 'turn_dispatched' && id !== null) dispatched.add(id);
    if (event_type === 'turn_accepted' && (id === null || !dispatched.has(id))) {
      faults.push(fault('accepted_before_dispatch', `event ${at + 1}: turn ${id ?? '?'} was not dispatched before`));
    }
    const ms = timeOf(timestamp);
    if (!(ms >= latest))
      faults.push(fault('timestamp_regression', `event ${at + 1}: its time is before the last one's`));
    else latest = ms;
  }
  return faults;
}

function turnOf(turn: unknown): string | null {
  return isRecord(turn) && isNonEmptyText(turn.turn_id) ? turn.turn_id : null;
}

function timeOf(timestamp: unknown): number {
  return isNonEmptyText(timestamp) ? msFromIso(timestamp) : Number.NaN;
}

function fault(code: string, message: string): EventFault {
  return { code, message };
}
