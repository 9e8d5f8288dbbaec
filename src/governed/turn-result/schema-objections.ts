/** The objections of a turn result. */

import { matches, OBJECTION_ID } from '../engine/lib/patterns.ts';
import { isMissing, isOneOf, isRecord } from '../engine/lib/unknown-record.ts';
import { type Fault, unlike } from './fault.ts';
import { OBJECTION_STATUSES, SEVERITIES } from '../engine/turn-result/result.ts';
import { eachOf, textFaults } from './schema-parts.ts';

export function objectionFaults(objections: unknown): readonly Fault[] {
  return eachOf('objections', objections, (at, objection) => {
    if (!isRecord(objection)) return [unlike(at, 'an object')];
    const { id, severity, statement, status } = objection;
    const faults: Fault[] = [];
    if (!matches(OBJECTION_ID, id)) faults.push(unlike(`${at}.id`, 'OBJ- and digits'));
    if (!isOneOf(SEVERITIES, severity)) faults.push(unlike(`${at}.severity`, `one of ${SEVERITIES.join(', ')}`));
    faults.push(...textFaults(`${at}.statement`, statement));
    if (!isMissing(status) && !isOneOf(OBJECTION_STATUSES, status)) {
      faults.push(unlike(`${at}.status`, `one of ${OBJECTION_STATUSES.join(', ')}`));
    }
    return faults;
  });
}
