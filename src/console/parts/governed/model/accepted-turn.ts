/** An accepted turn and its decisions, as a log or the history of another place tells them. */

import { isRecord, numberOr, own, recordsIn, textOr, textsIn, type Unknowns } from './unknown-record.ts';

export interface Objection {
  readonly id: string;
  readonly severity: string;
  readonly statement: string;
  readonly status: string | null;
}

export interface TurnTaken {
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
  /** An operator has hidden what it said. */
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

export function acceptedTurn(entry: Unknowns, { seq, at, isHidden = false }: Place): TurnTaken {
  const verification = own(entry, 'verification');
  return {
    seq,
    at,
    turn_id: textOr(own(entry, 'turn_id'), '?'),
    role: textOr(own(entry, 'role'), '?'),
    status: textOr(own(entry, 'status'), isHidden ? 'hidden' : 'unknown'),
    summary: isHidden ? '' : textOr(own(entry, 'summary'), ''),
    objections: recordsIn(own(entry, 'objections')).map(objectionOf),
    verification: textOr(own(verification, 'status'), 'none'),
    verified_by: textsIn(own(verification, 'commands')),
    files: textsIn(own(entry, 'files_changed')),
    next_role: textOr(own(entry, 'proposed_next_role'), null),
    cost_usd: numberOr(own(own(entry, 'cost'), 'usd'), null),
    is_hidden: isHidden,
  };
}

function objectionOf(value: Unknowns): Objection {
  return {
    id: textOr(own(value, 'id'), '?'),
    severity: textOr(own(value, 'severity'), 'unknown'),
    statement: textOr(own(value, 'statement'), ''),
    status: textOr(own(value, 'status'), null),
  };
}

interface DecidedIn {
  readonly seq: number;
  readonly turn_id?: string;
  readonly role?: string;
}

export function decisionsOf(list: unknown, { seq, turn_id, role }: DecidedIn): readonly Decision[] {
  return recordsIn(list).map((one) => ({
    seq,
    id: textOr(own(one, 'id'), '?'),
    turn_id: turn_id ?? textOr(own(one, 'turn_id'), null),
    role: role ?? textOr(own(one, 'role'), null),
    category: textOr(own(one, 'category'), 'unknown'),
    statement: textOr(own(one, 'statement'), ''),
    rationale: textOr(own(one, 'rationale'), ''),
    outlivesRun: own(one, 'durability') === 'repo',
    overrides: textOr(own(one, 'overrides'), null),
    overridden_by: isRecord(one) ? textOr(own(one, 'overridden_by'), null) : null,
  }));
}
