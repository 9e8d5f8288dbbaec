/** Is this a config a run can be started with? All faults, in the order in which they are looked for; the first one names the error. */

import { hooksFaults } from '../hooks/check.ts';
import { isMissing, isRecord, type Unknowns } from '../lib/unknown-record.ts';
import { artifactFaults } from '../../config/artifacts.ts';
import { type CompletedConfig, completeConfig } from '../../config/complete.ts';
import { CONFIG_VERSION, type GovernedConfig } from './config.ts';
import { type ConfigFault, invalid } from '../../config/fault.ts';
import { entryRoleFaults, exitGateFaults, nextRoleFaults, runtimeFaults } from '../../config/references.ts';
import { gateFaults, limitFaults, roleFaults, ruleFaults } from '../../config/values.ts';

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
    ...hooksFaults(config.hooks),
    ...artifactFaults(config),
  ];
}

function versionFaults({ schema_version }: Unknowns): readonly ConfigFault[] {
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
function shapeFaults(config: Unknowns): readonly ConfigFault[] {
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
