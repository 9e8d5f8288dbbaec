/** What a config says about phases and roles, with its defaults. */

import { HUMAN } from '../engine/lib/patterns.ts';
import { own } from '../engine/lib/unknown-record.ts';
import type { ArtifactConfig, GateConfig, GovernedConfig, PhaseConfig, RoleConfig, WriteAuthority } from '../engine/config/config.ts';
import { BUILT_IN_RUNTIME } from './references.ts';

/** In their order, which is that of the keys of `routing`. */
export function phasesOf({ routing }: Pick<GovernedConfig, 'routing'>): readonly string[] {
  return Object.keys(routing ?? {});
}

export function firstPhase(config: GovernedConfig): string | null {
  return phasesOf(config)[0] ?? null;
}

export function finalPhase(config: GovernedConfig): string | null {
  return phasesOf(config).at(-1) ?? null;
}

/** The one that comes after; null behind the last, and for a phase that is none. */
export function nextPhase(config: GovernedConfig, phase: string | null): string | null {
  const phases = phasesOf(config);
  const at = phase === null ? -1 : phases.indexOf(phase);
  return at === -1 ? null : (phases[at + 1] ?? null);
}

export function phaseConfig({ routing }: GovernedConfig, phase: string | null): PhaseConfig | null {
  return phase === null ? null : (own(routing, phase) ?? null);
}

/** Whom a turn of this phase may name next; null = no rule. */
export function allowedNextRoles(config: GovernedConfig, phase: string | null): readonly string[] | null {
  return phaseConfig(config, phase)?.allowed_next_roles ?? null;
}

export function mayComeNext(config: GovernedConfig, phase: string | null, role: string): boolean {
  const allowed = allowedNextRoles(config, phase);
  return role === HUMAN || allowed === null || allowed.includes(role);
}

/** The gate at the end of a phase. A gate that is named but not declared is nobody's to open. */
export function exitGate(
  config: GovernedConfig,
  phase: string | null,
): { readonly id: string; readonly gate: GateConfig | null } | null {
  const id = phaseConfig(config, phase)?.exit_gate ?? null;
  return id === null ? null : { id, gate: own(config.gates, id) ?? null };
}

/** What a phase has to leave behind beside what its gate asks for. */
export function artifactsOf({ workflow_kit }: GovernedConfig, phase: string | null): readonly ArtifactConfig[] {
  return (phase === null ? undefined : own(workflow_kit?.phases, phase)?.artifacts) ?? [];
}

/** Without a phase, the most any phase allows. */
export function getMaxConcurrentTurns(
  given: Partial<GovernedConfig> | null | undefined,
  phase: string | null = null,
): number {
  const routing = given?.routing ?? {};
  if (phase !== null) return own(routing, phase)?.max_concurrent_turns ?? 1;
  return Math.max(1, ...Object.values(routing).map(({ max_concurrent_turns = 1 }) => max_concurrent_turns));
}

export function roleConfig({ roles }: GovernedConfig, role: string): RoleConfig | null {
  return own(roles, role) ?? null;
}

export function authorityOf(config: GovernedConfig, role: string): WriteAuthority {
  return roleConfig(config, role)?.write_authority ?? 'authoritative';
}

export function runtimeOf(config: GovernedConfig, role: string): string {
  return roleConfig(config, role)?.runtime ?? BUILT_IN_RUNTIME;
}

export function runtimeType(config: GovernedConfig, runtimeId: string): string {
  return own(config.runtimes, runtimeId)?.type ?? BUILT_IN_RUNTIME;
}
