/** Defines gate verdicts: reason codes with parameters, and a sentence per code. Fixtures compare sentences exactly. */

import type { UnknownRecord } from '../lib/unknown-record.ts';

/** Returns null if the file does not exist. Gates read files only through this function. */
export type ReadFiles = (path: string) => string | null;

export interface Reason {
  readonly code: ReasonCode;
  readonly params: UnknownRecord;
}

export type Reasons = readonly [Reason, ...Reason[]];

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
  | { readonly action: 'gate_failed'; readonly gate: string | null; readonly reasons: Reasons }
  | { readonly action: 'advance'; readonly gate: string | null; readonly from: string | null; readonly to: string }
  | {
      readonly action: 'awaiting_human_approval';
      readonly gate: string;
      readonly from: string | null;
      readonly to: string;
      /** True if only a credential with `approve` opens the gate, never a policy. */
      readonly isCredentialed: boolean;
    };

export type CompletionVerdict =
  | { readonly action: 'no_request' }
  | { readonly action: 'not_final_phase'; readonly reasons: Reasons }
  | { readonly action: 'gate_failed'; readonly gate: string | null; readonly reasons: Reasons }
  | { readonly action: 'complete'; readonly gate: string | null }
  | {
      readonly action: 'awaiting_human_approval';
      readonly gate: string;
      readonly phase: string | null;
      readonly isCredentialed: boolean;
    };

export function reason(code: ReasonCode, params: UnknownRecord = {}): Reason {
  return { code, params };
}

const SENTENCES: { readonly [C in ReasonCode]: (params: UnknownRecord) => string } = {
  gate_not_declared: ({ gate }) => `The gate "${gate}" is not declared`,
  phase_not_next: ({ phase, requested, next }) =>
    `Phase "${requested}" does not come right after "${phase}"; the next phase is "${next}"`,
  no_next_phase: ({ phase }) => `"${phase}" is the final phase; request run completion instead`,
  not_final_phase: ({ phase, final }) =>
    `Run completion requested but current phase "${phase}" is not the final phase "${final}"`,
  files_missing: () => 'requires_files predicate failed',
  verification_not_passed: () => 'requires_verification_pass predicate failed',
  signoff_absent: ({ path }) => `PM signoff must declare \`Approved: YES\` in ${path}.`,
  signoff_not_approved: ({ path, value }) =>
    `PM signoff is not approved. Found "Approved: ${value}" in ${path}; set it to "Approved: YES".`,
  sections_missing: ({ path, sections }) =>
    `${path} must define ${listed(sections, ', ')} before ${DOCUMENTS[String(path)]?.phase ?? 'its phase'} can exit.`,
  sections_unwritten: ({ path, sections }) =>
    `${listed(sections, ' and ')} in ${path} still contains only placeholder text. ${DOCUMENTS[String(path)]?.todo ?? 'Replace it with real content.'}`,
  matrix_without_rows: () =>
    'Acceptance matrix has no real requirement verdict rows. Replace the scaffold placeholder with QA-owned requirement results before requesting ship approval.',
  matrix_rows_not_passed: ({ path, rows }) =>
    `Acceptance matrix has requirements that have not passed: ${listed(rows, ', ')}. Every row of ${path} must end with PASS before requesting ship approval.`,
  verdict_absent: ({ path }) => `Ship verdict must declare \`## Verdict: YES\` in ${path}.`,
  verdict_not_affirmative: ({ path, value }) =>
    `Ship verdict is not affirmative. Found "## Verdict: ${value}" in ${path}; use "## Verdict: YES".`,
  owner_without_turn: ({ path, role }) => `${path} is owned by "${role}", who has no accepted turn in this phase`,
};

const DOCUMENTS: Readonly<Record<string, { readonly phase: string; readonly todo: string }>> = {
  '.planning/SYSTEM_SPEC.md': {
    phase: 'planning',
    todo: 'PM must replace placeholder content with a real system spec.',
  },
  '.planning/IMPLEMENTATION_NOTES.md': {
    phase: 'implementation',
    todo: 'Dev must replace placeholder content with real implementation notes.',
  },
  '.planning/RELEASE_NOTES.md': {
    phase: 'qa',
    todo: 'QA must replace placeholder content with real release notes.',
  },
};

export function describeReason({ code, params }: Reason): string {
  return SENTENCES[code](params);
}

function listed(values: unknown, by: string): string {
  return Array.isArray(values) ? values.join(by) : String(values);
}
