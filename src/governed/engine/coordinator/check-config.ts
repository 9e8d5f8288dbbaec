/** Checks the config of a coordinator of several repos. Reports all faults in a fixed order. */

import { type CoordinatorFault, coordinatorFault as fault } from '../lib/findings.ts';
import { DECISION_ID, matches, ROLE_ID } from '../lib/patterns.ts';
import { normalizePath } from '../lib/project-paths.ts';
import { isMissing, isNonEmptyText, isOneOf, isRecord, repeatedIn, type UnknownRecord } from '../lib/unknown-record.ts';
import {
  BARRIER_TYPES,
  COORDINATOR_VERSION,
  type CoordinatorConfig,
  coordinatorPhases,
  DECISION_BARRIERS,
} from './config.ts';

export type CheckedCoordinator =
  | { readonly ok: true; readonly config: CoordinatorConfig }
  | {
      readonly ok: false;
      /** A cycle takes precedence over every other fault. */
      readonly error_type: 'workstream_cycle' | 'invalid_coordinator_config';
      readonly faults: readonly CoordinatorFault[];
    };

type Faults = readonly CoordinatorFault[];

export function checkCoordinatorConfig(given: unknown): CheckedCoordinator {
  const faults = faultsOf(given);
  if (faults.length > 0) {
    const hasCycle = faults.some(({ code }) => code === 'workstream_cycle');
    return { ok: false, error_type: hasCycle ? 'workstream_cycle' : 'invalid_coordinator_config', faults };
  }
  // Every member was checked above.
  return { ok: true, config: given as CoordinatorConfig };
}

const NO_OBJECT = 'expected an object';

function faultsOf(given: unknown): Faults {
  if (!isRecord(given)) return [fault('config_invalid', 'config', NO_OBJECT)];
  const { schema_version, hooks } = given;
  const came = JSON.stringify(schema_version) ?? 'nothing';
  return [
    ...(schema_version === COORDINATOR_VERSION
      ? []
      : [fault('schema_version_invalid', 'schema_version', `expected "${COORDINATOR_VERSION}", got ${came}`)]),
    ...projectFaults(given),
    ...repoFaults(given),
    ...workstreamFaults(given),
    ...routingFaults(given),
    ...gateFaults(given),
    ...(isMissing(hooks) || isRecord(hooks) ? [] : [fault('hooks_invalid', 'hooks', NO_OBJECT)]),
  ];
}

function projectFaults({ project }: UnknownRecord): Faults {
  if (!isRecord(project)) return [fault('project_invalid', 'project', NO_OBJECT)];
  return ['id', 'name']
    .filter((name) => !isNonEmptyText(project[name]))
    .map((name) => fault('project_invalid', `project.${name}`, 'expected a text'));
}

const NAME_RULE = 'expected a name of small letters, digits, "-" and "_"';

function repoFaults({ repos }: UnknownRecord): Faults {
  if (!isRecord(repos) || Object.keys(repos).length === 0) {
    return [fault('repos_invalid', 'repos', 'expected an object with at least one repo')];
  }
  const firstAt = new Map<string, string>();
  return Object.entries(repos).flatMap(([id, repo]) => {
    const field = `repos.${id}`;
    const named = matches(ROLE_ID, id) ? [] : [fault('repo_id_invalid', field, NAME_RULE)];
    if (!isRecord(repo)) return [...named, fault('repo_invalid', field, NO_OBJECT)];
    const { default_branch: branch, required } = repo;
    return [
      ...named,
      ...pathFaults(id, repo.path, firstAt),
      ...(isMissing(branch) || isNonEmptyText(branch)
        ? []
        : [fault('repo_invalid', `${field}.default_branch`, 'expected the name of a branch')]),
      ...(isSwitch(required) ? [] : [fault('repo_invalid', `${field}.required`, 'expected true or false')]),
    ];
  });
}

function pathFaults(id: string, path: unknown, firstAt: Map<string, string>): Faults {
  const field = `repos.${id}.path`;
  const place = isNonEmptyText(path) ? normalizePath('.', path) : null;
  if (place === null) return [fault('repo_path_invalid', field, 'expected a path')];
  const other = firstAt.get(place);
  if (other !== undefined) return [fault('repo_path_duplicate', field, `repo "${other}" is there already`)];
  firstAt.set(place, id);
  return [];
}

function workstreamFaults(config: UnknownRecord): Faults {
  const { workstreams } = config;
  if (!isRecord(workstreams)) return [fault('workstreams_invalid', 'workstreams', NO_OBJECT)];
  const phases = coordinatorPhases({ routing: isRecord(config.routing) ? config.routing : {} });
  const each = Object.entries(workstreams).flatMap(([id, one]) => {
    const field = `workstreams.${id}`;
    const named = matches(ROLE_ID, id) ? [] : [fault('workstream_id_invalid', field, NAME_RULE)];
    if (!isRecord(one)) return [...named, fault('workstream_invalid', field, NO_OBJECT)];
    return [
      ...named,
      ...(isOneOf(phases, one.phase)
        ? []
        : [fault('workstream_phase_unknown', `${field}.phase`, `expected one of ${phases.join(', ')}`)]),
      ...memberFaults(field, one, config),
      ...dependencyFaults(`${field}.depends_on`, one.depends_on, workstreams),
      ...barrierFaults(field, one),
    ];
  });
  return [...each, ...cycleFaults(workstreams)];
}

function memberFaults(field: string, { repos, entry_repo }: UnknownRecord, config: UnknownRecord): Faults {
  const place = `${field}.repos`;
  if (!isTexts(repos) || repos.length === 0) {
    return [fault('workstream_repos_invalid', place, 'expected an array with at least one repo')];
  }
  const unknown = undeclared(config.repos, [...new Set(repos)]);
  const expected = `expected one of its repos: ${repos.join(', ')}`;
  return [
    ...repeatedIn(repos).map((id) => fault('workstream_repo_duplicate', place, `"${id}" is there more than once`)),
    ...unknown.map((id) => fault('workstream_repo_unknown', place, `repo "${id}" is not declared in repos`)),
    ...(isOneOf(repos, entry_repo) ? [] : [fault('workstream_entry_repo_invalid', `${field}.entry_repo`, expected)]),
  ];
}

function dependencyFaults(field: string, dependsOn: unknown, workstreams: UnknownRecord): Faults {
  if (isMissing(dependsOn)) return [];
  if (!isTexts(dependsOn)) {
    return [fault('workstream_depends_on_invalid', field, 'expected an array of workstreams')];
  }
  return undeclared(workstreams, dependsOn).map((id) =>
    fault('workstream_dependency_unknown', field, `workstream "${id}" is not declared in workstreams`),
  );
}

function barrierFaults(field: string, workstream: UnknownRecord): Faults {
  const { completion_barrier: type, repos } = workstream;
  if (!isOneOf(BARRIER_TYPES, type)) {
    const sentence = `expected one of ${BARRIER_TYPES.join(', ')}`;
    return [fault('workstream_barrier_invalid', `${field}.completion_barrier`, sentence)];
  }
  if (!isOneOf(DECISION_BARRIERS, type)) return [];
  const details = workstream[type];
  const place = `${field}.${type}.decision_ids_by_repo`;
  const ids = isRecord(details) ? details.decision_ids_by_repo : undefined;
  if (!isRecord(ids)) {
    return [fault('barrier_decisions_missing', place, 'expected an object: the decisions of each repo')];
  }
  return [...alignmentFaults(place, ids, Array.isArray(repos) ? repos : []), ...idFaults(place, ids)];
}

/** Checks that a decision barrier lists exactly the repos of the workstream. */
function alignmentFaults(place: string, ids: UnknownRecord, repos: readonly unknown[]): Faults {
  const missing = repos.filter((repo) => typeof repo === 'string' && !Object.hasOwn(ids, repo));
  const strange = Object.keys(ids).filter((repo) => !repos.includes(repo));
  const code = 'barrier_decision_repos_mismatch';
  return [
    ...missing.map((repo) => fault(code, place, `repo "${repo}" of the workstream is not in it`)),
    ...strange.map((repo) => fault(code, place, `repo "${repo}" is not one of the workstream's`)),
  ];
}

function idFaults(place: string, ids: UnknownRecord): Faults {
  return Object.entries(ids).flatMap(([repo, list]) => {
    const isList = Array.isArray(list) && list.length > 0 && list.every((id) => matches(DECISION_ID, id));
    if (isList && repeatedIn(list).length === 0) return [];
    const sentence = 'expected at least one decision, each DEC- and a number, none twice';
    return [fault('barrier_decision_ids_invalid', `${place}.${repo}`, sentence)];
  });
}

function cycleFaults(workstreams: UnknownRecord): Faults {
  const dependsOn = new Map<string, readonly string[]>();
  for (const [id, one] of Object.entries(workstreams)) {
    if (isRecord(one) && isTexts(one.depends_on)) dependsOn.set(id, one.depends_on);
  }
  return findCycles(dependsOn).map((cycle) =>
    fault('workstream_cycle', `workstreams.${cycle[0]}.depends_on`, [...cycle, cycle[0]].join(' → ')),
  );
}

/** Returns each cycle once, including `a → a`. Iterative, because the config determines the depth. */
function findCycles(dependsOn: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const done = new Set<string>();
  const cycles: (readonly string[])[] = [];
  const way: { readonly id: string; readonly left: Iterator<string> }[] = [];
  const enter = (id: string): void => {
    if (!done.has(id)) way.push({ id, left: (dependsOn.get(id) ?? [])[Symbol.iterator]() });
  };
  for (const start of dependsOn.keys()) {
    enter(start);
    for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
      const { value: next, done: isOver } = here.left.next();
      if (isOver === true) {
        done.add(here.id);
        way.pop();
        continue;
      }
      const at = way.findIndex(({ id }) => id === next);
      if (at === -1) enter(next);
      else cycles.push(way.slice(at).map(({ id }) => id));
    }
  }
  return cycles;
}

function routingFaults({ routing, workstreams }: UnknownRecord): Faults {
  if (isMissing(routing)) return [];
  if (!isRecord(routing)) return [fault('routing_invalid', 'routing', NO_OBJECT)];
  return Object.entries(routing).flatMap(([phase, entry]) => {
    if (!isRecord(entry)) return [fault('routing_invalid', `routing.${phase}`, NO_OBJECT)];
    return isMissing(entry.entry_workstream) ? [] : entryFaults(phase, entry.entry_workstream, workstreams);
  });
}

function entryFaults(phase: string, id: unknown, workstreams: unknown): Faults {
  const field = `routing.${phase}.entry_workstream`;
  if (typeof id !== 'string') return [fault('routing_invalid', field, 'expected the id of a workstream')];
  const one = isRecord(workstreams) && Object.hasOwn(workstreams, id) ? workstreams[id] : undefined;
  if (one === undefined) {
    return [fault('routing_workstream_unknown', field, `workstream "${id}" is not declared in workstreams`)];
  }
  const its = isRecord(one) ? one.phase : undefined;
  if (its === phase) return [];
  return [fault('routing_workstream_phase_mismatch', field, `workstream "${id}" is of phase "${String(its)}"`)];
}

function gateFaults({ gates, repos }: UnknownRecord): Faults {
  if (isMissing(gates)) return [];
  if (!isRecord(gates)) return [fault('gates_invalid', 'gates', NO_OBJECT)];
  return Object.entries(gates).flatMap(([id, gate]) => {
    const field = `gates.${id}`;
    return isRecord(gate) ? oneGate(field, gate, repos) : [fault('gate_invalid', field, NO_OBJECT)];
  });
}

function oneGate(field: string, gate: UnknownRecord, repos: unknown): Faults {
  const { requires_human_approval: human, requires_repos: asked } = gate;
  const place = `${field}.requires_repos`;
  const faults = isSwitch(human)
    ? []
    : [fault('gate_invalid', `${field}.requires_human_approval`, 'expected true or false')];
  if (isMissing(asked)) return faults;
  if (!isTexts(asked)) return [...faults, fault('gate_invalid', place, 'expected an array of repos')];
  const unknown = undeclared(repos, asked);
  return [
    ...faults,
    ...unknown.map((repo) => fault('gate_repo_unknown', place, `repo "${repo}" is not declared in repos`)),
  ];
}

function undeclared(group: unknown, ids: readonly string[]): readonly string[] {
  return ids.filter((id) => !isRecord(group) || !Object.hasOwn(group, id));
}

function isSwitch(value: unknown): boolean {
  return isMissing(value) || typeof value === 'boolean';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
