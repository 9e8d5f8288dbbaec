/** What a stage finds wrong with a turn result. */

export const STAGES = ['schema', 'assignment', 'artifact', 'verification', 'protocol'] as const;
export type Stage = (typeof STAGES)[number];

/** A stage's own word, where no closer one fits. */
export const ERROR_CLASSES: { readonly [S in Stage]: string } = {
  schema: 'schema_error',
  assignment: 'assignment_error',
  artifact: 'artifact_error',
  verification: 'verification_error',
  protocol: 'protocol_error',
};

export interface Fault {
  /** Absent = the class of the stage. */
  readonly error_type?: string;
  /** Another name under which the same error is known. */
  readonly error_alias?: string;
  readonly error_field?: string;
  readonly error_path?: string;
  readonly detail: string;
}

/** What one stage says. Warnings never refuse anything. */
export interface StageReport {
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
}

export const NOTHING_FOUND: StageReport = { faults: [], warnings: [] };

/** In a field something else was expected. */
export function unlike(error_field: string, expected: string): Fault {
  return { error_field, detail: `${error_field}: expected ${expected}` };
}

export function missing(error_field: string): Fault {
  return { error_type: 'missing_required_field', error_field, detail: `${error_field} is missing` };
}
