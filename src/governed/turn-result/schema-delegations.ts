/** The delegations of a turn result. */

import { DECISION_ID, DELEGATION_ID, matches, ROLE_ID } from '../engine/lib/patterns.ts';
import { isFilled, isMissing, isRecord } from '../engine/lib/unknown-record.ts';
import { type Fault, unlike } from './fault.ts';
import { eachOf, textFaults } from './schema-parts.ts';

export function delegationFaults(delegations: unknown): readonly Fault[] {
  return eachOf('delegations', delegations, (at, delegation) => {
    if (!isRecord(delegation)) return [unlike(at, 'an object')];
    const { id, to_role, charter, acceptance_contract, required_decision_ids } = delegation;
    const faults: Fault[] = [];
    if (!matches(DELEGATION_ID, id)) faults.push(unlike(`${at}.id`, 'del- and three digits'));
    if (!matches(ROLE_ID, to_role)) faults.push(unlike(`${at}.to_role`, 'the id of a role'));
    faults.push(...textFaults(`${at}.charter`, charter));
    if (!isFilledList(acceptance_contract, isFilled)) {
      faults.push(unlike(`${at}.acceptance_contract`, 'an array with at least one sentence'));
    }
    if (!isMissing(required_decision_ids) && !isIdList(required_decision_ids)) {
      faults.push(unlike(`${at}.required_decision_ids`, 'an array of different decision ids, with at least one'));
    }
    return faults;
  });
}

function isFilledList(list: unknown, isGood: (one: unknown) => boolean): list is readonly unknown[] {
  return Array.isArray(list) && list.length > 0 && list.every(isGood);
}

function isIdList(list: unknown): boolean {
  return isFilledList(list, (one) => matches(DECISION_ID, one)) && new Set(list).size === list.length;
}
