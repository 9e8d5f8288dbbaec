/** The config as its author may write it → the config the engine reads. What was replaced is told. */

import type { Normalisation } from '../normalisation.ts';
import { isMissing, isRecord, type Unknowns } from '../engine/lib/unknown-record.ts';

export interface CompletedConfig {
  /** Not checked yet. */
  readonly config: unknown;
  readonly normalisations: readonly Normalisation[];
}

/** A role's own `adapter` and `adapter_config` become a runtime, and the role names it. */
export function completeConfig(given: unknown): CompletedConfig {
  if (!isRecord(given) || !isRecord(given.roles)) return { config: given, normalisations: [] };
  const normalisations: Normalisation[] = [];
  const runtimes: Record<string, unknown> = isRecord(given.runtimes) ? { ...given.runtimes } : {};
  const roles: Record<string, unknown> = {};
  for (const [id, role] of Object.entries(given.roles)) {
    roles[id] = isRecord(role) ? withRuntime(id, role, runtimes, normalisations) : role;
  }
  if (normalisations.length === 0) return { config: given, normalisations };
  return { config: { ...given, roles, runtimes }, normalisations };
}

function withRuntime(id: string, role: Unknowns, runtimes: Record<string, unknown>, told: Normalisation[]): Unknowns {
  const { adapter, adapter_config, ...rest } = role;
  if (typeof adapter !== 'string' || !isMissing(role.runtime)) return role;
  const runtime = freeName(`${adapter}-${id}`, runtimes);
  runtimes[runtime] = { ...(isRecord(adapter_config) ? adapter_config : {}), type: adapter };
  const path = `roles.${id}.runtime`;
  told.push({ rule: 'adapter_to_runtime', path, before: { adapter, adapter_config }, after: runtime });
  return { ...rest, runtime };
}

function freeName(name: string, taken: Unknowns): string {
  let free = name;
  for (let n = 2; Object.hasOwn(taken, free); n++) free = `${name}-${n}`;
  return free;
}
