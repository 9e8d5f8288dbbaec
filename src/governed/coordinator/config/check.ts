/** Is this a config several repos can be coordinated by? All faults, in the order in which they are looked for. */

import { isFilled, isMissing, isRecord, type Unknowns } from '../../engine/lib/unknown-record.ts';
import { COORDINATOR_VERSION, type CoordinatorConfig } from '../../engine/coordinator/config.ts';
import { type CoordinatorFault, fault } from './fault.ts';
import { repoFaults } from './repos.ts';
import { gateFaults, routingFaults } from './routing.ts';
import { workstreamFaults } from './workstreams.ts';

export type CheckedCoordinator =
  | { readonly ok: true; readonly config: CoordinatorConfig }
  | {
      readonly ok: false;
      /** A circle is an error of its own, wherever it stands among the others. */
      readonly error_type: 'workstream_cycle' | 'invalid_coordinator_config';
      readonly faults: readonly CoordinatorFault[];
    };

export function checkCoordinatorConfig(given: unknown): CheckedCoordinator {
  const faults = faultsOf(given);
  if (faults.length > 0) {
    const hasCycle = faults.some(({ code }) => code === 'workstream_cycle');
    return { ok: false, error_type: hasCycle ? 'workstream_cycle' : 'invalid_coordinator_config', faults };
  }
  // Every member was looked at just now.
  return { ok: true, config: given as CoordinatorConfig };
}

function faultsOf(given: unknown): readonly CoordinatorFault[] {
  if (!isRecord(given)) return [fault('config_invalid', 'config', 'expected an object')];
  return [
    ...versionFaults(given),
    ...projectFaults(given),
    ...repoFaults(given),
    ...workstreamFaults(given),
    ...routingFaults(given),
    ...gateFaults(given),
    ...(isMissing(given.hooks) || isRecord(given.hooks) ? [] : [fault('hooks_invalid', 'hooks', 'expected an object')]),
  ];
}

function versionFaults({ schema_version }: Unknowns): readonly CoordinatorFault[] {
  if (schema_version === COORDINATOR_VERSION) return [];
  const came = JSON.stringify(schema_version) ?? 'nothing';
  return [fault('schema_version_invalid', 'schema_version', `expected "${COORDINATOR_VERSION}", got ${came}`)];
}

function projectFaults({ project }: Unknowns): readonly CoordinatorFault[] {
  if (!isRecord(project)) return [fault('project_invalid', 'project', 'expected an object')];
  return ['id', 'name']
    .filter((name) => !isFilled(project[name]))
    .map((name) => fault('project_invalid', `project.${name}`, 'expected a text'));
}
