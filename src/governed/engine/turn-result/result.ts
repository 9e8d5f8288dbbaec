/** Defines the result that an agent submits for its turn. */

import type { UnknownRecord } from '../lib/unknown-record.ts';

export const RESULT_VERSION = '1.0';

export const REQUIRED_FIELDS = [
  'schema_version',
  'run_id',
  'turn_id',
  'role',
  'runtime_id',
  'status',
  'summary',
  'decisions',
  'objections',
  'files_changed',
  'verification',
  'artifact',
  'proposed_next_role',
] as const;

export const RESULT_STATUSES = ['completed', 'blocked', 'needs_human', 'failed'] as const;
export const DECISION_CATEGORIES = [
  'implementation',
  'architecture',
  'scope',
  'process',
  'quality',
  'release',
] as const;
export const SEVERITIES = ['low', 'medium', 'high', 'blocking'] as const;
export const OBJECTION_STATUSES = [
  'raised',
  'acknowledged',
  'resolved',
  'escalated',
  'resolved_by_human',
  'resolved_by_director',
] as const;
export const VERIFICATION_STATUSES = ['pass', 'fail', 'skipped'] as const;
export const ARTIFACT_TYPES = ['workspace', 'patch', 'commit', 'review'] as const;

export interface Decision {
  readonly id: string;
  readonly category: (typeof DECISION_CATEGORIES)[number];
  readonly statement: string;
  readonly rationale: string;
  readonly durability?: 'run' | 'repo';
  readonly overrides?: string | null;
}

export interface Objection {
  readonly id: string;
  readonly severity: (typeof SEVERITIES)[number];
  readonly statement: string;
  readonly status?: (typeof OBJECTION_STATUSES)[number];
  readonly against_turn_id?: unknown;
}

export interface MachineEvidence {
  readonly command: string;
  readonly exit_code: number;
  readonly expected_exit_code?: number | null;
}

export interface ProducedFile {
  readonly path: string;
  /** Default: artifact. */
  readonly disposition?: 'artifact' | 'ignore';
}

export interface Verification {
  readonly status: (typeof VERIFICATION_STATUSES)[number];
  readonly commands?: readonly string[];
  readonly evidence_summary?: string | null;
  readonly machine_evidence?: readonly MachineEvidence[];
  readonly produced_files?: readonly ProducedFile[];
}

export interface DelegationAsked {
  readonly id: string;
  readonly to_role: string;
  readonly charter: string;
  readonly acceptance_contract: readonly string[];
  readonly required_decision_ids?: readonly string[];
}

export interface ProposedChange {
  readonly path: string;
  readonly action: 'create' | 'modify' | 'delete';
  readonly content?: string;
}

export interface TurnResult {
  readonly schema_version: string;
  readonly run_id: string;
  readonly turn_id: string;
  readonly role: string;
  readonly runtime_id: string;
  readonly status: (typeof RESULT_STATUSES)[number];
  readonly summary: string;
  readonly decisions: readonly Decision[];
  readonly objections: readonly Objection[];
  readonly files_changed: readonly string[];
  /** Action per file, if the result names actions. */
  readonly file_actions?: Readonly<Record<string, string>>;
  readonly artifacts_created?: readonly string[];
  readonly verification: Verification;
  readonly artifact: { readonly type: (typeof ARTIFACT_TYPES)[number]; readonly ref?: unknown };
  readonly proposed_next_role: string;
  readonly phase_transition_request?: string | null;
  readonly run_completion_request?: boolean | null;
  readonly needs_human_reason?: string | null;
  readonly cost?: { readonly input_tokens?: number; readonly output_tokens?: number; readonly usd?: number } | null;
  readonly delegations?: readonly DelegationAsked[];
  readonly proposed_changes?: readonly ProposedChange[];
  readonly adapter_meta?: UnknownRecord;
}
