/** The lines of a coordinator's books. History is what everything else is computed from; nothing in it is ever rewritten. */

import type { BarrierStatus } from '../../coordinator/state.ts';

export interface ProjectionEntry {
  readonly type: 'acceptance_projection';
  readonly timestamp: string;
  readonly super_run_id: string;
  readonly projection_ref: string;
  readonly workstream_id: string;
  readonly repo_id: string;
  readonly repo_run_id: string | null;
  readonly repo_turn_id: string;
  readonly summary: string;
  readonly files_changed: readonly string[];
  readonly decisions: readonly unknown[];
  readonly verification: unknown;
}

export interface DispatchEntry {
  readonly type: 'turn_dispatched';
  readonly timestamp: string;
  readonly super_run_id: string;
  readonly workstream_id: string;
  readonly repo_id: string;
  readonly repo_turn_id: string;
  readonly context_ref: string;
}

export interface SuperRunEntry {
  readonly type:
    | 'super_run_started'
    | 'repo_runs_resynced'
    | 'projection_refused'
    | 'gate_requested'
    | 'gate_approved'
    | 'gate_withdrawn'
    | 'super_run_blocked'
    | 'super_run_resolved'
    | 'super_run_completed';
  readonly timestamp: string;
  readonly super_run_id: string;
  readonly [member: string]: unknown;
}

export type HistoryLine = ProjectionEntry | DispatchEntry | SuperRunEntry;

export interface BarrierLedgerEntry {
  readonly type: 'barrier_transition';
  readonly timestamp: string;
  readonly super_run_id: string;
  readonly barrier_id: string;
  readonly workstream_id: string;
  readonly previous_status: BarrierStatus;
  readonly new_status: BarrierStatus;
  /** What made it change: a projection, or the approval of a gate. */
  readonly causation: Readonly<Record<string, unknown>>;
}

export interface CoordinatorDecision {
  /** DEC-COORD- and a number. */
  readonly id: string;
  readonly timestamp: string;
  readonly super_run_id: string;
  readonly category: 'gate';
  readonly statement: string;
  readonly gate: string;
  readonly decided_by: string;
}

/** Of this super run; lines of an earlier one in the same file do not count. A line that names none is of this one. */
export function projectionsOf(history: readonly unknown[], superRunId: string): readonly ProjectionEntry[] {
  const lines = linesOf(history, superRunId, 'acceptance_projection') as readonly ProjectionEntry[];
  // A line that somebody else wrote may leave them out.
  return lines.map((line) => ({ ...line, decisions: Array.isArray(line.decisions) ? line.decisions : [] }));
}

export function dispatchesOf(history: readonly unknown[], superRunId: string): readonly DispatchEntry[] {
  return linesOf(history, superRunId, 'turn_dispatched') as readonly DispatchEntry[];
}

/** Turns that may not be projected, and of which a person was told. */
export function refusalsOf(
  history: readonly unknown[],
  superRunId: string,
): readonly { readonly repo_id: string; readonly repo_turn_id: string }[] {
  return linesOf(history, superRunId, 'projection_refused') as readonly ProjectionEntry[];
}

function linesOf(history: readonly unknown[], superRunId: string, type: string): readonly unknown[] {
  return history.filter((line) => {
    if (typeof line !== 'object' || line === null) return false;
    const { type: its, super_run_id = superRunId } = line as { type?: unknown; super_run_id?: unknown };
    return its === type && super_run_id === superRunId;
  });
}
