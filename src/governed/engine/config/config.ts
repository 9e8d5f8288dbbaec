/** Defines the project config (`agentxchain.json`) and reads phases and roles from it, with defaults. */

import type { HooksConfig } from '../hooks/hook.ts';
import { HUMAN } from '../lib/patterns.ts';
import { getOwn } from '../lib/unknown-record.ts';

export const CONFIG_VERSION = '1.0';

export const WRITE_AUTHORITIES = ['authoritative', 'proposed', 'review_only'] as const;
export type WriteAuthority = (typeof WRITE_AUTHORITIES)[number];

export const RUNTIME_TYPES = ['manual', 'local_cli', 'api_proxy', 'mcp', 'remote_agent'] as const;

/** Runtime that roles can use without declaring it. */
export const BUILT_IN_RUNTIME = 'manual';

export interface RoleConfig {
  readonly title?: string;
  readonly mandate?: string;
  /** Default: authoritative. */
  readonly write_authority?: WriteAuthority;
  /** Default: manual. */
  readonly runtime?: string;
  /** 0..99. To override a decision, a role needs at least the decision's authority. */
  readonly decision_authority?: number;
}

export interface RuntimeConfig {
  readonly type: string;
  readonly [setting: string]: unknown;
}

export interface PhaseConfig {
  readonly entry_role?: string;
  /** Default: any declared role, or a person. */
  readonly allowed_next_roles?: readonly string[];
  readonly exit_gate?: string;
  /** 1..4 (default: 1). */
  readonly max_concurrent_turns?: number;
}

export interface GateConfig {
  readonly requires_files?: readonly string[];
  readonly requires_verification_pass?: boolean;
  readonly requires_human_approval?: boolean;
  /** If true, only a credential with `approve` opens the gate, never a policy. */
  readonly credentialed?: boolean;
}

/** A file that a phase must produce. */
export interface ArtifactConfig {
  readonly path: string;
  /** Default: true. */
  readonly required?: boolean;
  /** `section_check`: every required title must have content. */
  readonly semantics?: string;
  readonly semantics_config?: { readonly required_sections?: readonly string[] };
  /** Role that must have an accepted turn in the phase. */
  readonly owned_by?: string;
}

export interface RulesConfig {
  /** If true (default), reviewers must object; with `challenge: 'all'`, every role must. */
  readonly challenge_required?: boolean;
  readonly challenge?: 'review_only' | 'all';
  /** Total attempts (default: 2). */
  readonly max_turn_retries?: number;
  /** If true, gates accept a claimed pass only with exit codes as evidence. */
  readonly require_reproducible_verification?: boolean;
}

export interface GovernedConfig {
  readonly schema_version: string;
  readonly project?: { readonly id?: string; readonly name?: string };
  readonly roles: Readonly<Record<string, RoleConfig>>;
  readonly runtimes?: Readonly<Record<string, RuntimeConfig>>;
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

/** The key order of `routing` is the phase order. */
export function phasesOf({ routing }: Pick<GovernedConfig, 'routing'>): readonly string[] {
  return Object.keys(routing ?? {});
}

export function firstPhase(config: GovernedConfig): string | null {
  return phasesOf(config)[0] ?? null;
}

export function finalPhase(config: GovernedConfig): string | null {
  return phasesOf(config).at(-1) ?? null;
}

/** Returns null if the phase is the last one or unknown. */
export function nextPhase(config: GovernedConfig, phase: string | null): string | null {
  const phases = phasesOf(config);
  const at = phase === null ? -1 : phases.indexOf(phase);
  return at === -1 ? null : (phases[at + 1] ?? null);
}

export function phaseConfig({ routing }: GovernedConfig, phase: string | null): PhaseConfig | null {
  return phase === null ? null : (getOwn(routing, phase) ?? null);
}

/** Returns null if the phase does not restrict the next role. */
export function allowedNextRoles(config: GovernedConfig, phase: string | null): readonly string[] | null {
  return phaseConfig(config, phase)?.allowed_next_roles ?? null;
}

export function mayComeNext(config: GovernedConfig, phase: string | null, role: string): boolean {
  const allowed = allowedNextRoles(config, phase);
  return role === HUMAN || allowed === null || allowed.includes(role);
}

/** Returns the exit gate of a phase. Its `gate` is null if it is named but not declared: then nothing opens it. */
export function exitGate(
  config: GovernedConfig,
  phase: string | null,
): { readonly id: string; readonly gate: GateConfig | null } | null {
  const id = phaseConfig(config, phase)?.exit_gate ?? null;
  return id === null ? null : { id, gate: getOwn(config.gates, id) ?? null };
}

export function artifactsOf({ workflow_kit }: GovernedConfig, phase: string | null): readonly ArtifactConfig[] {
  return (phase === null ? undefined : getOwn(workflow_kit?.phases, phase)?.artifacts) ?? [];
}

/** Without a phase, returns the maximum over all phases. */
export function getMaxConcurrentTurns(
  given: Partial<GovernedConfig> | null | undefined,
  phase: string | null = null,
): number {
  const routing = given?.routing ?? {};
  if (phase !== null) return getOwn(routing, phase)?.max_concurrent_turns ?? 1;
  return Math.max(1, ...Object.values(routing).map(({ max_concurrent_turns = 1 }) => max_concurrent_turns));
}

export function roleConfig({ roles }: GovernedConfig, role: string): RoleConfig | null {
  return getOwn(roles, role) ?? null;
}

export function authorityOf(config: GovernedConfig, role: string): WriteAuthority {
  return roleConfig(config, role)?.write_authority ?? 'authoritative';
}

export function runtimeOf(config: GovernedConfig, role: string): string {
  return roleConfig(config, role)?.runtime ?? BUILT_IN_RUNTIME;
}

export function runtimeType(config: GovernedConfig, runtimeId: string): string {
  return getOwn(config.runtimes, runtimeId)?.type ?? BUILT_IN_RUNTIME;
}
