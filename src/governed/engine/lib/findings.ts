/** Defines findings of checks: faults of configs and turn results, and values normalised before judging. */

type ConfigErrorType =
  | 'schema_version_invalid'
  | 'undeclared_runtime_reference'
  | 'undeclared_role_reference'
  | 'undeclared_gate_reference'
  | 'invalid_config';

export interface ConfigFault {
  readonly error_type: ConfigErrorType;
  readonly error_field: string;
  readonly message: string;
  readonly referenced_runtime?: string;
  readonly referenced_role?: string;
  readonly referenced_gate?: string;
  readonly expected_version?: string;
  readonly actual_version?: unknown;
}

export function invalid(error_field: string, expected: string): ConfigFault {
  return { error_type: 'invalid_config', error_field, message: `${error_field}: expected ${expected}` };
}

export interface Normalisation {
  readonly rule: string;
  /** Path of the member, such as `verification.status`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export const STAGES = ['schema', 'assignment', 'artifact', 'verification', 'protocol'] as const;
export type Stage = (typeof STAGES)[number];

export interface Fault {
  /** Default: `<stage>_error`. */
  readonly error_type?: string;
  readonly error_alias?: string;
  readonly error_field?: string;
  readonly error_path?: string;
  readonly detail: string;
}

export interface StageReport {
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
}

export const NOTHING_FOUND: StageReport = { faults: [], warnings: [] };

export function invalidField(error_field: string, expected: string): Fault {
  return { error_field, detail: `${error_field}: expected ${expected}` };
}

export function missingField(error_field: string): Fault {
  return { error_type: 'missing_required_field', error_field, detail: `${error_field} is missing` };
}

export type CoordinatorFaultCode =
  | 'config_invalid'
  | 'schema_version_invalid'
  | 'project_invalid'
  | 'repos_invalid'
  | 'repo_id_invalid'
  | 'repo_invalid'
  | 'repo_path_invalid'
  | 'repo_path_duplicate'
  | 'workstreams_invalid'
  | 'workstream_id_invalid'
  | 'workstream_invalid'
  | 'workstream_phase_unknown'
  | 'workstream_repos_invalid'
  | 'workstream_repo_duplicate'
  | 'workstream_repo_unknown'
  | 'workstream_entry_repo_invalid'
  | 'workstream_depends_on_invalid'
  | 'workstream_dependency_unknown'
  | 'workstream_cycle'
  | 'workstream_barrier_invalid'
  | 'barrier_decisions_missing'
  | 'barrier_decision_repos_mismatch'
  | 'barrier_decision_ids_invalid'
  | 'routing_invalid'
  | 'routing_workstream_unknown'
  | 'routing_workstream_phase_mismatch'
  | 'gates_invalid'
  | 'gate_invalid'
  | 'gate_repo_unknown'
  | 'hooks_invalid';

export interface CoordinatorFault {
  readonly code: CoordinatorFaultCode;
  readonly field: string;
  /** Formatted as `code: field: sentence`. */
  readonly message: string;
}

export function coordinatorFault(code: CoordinatorFaultCode, field: string, sentence: string): CoordinatorFault {
  return { code, field, message: `${code}: ${field}: ${sentence}` };
}
