/** May this decision enter the ledger? Nothing that is in there is ever changed. */

import { DECISION_ID, matches } from '../engine/lib/patterns.ts';
import { isFilled, isOneOf, isRecord, type Unknowns } from '../engine/lib/unknown-record.ts';
import { DECISION_CATEGORIES } from '../engine/turn-result/result.ts';

export interface LedgerRefusal {
  readonly error_type:
    | 'invalid_decision_id_format'
    | 'empty_required_field'
    | 'invalid_enum_value'
    | 'duplicate_decision_id';
  readonly error_field: string;
  readonly valid_values?: readonly string[];
  readonly duplicate_id?: string;
  readonly detail: string;
}

/** `taken`: the ids of this run's ledger. */
export function refusedDecision(entry: unknown, taken: ReadonlySet<string>): LedgerRefusal | null {
  const { id, statement, category } = isRecord(entry) ? entry : {};
  if (!matches(DECISION_ID, id)) {
    return { error_type: 'invalid_decision_id_format', error_field: 'id', detail: 'id: expected DEC- and digits' };
  }
  if (!isFilled(statement)) {
    return {
      error_type: 'empty_required_field',
      error_field: 'statement',
      detail: 'statement: a decision says something',
    };
  }
  if (!isOneOf(DECISION_CATEGORIES, category)) {
    const detail = `category: expected one of ${DECISION_CATEGORIES.join(', ')}`;
    return { error_type: 'invalid_enum_value', error_field: 'category', valid_values: DECISION_CATEGORIES, detail };
  }
  if (taken.has(id)) {
    return {
      error_type: 'duplicate_decision_id',
      error_field: 'id',
      duplicate_id: id,
      detail: `${id} is in the ledger already`,
    };
  }
  return null;
}

/** The ids a run's ledger has. Entries of other runs, and those without an id, take none. */
export function decisionIds(ledger: readonly Unknowns[], runId: string | null): ReadonlySet<string> {
  const ofRun = ledger.filter(({ run_id }) => run_id === undefined || run_id === null || run_id === runId);
  return new Set(ofRun.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
}
