/** Can a run start with this config? Completes the config, then reports all faults in a fixed order; the first fault names the error. */

import { validateHooks } from '../hooks/check.ts';
import { type ConfigFault, invalid, type Normalisation } from '../lib/findings.ts';
import { isMissing, isRecord, type UnknownRecord } from '../lib/unknown-record.ts';
import {
  artifactFaults,
  entryRoleFaults,
  exitGateFaults,
  gateFaults,
  limitFaults,
  nextRoleFaults,
  roleFaults,
  ruleFaults,
  runtimeFaults,
} from './check-fields.ts';
import { CONFIG_VERSION, type GovernedConfig } from './config.ts';

export type CheckedConfig =
  | { readonly ok: true; readonly config: GovernedConfig; readonly normalisations: CompletedConfig['normalisations'] }
  | { readonly ok: false; readonly faults: readonly [ConfigFault, ...ConfigFault[]] };

export function checkConfig(given: unknown): CheckedConfig {
  const { config, normalisations } = completeConfig(given);
  const [first, ...others] = faultsOf(config);
  if (first !== undefined) return { ok: false, faults: [first, ...others] };
  // Every member was looked at just now.
  return { ok: true, config: config as GovernedConfig, normalisations };
}

function faultsOf(config: unknown): readonly ConfigFault[] {
  if (!isRecord(config)) return [invalid('config', 'an object')];
  const version = versionFaults(config);
  const shape = shapeFaults(config);
  if (shape.length > 0) return [...version, ...shape];
  return [
    ...version,
    ...runtimeFaults(config),
    ...entryRoleFaults(config),
    ...nextRoleFaults(config),
    ...exitGateFaults(config),
    ...limitFaults(config),
    ...roleFaults(config),
    ...gateFaults(config),
    ...ruleFaults(config),
    ...validateHooks(config.hooks),
    ...artifactFaults(config),
  ];
}

function versionFaults({ schema_version }: UnknownRecord): readonly ConfigFault[] {
  if (schema_version === CONFIG_VERSION) return [];
  return [
    {
      error_type: 'schema_version_invalid',
      error_field: 'schema_version',
      message: `schema_version: expected "${CONFIG_VERSION}", got ${JSON.stringify(schema_version) ?? 'nothing'}`,
      expected_version: CONFIG_VERSION,
      actual_version: schema_version ?? null,
    },
  ];
}

/** Records of records; without them nothing else can be looked at. */
function shapeFaults(config: UnknownRecord): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (!isRecord(config.roles) || Object.keys(config.roles).length === 0) {
    faults.push(invalid('roles', 'an object with at least one role'));
  }
  for (const name of ['roles', 'runtimes', 'routing', 'gates']) {
    const group = config[name];
    if (isMissing(group)) continue;
    if (!isRecord(group)) faults.push(invalid(name, 'an object'));
    else
      for (const [id, one] of Object.entries(group))
        if (!isRecord(one)) faults.push(invalid(`${name}.${id}`, 'an object'));
  }
  for (const name of ['project', 'rules', 'timeouts', 'budget', 'adapters']) {
    if (!isMissing(config[name]) && !isRecord(config[name])) faults.push(invalid(name, 'an object'));
  }
  return faults;
}

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

function withRuntime(
  id: string,
  role: UnknownRecord,
  runtimes: Record<string, unknown>,
  told: Normalisation[],
): UnknownRecord {
  const { adapter, adapter_config, ...rest } = role;
  if (typeof adapter !== 'string' || !isMissing(role.runtime)) return role;
  const runtime = freeName(`${adapter}-${id}`, runtimes);
  runtimes[runtime] = { ...(isRecord(adapter_config) ? adapter_config : {}), type: adapter };
  const path = `roles.${id}.runtime`;
  told.push({ rule: 'adapter_to_runtime', path, before: { adapter, adapter_config }, after: runtime });
  return { ...rest, runtime };
}

function freeName(name: string, taken: UnknownRecord): string {
  let free = name;
  for (let n = 2; Object.hasOwn(taken, free); n++) free = `${name}-${n}`;
  return free;
}
