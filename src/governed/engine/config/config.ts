/** What a project says about its runs (`agentxchain.json`), after synonyms were replaced. */

import type { HooksConfig } from '../hooks/hook.ts';

export const CONFIG_VERSION = '1.0';

export const WRITE_AUTHORITIES = ['authoritative', 'proposed', 'review_only'] as const;
export type WriteAuthority = (typeof WRITE_AUTHORITIES)[number];

export const RUNTIME_TYPES = ['manual', 'local_cli', 'api_proxy', 'mcp', 'remote_agent'] as const;

export interface RoleConfig {
  readonly title?: string;
  readonly mandate?: string;
  /** Absent = authoritative. */
  readonly write_authority?: WriteAuthority;
  /** Absent = manual. */
  readonly runtime?: string;
  /** 0..99; whoever overrides a decision needs at least its authority. */
  readonly decision_authority?: number;
}

export interface RuntimeConfig {
  readonly type: string;
  readonly [setting: string]: unknown;
}

export interface PhaseConfig {
  readonly entry_role?: string;
  /** Absent = any declared role, and a person. */
  readonly allowed_next_roles?: readonly string[];
  readonly exit_gate?: string;
  /** 1..4; absent = 1. */
  readonly max_concurrent_turns?: number;
}

export interface GateConfig {
  readonly requires_files?: readonly string[];
  readonly requires_verification_pass?: boolean;
  readonly requires_human_approval?: boolean;
  /** Approved by a credential that may, never by a policy. */
  readonly credentialed?: boolean;
}

/** A file a phase has to leave behind. */
export interface ArtifactConfig {
  readonly path: string;
  /** Absent = true. */
  readonly required?: boolean;
  /** `section_check`: it needs these titles, with something under each. */
  readonly semantics?: string;
  readonly semantics_config?: { readonly required_sections?: readonly string[] };
  /** This role must have had a turn accepted in the phase. */
  readonly owned_by?: string;
}

export interface RulesConfig {
  /** Absent = true: who only reviews must object. `all`: every role must. */
  readonly challenge_required?: boolean;
  readonly challenge?: 'review_only' | 'all';
  /** Attempts in all; absent = 2. */
  readonly max_turn_retries?: number;
  /** Gates take a claimed pass only with exit codes to show for it. */
  readonly require_reproducible_verification?: boolean;
}

export interface GovernedConfig {
  readonly schema_version: string;
  readonly project?: { readonly id?: string; readonly name?: string };
  readonly roles: Readonly<Record<string, RoleConfig>>;
  readonly runtimes?: Readonly<Record<string, RuntimeConfig>>;
  /** The order of its keys is the order of the phases. */
  readonly routing?: Readonly<Record<string, PhaseConfig>>;
  readonly gates?: Readonly<Record<string, GateConfig>>;
  readonly workflow_kit?: {
    readonly phases?: Readonly<Record<string, { readonly artifacts?: readonly ArtifactConfig[] }>>;
  };
  readonly rules?: RulesConfig;
  readonly timeouts?: { readonly per_turn_minutes?: number };
  readonly hooks?: HooksConfig;
  readonly budget?: { readonly per_run_max_usd?: number };
  readonly adapters?: Readonly<Record<string, { readonly module: string }>>;
}
