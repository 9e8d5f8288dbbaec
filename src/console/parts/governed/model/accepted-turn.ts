/** Reads an accepted turn and its decisions from a log or an imported history. */

import { getOwn, numberOr, recordsFrom, textOr, textsFrom, type UnknownRecord } from '../../../lib/unknown-record.ts';

export type AcceptedTurnModel = Readonly<ReturnType<typeof acceptedTurn>>;
export type Decision = Readonly<ReturnType<typeof decisionsOf>[number]>;

interface Place {
  readonly seq: number;
  readonly at: string;
  readonly isHidden?: boolean;
}

export function acceptedTurn(entry: UnknownRecord, { seq, at, isHidden = false }: Place) {
  const verification = getOwn(entry, 'verification');
  return {
    seq,
    at,
    turn_id: textOr(getOwn(entry, 'turn_id'), '?'),
    role: textOr(getOwn(entry, 'role'), '?'),
    status: textOr(getOwn(entry, 'status'), isHidden ? 'hidden' : 'unknown'),
    summary: isHidden ? '' : textOr(getOwn(entry, 'summary'), ''),
    objections: recordsFrom(getOwn(entry, 'objections')).map(objectionOf),
    verification: textOr(getOwn(verification, 'status'), 'none'),
    verified_by: textsFrom(getOwn(verification, 'commands')),
    files: textsFrom(getOwn(entry, 'files_changed')),
    next_role: textOr(getOwn(entry, 'proposed_next_role'), null),
    cost_usd: numberOr(getOwn(getOwn(entry, 'cost'), 'usd'), null),
    /** True if an operator redacted the turn. */
    is_hidden: isHidden,
  };
}

function objectionOf(value: UnknownRecord) {
  return {
    id: textOr(getOwn(value, 'id'), '?'),
    severity: textOr(getOwn(value, 'severity'), 'unknown'),
    statement: textOr(getOwn(value, 'statement'), ''),
    status: textOr(getOwn(value, 'status'), null),
  };
}

interface DecidedIn {
  readonly seq: number;
  readonly turn_id?: string;
  readonly role?: string;
}

export function decisionsOf(list: unknown, { seq, turn_id, role }: DecidedIn) {
  return recordsFrom(list).map((one) => ({
    seq,
    id: textOr(getOwn(one, 'id'), '?'),
    turn_id: turn_id ?? textOr(getOwn(one, 'turn_id'), null),
    role: role ?? textOr(getOwn(one, 'role'), null),
    category: textOr(getOwn(one, 'category'), 'unknown'),
    statement: textOr(getOwn(one, 'statement'), ''),
    rationale: textOr(getOwn(one, 'rationale'), ''),
    outlivesRun: getOwn(one, 'durability') === 'repo',
    overrides: textOr(getOwn(one, 'overrides'), null),
    overridden_by: textOr(getOwn(one, 'overridden_by'), null),
  }));
}
