/** Checks workstreams: their repos, phase, dependencies (without cycles) and the barrier that ends each of them. */

import { type CoordinatorFault, coordinatorFault } from '../lib/findings.ts';
import { DECISION_ID, matches, ROLE_ID } from '../lib/patterns.ts';
import { isMissing, isOneOf, isRecord, repeatedIn, type UnknownRecord } from '../lib/unknown-record.ts';
import { BARRIER_TYPES, coordinatorPhases, DECISION_BARRIERS } from './config.ts';

export const NAME_RULE = 'expected a name of small letters, digits, "-" and "_"';

export function workstreamFaults(config: UnknownRecord): readonly CoordinatorFault[] {
  const { workstreams } = config;
  if (!isRecord(workstreams)) return [coordinatorFault('workstreams_invalid', 'workstreams', 'expected an object')];
  const each = Object.entries(workstreams).flatMap(([id, one]) => {
    const field = `workstreams.${id}`;
    const named = matches(ROLE_ID, id) ? [] : [coordinatorFault('workstream_id_invalid', field, NAME_RULE)];
    if (!isRecord(one)) return [...named, coordinatorFault('workstream_invalid', field, 'expected an object')];
    return [
      ...named,
      ...phaseFaults(field, one, config),
      ...memberFaults(field, one, config),
      ...dependencyFaults(field, one, workstreams),
      ...barrierFaults(field, one),
    ];
  });
  return [...each, ...cycleFaults(workstreams)];
}

function phaseFaults(field: string, { phase }: UnknownRecord, { routing }: UnknownRecord): readonly CoordinatorFault[] {
  const phases = coordinatorPhases({ routing: isRecord(routing) ? routing : {} });
  if (isOneOf(phases, phase)) return [];
  return [coordinatorFault('workstream_phase_unknown', `${field}.phase`, `expected one of ${phases.join(', ')}`)];
}

function memberFaults(field: string, workstream: UnknownRecord, config: UnknownRecord): readonly CoordinatorFault[] {
  const { repos, entry_repo } = workstream;
  if (!isTexts(repos) || repos.length === 0) {
    return [coordinatorFault('workstream_repos_invalid', `${field}.repos`, 'expected an array with at least one repo')];
  }
  const declared = isRecord(config.repos) ? config.repos : {};
  const faults = repeatedIn(repos).map((repo) =>
    coordinatorFault('workstream_repo_duplicate', `${field}.repos`, `"${repo}" is there more than once`),
  );
  for (const repo of new Set(repos)) {
    if (!Object.hasOwn(declared, repo)) {
      faults.push(
        coordinatorFault('workstream_repo_unknown', `${field}.repos`, `repo "${repo}" is not declared in repos`),
      );
    }
  }
  if (!isOneOf(repos, entry_repo)) {
    const sentence = `expected one of its repos: ${repos.join(', ')}`;
    faults.push(coordinatorFault('workstream_entry_repo_invalid', `${field}.entry_repo`, sentence));
  }
  return faults;
}

function dependencyFaults(
  field: string,
  { depends_on }: UnknownRecord,
  workstreams: UnknownRecord,
): readonly CoordinatorFault[] {
  const place = `${field}.depends_on`;
  if (isMissing(depends_on)) return [];
  if (!isTexts(depends_on)) {
    return [coordinatorFault('workstream_depends_on_invalid', place, 'expected an array of workstreams')];
  }
  return depends_on
    .filter((id) => !Object.hasOwn(workstreams, id))
    .map((id) =>
      coordinatorFault('workstream_dependency_unknown', place, `workstream "${id}" is not declared in workstreams`),
    );
}

function cycleFaults(workstreams: UnknownRecord): readonly CoordinatorFault[] {
  const dependsOn = new Map<string, readonly string[]>();
  for (const [id, one] of Object.entries(workstreams)) {
    if (isRecord(one) && isTexts(one.depends_on)) dependsOn.set(id, one.depends_on);
  }
  return findCycles(dependsOn).map((circle) =>
    coordinatorFault('workstream_cycle', `workstreams.${circle[0]}.depends_on`, [...circle, circle[0]].join(' → ')),
  );
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function barrierFaults(field: string, workstream: UnknownRecord): readonly CoordinatorFault[] {
  const { completion_barrier: type, repos } = workstream;
  if (!isOneOf(BARRIER_TYPES, type)) {
    const sentence = `expected one of ${BARRIER_TYPES.join(', ')}`;
    return [coordinatorFault('workstream_barrier_invalid', `${field}.completion_barrier`, sentence)];
  }
  if (!isOneOf(DECISION_BARRIERS, type)) return [];
  const details = workstream[type];
  const place = `${field}.${type}.decision_ids_by_repo`;
  const ids = isRecord(details) ? details.decision_ids_by_repo : undefined;
  if (!isRecord(ids)) {
    return [coordinatorFault('barrier_decisions_missing', place, 'expected an object: the decisions of each repo')];
  }
  return [...repoFaults(place, ids, Array.isArray(repos) ? repos : []), ...idFaults(place, ids)];
}

/** Exactly the workstream's repos: one that is left out would have nothing to agree to. */
function repoFaults(place: string, ids: UnknownRecord, repos: readonly unknown[]): readonly CoordinatorFault[] {
  const missing = repos.filter((repo) => typeof repo === 'string' && !Object.hasOwn(ids, repo));
  const strange = Object.keys(ids).filter((repo) => !repos.includes(repo));
  const code = 'barrier_decision_repos_mismatch';
  return [
    ...missing.map((repo) => coordinatorFault(code, place, `repo "${repo}" of the workstream is not in it`)),
    ...strange.map((repo) => coordinatorFault(code, place, `repo "${repo}" is not one of the workstream's`)),
  ];
}

function idFaults(place: string, ids: UnknownRecord): readonly CoordinatorFault[] {
  return Object.entries(ids).flatMap(([repo, list]) => {
    const isList = Array.isArray(list) && list.length > 0 && list.every((id) => matches(DECISION_ID, id));
    if (isList && repeatedIn(list).length === 0) return [];
    const sentence = 'expected at least one decision, each DEC- and a number, none twice';
    return [coordinatorFault('barrier_decision_ids_invalid', `${place}.${repo}`, sentence)];
  });
}

/** Each circle once, as the workstreams on it in their order; `a → a` is one too. */
function findCycles(dependsOn: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const done = new Set<string>();
  const cycles: (readonly string[])[] = [];
  for (const start of dependsOn.keys()) walk(start, dependsOn, done, cycles);
  return cycles;
}

interface Place {
  readonly id: string;
  readonly left: Iterator<string>;
}

/** Without recursion: how deep a chain goes is somebody else's choice. */
function walk(
  start: string,
  dependsOn: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
  cycles: (readonly string[])[],
): void {
  const way: Place[] = [];
  const enter = (id: string): void => {
    way.push({ id, left: (dependsOn.get(id) ?? [])[Symbol.iterator]() });
  };
  if (!done.has(start)) enter(start);
  for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
    const { value: next, done: isOver } = here.left.next();
    if (isOver === true) {
      done.add(here.id);
      way.pop();
      continue;
    }
    const at = way.findIndex(({ id }) => id === next);
    if (at !== -1) cycles.push(way.slice(at).map(({ id }) => id));
    else if (!done.has(next)) enter(next);
  }
}
