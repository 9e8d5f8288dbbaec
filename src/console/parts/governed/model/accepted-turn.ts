/** Reads an accepted turn and its decisions from a log or an imported history. */

import {
  getOwn,
  isRecord,
  numberOr,
  recordsFrom,
  textOr,
  textsFrom,
  type UnknownRecord,
} from '../../../lib/unknown-record.ts';

export interface Objection {
  readonly id: string;
  readonly severity: string;
  readonly statement: string;
  readonly status: string | null;
}

export interface AcceptedTurnModel {
  readonly seq: number;
  readonly at: string;
  readonly turn_id: string;
  readonly role: string;
  readonly status: string;
  readonly summary: string;
  readonly objections: readonly Objection[];
  readonly verification: string;
  readonly verified_by: readonly string[];
  readonly files: readonly string[];
  readonly next_role: string | null;
  readonly cost_usd: number | null;
  /** Redacted by an operator. */
  readonly is_hidden: boolean;
}

export interface Decision {
  readonly seq: number;
  readonly id: string;
  readonly turn_id: string | null;
  readonly role: string | null;
  readonly category: string;
  readonly statement: string;
  readonly rationale: string;
  readonly outlivesRun: boolean;
  readonly overrides: string | null;
  readonly overridden_by: string | null;
}

interface Place {
  readonly seq: number;
  readonly at: string;
  readonly isHidden?: boolean;
}

export function acceptedTurn(entry: UnknownRecord, { seq, at, isHidden = false }: Place): AcceptedTurnModel {
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
    is_hidden: isHidden,
  };
}

function objectionOf(value: UnknownRecord): Objection {
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

export function decisionsOf(list: unknown, { seq, turn_id, role }: DecidedIn): readonly Decision[] {
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
    overridden_by: isRecord(one) ? textOr(getOwn(one, 'overridden_by'), null) : null,
  }));
}
