/** What is wrong with a coordinator's config: a code for programs, a place and a sentence for people. */

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
  /** `code: sentence`, as the corpus writes errors. */
  readonly message: string;
}

export function fault(code: CoordinatorFaultCode, field: string, sentence: string): CoordinatorFault {
  return { code, field, message: `${code}: ${field}: ${sentence}` };
}
