/** Can this run come to its end at all? A gate may ask for a file that no role on the way to it can write. */

import { artifactsOf, phaseConfig } from '../../../governed/config/phases.ts';
import {
  allowedNextRoles,
  authorityOf,
  exitGate,
  type GovernedConfig,
  isReserved,
  phasesOf,
} from '../../../governed/index.ts';
import { canonicalPath, isProductPath } from '../../../governed/engine/lib/project-paths.ts';
import { HUMAN } from '../../../governed/engine/lib/patterns.ts';

export interface AdmissionFault {
  readonly code: 'file_without_producer' | 'owner_not_routed';
  readonly phase: string;
  readonly message: string;
}

/** `isThere`: what the project has already, nobody has to write. */
export function admissionFaults(config: GovernedConfig, isThere: (path: string) => boolean): readonly AdmissionFault[] {
  const sofar = new Set<string>();
  return phasesOf(config).flatMap((phase) => {
    const routed = routedRoles(config, phase);
    for (const role of routed) sofar.add(role);
    return [...fileFaults(config, phase, sofar, isThere), ...ownerFaults(config, phase, routed)];
  });
}

function routedRoles(config: GovernedConfig, phase: string): ReadonlySet<string> {
  const allowed = allowedNextRoles(config, phase) ?? Object.keys(config.roles);
  const entry = phaseConfig(config, phase)?.entry_role;
  return new Set([...(entry === undefined ? [] : [entry]), ...allowed].filter((role) => role !== HUMAN));
}

function fileFaults(
  config: GovernedConfig,
  phase: string,
  roles: ReadonlySet<string>,
  isThere: (path: string) => boolean,
): readonly AdmissionFault[] {
  const exit = exitGate(config, phase);
  if (exit === null) return [];
  const left = artifactsOf(config, phase).filter(({ required = true }) => required);
  const wanted = new Set([...(exit.gate?.requires_files ?? []), ...left.map(({ path }) => path)]);
  return [...wanted]
    .filter((path) => !isThere(path) && ![...roles].some((role) => mayWrite(config, role, path)))
    .map((path) => ({
      code: 'file_without_producer',
      phase,
      message: `gate ${exit.id} of ${phase} needs ${path}, which no role on the way to it may write (${[...roles].join(', ')})`,
    }));
}

function mayWrite(config: GovernedConfig, role: string, path: string): boolean {
  const canonical = canonicalPath(path);
  if (canonical === null || isReserved(canonical)) return false;
  return authorityOf(config, role) !== 'review_only' || !isProductPath(canonical);
}

function ownerFaults(config: GovernedConfig, phase: string, routed: ReadonlySet<string>): readonly AdmissionFault[] {
  if (exitGate(config, phase) === null) return [];
  return artifactsOf(config, phase)
    .filter(({ required = true, owned_by }) => required && owned_by !== undefined && !routed.has(owned_by))
    .map(({ path, owned_by }) => ({
      code: 'owner_not_routed',
      phase,
      message: `${path} of ${phase} is owned by ${owned_by}, which has no turns there`,
    }));
}
