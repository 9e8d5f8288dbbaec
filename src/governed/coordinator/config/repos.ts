/** Repos: at least one, each with a name and a path of its own. */

import { matches, ROLE_ID } from '../../engine/lib/patterns.ts';
import { isFilled, isMissing, isRecord, type Unknowns } from '../../engine/lib/unknown-record.ts';
import { placeOf } from '../places.ts';
import { type CoordinatorFault, fault } from './fault.ts';

export const NAME_RULE = 'expected a name of small letters, digits, "-" and "_"';

export function repoFaults({ repos }: Unknowns): readonly CoordinatorFault[] {
  if (!isRecord(repos) || Object.keys(repos).length === 0) {
    return [fault('repos_invalid', 'repos', 'expected an object with at least one repo')];
  }
  const firstAt = new Map<string, string>();
  return Object.entries(repos).flatMap(([id, repo]) => {
    const field = `repos.${id}`;
    const named = matches(ROLE_ID, id) ? [] : [fault('repo_id_invalid', field, NAME_RULE)];
    if (!isRecord(repo)) return [...named, fault('repo_invalid', field, 'expected an object')];
    return [...named, ...pathFaults(id, repo.path, firstAt), ...memberFaults(field, repo)];
  });
}

function pathFaults(id: string, path: unknown, firstAt: Map<string, string>): readonly CoordinatorFault[] {
  const field = `repos.${id}.path`;
  const place = isFilled(path) ? placeOf('.', path) : null;
  if (place === null) return [fault('repo_path_invalid', field, 'expected a path')];
  const other = firstAt.get(place);
  if (other !== undefined) return [fault('repo_path_duplicate', field, `repo "${other}" is there already`)];
  firstAt.set(place, id);
  return [];
}

function memberFaults(field: string, { default_branch, required }: Unknowns): readonly CoordinatorFault[] {
  const faults: CoordinatorFault[] = [];
  if (!isMissing(default_branch) && !isFilled(default_branch)) {
    faults.push(fault('repo_invalid', `${field}.default_branch`, 'expected the name of a branch'));
  }
  if (!isMissing(required) && typeof required !== 'boolean') {
    faults.push(fault('repo_invalid', `${field}.required`, 'expected true or false'));
  }
  return faults;
}
