/** Whatever a config names must be declared in it. */

import { HUMAN } from '../engine/lib/patterns.ts';
import { isMissing, isRecord, type Unknowns } from '../engine/lib/unknown-record.ts';
import { type ConfigFault, invalid } from './fault.ts';

/** Everybody has a hand: this runtime needs no declaration. */
export const BUILT_IN_RUNTIME = 'manual';

export function runtimeFaults(config: Unknowns): readonly ConfigFault[] {
  const declared = groupOf(config.runtimes);
  return entriesOf(config.roles).flatMap(([id, { runtime }]) => {
    const error_field = `roles.${id}.runtime`;
    if (isMissing(runtime) || runtime === BUILT_IN_RUNTIME) return [];
    if (typeof runtime !== 'string') return [invalid(error_field, 'the id of a runtime')];
    if (Object.hasOwn(declared, runtime)) return [];
    const message = `${error_field}: runtime "${runtime}" is not declared in runtimes`;
    return [{ error_type: 'undeclared_runtime_reference', error_field, message, referenced_runtime: runtime }];
  });
}

export function entryRoleFaults(config: Unknowns): readonly ConfigFault[] {
  return entriesOf(config.routing).flatMap(([phase, { entry_role }]) => {
    if (isMissing(entry_role)) return [];
    return roleFault(config, `routing.${phase}.entry_role`, entry_role);
  });
}

export function nextRoleFaults(config: Unknowns): readonly ConfigFault[] {
  return entriesOf(config.routing).flatMap(([phase, { allowed_next_roles }]) => {
    const field = `routing.${phase}.allowed_next_roles`;
    if (isMissing(allowed_next_roles)) return [];
    if (!Array.isArray(allowed_next_roles)) return [invalid(field, 'an array of roles')];
    return allowed_next_roles.filter((role) => role !== HUMAN).flatMap((role) => roleFault(config, field, role));
  });
}

export function exitGateFaults(config: Unknowns): readonly ConfigFault[] {
  const declared = groupOf(config.gates);
  return entriesOf(config.routing).flatMap(([phase, { exit_gate }]) => {
    const error_field = `routing.${phase}.exit_gate`;
    if (isMissing(exit_gate)) return [];
    if (typeof exit_gate !== 'string') return [invalid(error_field, 'the id of a gate')];
    if (Object.hasOwn(declared, exit_gate)) return [];
    const message = `${error_field}: gate "${exit_gate}" is not declared in gates`;
    return [{ error_type: 'undeclared_gate_reference', error_field, message, referenced_gate: exit_gate }];
  });
}

export function roleFault(config: Unknowns, error_field: string, role: unknown): readonly ConfigFault[] {
  if (typeof role !== 'string') return [invalid(error_field, 'the id of a role')];
  if (Object.hasOwn(groupOf(config.roles), role)) return [];
  const message = `${error_field}: role "${role}" is not declared in roles`;
  return [{ error_type: 'undeclared_role_reference', error_field, message, referenced_role: role }];
}

function groupOf(group: unknown): Unknowns {
  return isRecord(group) ? group : {};
}

export function entriesOf(group: unknown): readonly (readonly [string, Unknowns])[] {
  return Object.entries(groupOf(group)).flatMap(([id, one]) => (isRecord(one) ? [[id, one] as const] : []));
}
