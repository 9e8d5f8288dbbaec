/** An event of a run before it has an id: what happened, when, and how the run stood then. */

import type { Unknowns } from '../engine/lib/unknown-record.ts';
import type { RunState, RunStatus } from '../run/state.ts';
import type { EventType } from './types.ts';

export interface EventDraft {
  readonly event_type: EventType;
  readonly timestamp: string;
  readonly run_id: string | null;
  readonly phase: string | null;
  readonly status: RunStatus;
  readonly turn: { readonly turn_id: string; readonly role_id: string } | null;
  readonly intent_id: string | null;
  readonly payload: Unknowns;
}

export interface RunEvent extends EventDraft {
  readonly event_id: string;
}

export interface About {
  readonly turn?: { readonly turn_id: string; readonly assigned_role: string } | null;
  readonly payload?: Unknowns;
}

/** `state` is the one the event leads to. */
export function eventOf(event_type: EventType, state: RunState, timestamp: string, about: About = {}): EventDraft {
  const { run_id, phase, status } = state;
  const turn = about.turn ? { turn_id: about.turn.turn_id, role_id: about.turn.assigned_role } : null;
  return { event_type, timestamp, run_id, phase, status, turn, intent_id: null, payload: about.payload ?? {} };
}

/** Ids come from outside, one for each event. */
export function withIds(drafts: readonly EventDraft[], nextId: () => string): readonly RunEvent[] {
  return drafts.map((draft) => ({ event_id: nextId(), ...draft }));
}
