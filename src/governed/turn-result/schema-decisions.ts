/** The decisions of a turn result. */

import { DECISION_ID, matches } from '../engine/lib/patterns.ts';
import { isMissing, isOneOf, isRecord, repeatedIn } from '../engine/lib/unknown-record.ts';
import { type Fault, unlike } from './fault.ts';
import { DECISION_CATEGORIES } from '../engine/turn-result/result.ts';
import { eachOf, textFaults } from './schema-parts.ts';

const DURABILITIES = ['run', 'repo'] as const;

export function decisionFaults(decisions: unknown): readonly Fault[] {
  return [...eachOf('decisions', decisions, oneDecision), ...repeatedIds(decisions)];
}

function oneDecision(at: string, decision: unknown): readonly Fault[] {
  if (!isRecord(decision)) return [unlike(at, 'an object')];
  const { id, category, statement, rationale, durability, overrides } = decision;
  const faults: Fault[] = [];
  if (!matches(DECISION_ID, id)) {
    faults.push({ ...unlike(`${at}.id`, 'DEC- and digits'), error_type: 'invalid_decision_id_format' });
  }
  if (!isOneOf(DECISION_CATEGORIES, category)) {
    faults.push(unlike(`${at}.category`, `one of ${DECISION_CATEGORIES.join(', ')}`));
  }
  faults.push(...textFaults(`${at}.statement`, statement), ...textFaults(`${at}.rationale`, rationale));
  if (!isMissing(durability) && !isOneOf(DURABILITIES, durability)) {
    faults.push(unlike(`${at}.durability`, `one of ${DURABILITIES.join(', ')}`));
  }
  if (!isMissing(overrides) && !matches(DECISION_ID, overrides))
    faults.push(unlike(`${at}.overrides`, 'DEC- and digits'));
  else if (!isMissing(overrides) && overrides === id) {
    faults.push(unlike(`${at}.overrides`, 'another decision than this one'));
  }
  return faults;
}

function repeatedIds(decisions: unknown): readonly Fault[] {
  if (!Array.isArray(decisions)) return [];
  const ids = decisions.flatMap((one) => (isRecord(one) && typeof one.id === 'string' ? [one.id] : []));
  return repeatedIn(ids).map((id) => ({
    error_type: 'duplicate_decision_id',
    error_field: 'decisions',
    detail: `decisions: ${id} stands there more than once`,
  }));
}
