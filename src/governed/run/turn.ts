/** A turn that is out. */

import type { Unknowns } from '../engine/lib/unknown-record.ts';
import type { DelegationContext, DelegationReview } from './open-items.ts';

export const TURN_STATUSES = [
  'assigned',
  'dispatched',
  'starting',
  'running',
  'retrying',
  'conflicted',
  'failed',
  'failed_acceptance',
  'failed_start',
  'stalled',
] as const;
export type TurnStatus = (typeof TURN_STATUSES)[number];

export interface Turn {
  readonly turn_id: string;
  readonly run_id: string | null;
  readonly assigned_role: string;
  readonly status: TurnStatus;
  /** Which try this is; the first is 1. */
  readonly attempt: number;
  readonly assigned_at: string | null;
  readonly started_at: string | null;
  readonly deadline_at: string | null;
  readonly runtime_id: string;
  readonly baseline: Unknowns | null;
  readonly assigned_sequence: number;
  readonly concurrent_with: readonly string[];
  /** True as soon as its dispatch is among the events. */
  readonly is_dispatched: boolean;
  readonly delegation_context?: DelegationContext | null;
  readonly delegation_review?: DelegationReview | null;
  /** What others had accepted while this turn was out: who, and which files. */
  readonly overtaken_by?: readonly { readonly turn_id: string; readonly files: readonly string[] }[];
  readonly conflict_state?: Unknowns | null;
  readonly last_rejection?: TurnRejection | null;
}

export interface TurnRejection {
  readonly attempt: number;
  readonly stage: string | null;
  readonly reason: string;
  readonly errors: readonly string[];
  readonly rejected_at: string;
}
