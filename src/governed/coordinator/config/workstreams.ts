/** Workstreams: which repos work on them, in which phase, after which others, and what ends them. */

import { matches, ROLE_ID } from '../../engine/lib/patterns.ts';
import { isMissing, isOneOf, isRecord, repeatedIn, type Unknowns } from '../../engine/lib/unknown-record.ts';
import { barrierFaults } from './barriers.ts';
import { coordinatorPhases } from '../../engine/coordinator/config.ts';
import { cyclesIn } from './cycles.ts';
import { type CoordinatorFault, fault } from './fault.ts';
import { NAME_RULE } from './repos.ts';

export function workstreamFaults(config: Unknowns): readonly CoordinatorFault[] {
  const { workstreams } = config;
  if (!isRecord(workstreams)) return [fault('workstreams_invalid', 'workstreams', 'expected an object')];
  const each = Object.entries(workstreams).flatMap(([id, one]) => {
    const field = `workstreams.${id}`;
    const named = matches(ROLE_ID, id) ? [] : [fault('workstream_id_invalid', field, NAME_RULE)];
    if (!isRecord(one)) return [...named, fault('workstream_invalid', field, 'expected an object')];
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

function phaseFaults(field: string, { phase }: Unknowns, { routing }: Unknowns): readonly CoordinatorFault[] {
  const phases = coordinatorPhases({ routing: isRecord(routing) ? routing : {} });
  if (isOneOf(phases, phase)) return [];
  return [fault('workstream_phase_unknown', `${field}.phase`, `expected one of ${phases.join(', ')}`)];
}

function memberFaults(field: string, workstream: Unknowns, config: Unknowns): readonly CoordinatorFault[] {
  const { repos, entry_repo } = workstream;
  if (!isTexts(repos) || repos.length === 0) {
    return [fault('workstream_repos_invalid', `${field}.repos`, 'expected an array with at least one repo')];
  }
  const declared = isRecord(config.repos) ? config.repos : {};
  const faults = repeatedIn(repos).map((repo) =>
    fault('workstream_repo_duplicate', `${field}.repos`, `"${repo}" is there more than once`),
  );
  for (const repo of new Set(repos)) {
    if (!Object.hasOwn(declared, repo)) {
      faults.push(fault('workstream_repo_unknown', `${field}.repos`, `repo "${repo}" is not declared in repos`));
    }
  }
  if (!isOneOf(repos, entry_repo)) {
    const sentence = `expected one of its repos: ${repos.join(', ')}`;
    faults.push(fault('workstream_entry_repo_invalid', `${field}.entry_repo`, sentence));
  }
  return faults;
}

function dependencyFaults(field: string, { depends_on }: Unknowns, workstreams: Unknowns): readonly CoordinatorFault[] {
  const place = `${field}.depends_on`;
  if (isMissing(depends_on)) return [];
  if (!isTexts(depends_on)) {
    return [fault('workstream_depends_on_invalid', place, 'expected an array of workstreams')];
  }
  return depends_on
    .filter((id) => !Object.hasOwn(workstreams, id))
    .map((id) => fault('workstream_dependency_unknown', place, `workstream "${id}" is not declared in workstreams`));
}

function cycleFaults(workstreams: Unknowns): readonly CoordinatorFault[] {
  const dependsOn = new Map<string, readonly string[]>();
  for (const [id, one] of Object.entries(workstreams)) {
    if (isRecord(one) && isTexts(one.depends_on)) dependsOn.set(id, one.depends_on);
  }
  return cyclesIn(dependsOn).map((circle) =>
    fault('workstream_cycle', `workstreams.${circle[0]}.depends_on`, [...circle, circle[0]].join(' → ')),
  );
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
