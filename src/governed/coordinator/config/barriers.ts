/** What ends a workstream; barriers that wait for decisions say for which, repo by repo. */

import { DECISION_ID, matches } from '../../engine/lib/patterns.ts';
import { isOneOf, isRecord, repeatedIn, type Unknowns } from '../../engine/lib/unknown-record.ts';
import { BARRIER_TYPES, DECISION_BARRIERS } from '../../engine/coordinator/config.ts';
import { type CoordinatorFault, fault } from './fault.ts';

export function barrierFaults(field: string, workstream: Unknowns): readonly CoordinatorFault[] {
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
  return [...repoFaults(place, ids, Array.isArray(repos) ? repos : []), ...idFaults(place, ids)];
}

/** Exactly the workstream's repos: one that is left out would have nothing to agree to. */
function repoFaults(place: string, ids: Unknowns, repos: readonly unknown[]): readonly CoordinatorFault[] {
  const missing = repos.filter((repo) => typeof repo === 'string' && !Object.hasOwn(ids, repo));
  const strange = Object.keys(ids).filter((repo) => !repos.includes(repo));
  const code = 'barrier_decision_repos_mismatch';
  return [
    ...missing.map((repo) => fault(code, place, `repo "${repo}" of the workstream is not in it`)),
    ...strange.map((repo) => fault(code, place, `repo "${repo}" is not one of the workstream's`)),
  ];
}

function idFaults(place: string, ids: Unknowns): readonly CoordinatorFault[] {
  return Object.entries(ids).flatMap(([repo, list]) => {
    const isList = Array.isArray(list) && list.length > 0 && list.every((id) => matches(DECISION_ID, id));
    if (isList && repeatedIn(list).length === 0) return [];
    const sentence = 'expected at least one decision, each DEC- and a number, none twice';
    return [fault('barrier_decision_ids_invalid', `${place}.${repo}`, sentence)];
  });
}
