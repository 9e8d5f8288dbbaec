/** What a gate says: codes and parameters. The sentences are in `sentences.ts`. */

import type { Unknowns } from '../engine/lib/unknown-record.ts';

/** A file of the project, or null. The only way a gate sees one. */
export type ReadFiles = (path: string) => string | null;

export interface Reason {
  readonly code: ReasonCode;
  readonly params: Unknowns;
}

export type ReasonCode =
  | 'gate_not_declared'
  | 'phase_not_next'
  | 'no_next_phase'
  | 'not_final_phase'
  | 'files_missing'
  | 'verification_not_passed'
  | 'signoff_absent'
  | 'signoff_not_approved'
  | 'sections_missing'
  | 'sections_unwritten'
  | 'matrix_without_rows'
  | 'matrix_rows_not_passed'
  | 'verdict_absent'
  | 'verdict_not_affirmative'
  | 'owner_without_turn';

export type PhaseVerdict =
  | { readonly action: 'no_request' }
  | { readonly action: 'gate_error'; readonly code: 'unknown_phase'; readonly requested: string }
  | { readonly action: 'gate_failed'; readonly gate: string | null; readonly reasons: readonly [Reason, ...Reason[]] }
  | { readonly action: 'advance'; readonly gate: string | null; readonly from: string | null; readonly to: string }
  | {
      readonly action: 'awaiting_human_approval';
      readonly gate: string;
      readonly from: string | null;
      readonly to: string;
      /** Only a credential that may approve opens it; no policy does. */
      readonly isCredentialed: boolean;
    };

export type CompletionVerdict =
  | { readonly action: 'no_request' }
  | { readonly action: 'not_final_phase'; readonly reasons: readonly [Reason, ...Reason[]] }
  | { readonly action: 'gate_failed'; readonly gate: string | null; readonly reasons: readonly [Reason, ...Reason[]] }
  | { readonly action: 'complete'; readonly gate: string | null }
  | {
      readonly action: 'awaiting_human_approval';
      readonly gate: string;
      readonly phase: string | null;
      readonly isCredentialed: boolean;
    };

export function reason(code: ReasonCode, params: Unknowns = {}): Reason {
  return { code, params };
}
