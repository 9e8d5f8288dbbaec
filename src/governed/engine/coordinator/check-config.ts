/** Can several repos be coordinated with this config? Reports all faults in a fixed order. */

import { type CoordinatorFault, coordinatorFault } from '../lib/findings.ts';
import { matches, ROLE_ID } from '../lib/patterns.ts';
import { normalizePath } from '../lib/project-paths.ts';
import { isMissing, isNonEmptyText, isRecord, type UnknownRecord } from '../lib/unknown-record.ts';
import { isTexts, NAME_RULE, workstreamFaults } from './check-workstreams.ts';
import { COORDINATOR_VERSION, type CoordinatorConfig } from './config.ts';

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
  if (!isRecord(given)) return [coordinatorFault('config_invalid', 'config', 'expected an object')];
  return [
    ...versionFaults(given),
    ...projectFaults(given),
    ...repoFaults(given),
    ...workstreamFaults(given),
    ...routingFaults(given),
    ...gateFaults(given),
    ...(isMissing(given.hooks) || isRecord(given.hooks)
      ? []
      : [coordinatorFault('hooks_invalid', 'hooks', 'expected an object')]),
  ];
}

function versionFaults({ schema_version }: UnknownRecord): readonly CoordinatorFault[] {
  if (schema_version === COORDINATOR_VERSION) return [];
  const came = JSON.stringify(schema_version) ?? 'nothing';
  return [
    coordinatorFault('schema_version_invalid', 'schema_version', `expected "${COORDINATOR_VERSION}", got ${came}`),
  ];
}

function projectFaults({ project }: UnknownRecord): readonly CoordinatorFault[] {
  if (!isRecord(project)) return [coordinatorFault('project_invalid', 'project', 'expected an object')];
  return ['id', 'name']
    .filter((name) => !isNonEmptyText(project[name]))
    .map((name) => coordinatorFault('project_invalid', `project.${name}`, 'expected a text'));
}

export function repoFaults({ repos }: UnknownRecord): readonly CoordinatorFault[] {
  if (!isRecord(repos) || Object.keys(repos).length === 0) {
    return [coordinatorFault('repos_invalid', 'repos', 'expected an object with at least one repo')];
  }
  const firstAt = new Map<string, string>();
  return Object.entries(repos).flatMap(([id, repo]) => {
    const field = `repos.${id}`;
    const named = matches(ROLE_ID, id) ? [] : [coordinatorFault('repo_id_invalid', field, NAME_RULE)];
    if (!isRecord(repo)) return [...named, coordinatorFault('repo_invalid', field, 'expected an object')];
    return [...named, ...pathFaults(id, repo.path, firstAt), ...memberFaults(field, repo)];
  });
}

function pathFaults(id: string, path: unknown, firstAt: Map<string, string>): readonly CoordinatorFault[] {
  const field = `repos.${id}.path`;
  const place = isNonEmptyText(path) ? normalizePath('.', path) : null;
  if (place === null) return [coordinatorFault('repo_path_invalid', field, 'expected a path')];
  const other = firstAt.get(place);
  if (other !== undefined) return [coordinatorFault('repo_path_duplicate', field, `repo "${other}" is there already`)];
  firstAt.set(place, id);
  return [];
}

function memberFaults(field: string, { default_branch, required }: UnknownRecord): readonly CoordinatorFault[] {
  const faults: CoordinatorFault[] = [];
  if (!isMissing(default_branch) && !isNonEmptyText(default_branch)) {
    faults.push(coordinatorFault('repo_invalid', `${field}.default_branch`, 'expected the name of a branch'));
  }
  if (!isMissing(required) && typeof required !== 'boolean') {
    faults.push(coordinatorFault('repo_invalid', `${field}.required`, 'expected true or false'));
  }
  return faults;
}

function routingFaults({ routing, workstreams }: UnknownRecord): readonly CoordinatorFault[] {
  if (isMissing(routing)) return [];
  if (!isRecord(routing)) return [coordinatorFault('routing_invalid', 'routing', 'expected an object')];
  return Object.entries(routing).flatMap(([phase, entry]) => {
    if (!isRecord(entry)) return [coordinatorFault('routing_invalid', `routing.${phase}`, 'expected an object')];
    return isMissing(entry.entry_workstream) ? [] : entryFaults(phase, entry.entry_workstream, workstreams);
  });
}

function entryFaults(phase: string, id: unknown, workstreams: unknown): readonly CoordinatorFault[] {
  const field = `routing.${phase}.entry_workstream`;
  if (typeof id !== 'string') return [coordinatorFault('routing_invalid', field, 'expected the id of a workstream')];
  const one = isRecord(workstreams) && Object.hasOwn(workstreams, id) ? workstreams[id] : undefined;
  if (one === undefined) {
    return [coordinatorFault('routing_workstream_unknown', field, `workstream "${id}" is not declared in workstreams`)];
  }
  const its = isRecord(one) ? one.phase : undefined;
  if (its === phase) return [];
  return [
    coordinatorFault('routing_workstream_phase_mismatch', field, `workstream "${id}" is of phase "${String(its)}"`),
  ];
}

export function gateFaults({ gates, repos }: UnknownRecord): readonly CoordinatorFault[] {
  if (isMissing(gates)) return [];
  if (!isRecord(gates)) return [coordinatorFault('gates_invalid', 'gates', 'expected an object')];
  const declared = isRecord(repos) ? repos : {};
  return Object.entries(gates).flatMap(([id, gate]) => {
    const field = `gates.${id}`;
    return isRecord(gate)
      ? oneGate(field, gate, declared)
      : [coordinatorFault('gate_invalid', field, 'expected an object')];
  });
}

function oneGate(field: string, gate: UnknownRecord, declared: UnknownRecord): readonly CoordinatorFault[] {
  const { requires_human_approval: human, requires_repos: asked } = gate;
  const faults: CoordinatorFault[] = [];
  if (!isMissing(human) && typeof human !== 'boolean') {
    faults.push(coordinatorFault('gate_invalid', `${field}.requires_human_approval`, 'expected true or false'));
  }
  if (isMissing(asked)) return faults;
  const place = `${field}.requires_repos`;
  if (!isTexts(asked)) return [...faults, coordinatorFault('gate_invalid', place, 'expected an array of repos')];
  for (const repo of asked) {
    if (!Object.hasOwn(declared, repo)) {
      faults.push(coordinatorFault('gate_repo_unknown', place, `repo "${repo}" is not declared in repos`));
    }
  }
  return faults;
}
