/** What the hub says of a governed run (`public_state`): the truth about its status, its phase, and what is open. */

import { isRecord, numberOr, own, recordsIn, textOr } from './model/unknown-record.ts';

export type GateType = 'phase_transition' | 'run_completion';

/** A gate that waits for somebody who may approve. */
export interface PendingGate {
  readonly gate_type: GateType;
  readonly gate: string | null;
  /** The phase it leads to; null = the end of the run. */
  readonly to: string | null;
  readonly requested_by_turn: string | null;
}

export interface GateFailure {
  readonly gate: string | null;
  readonly gate_type: GateType;
  readonly phase: string | null;
  readonly reasons: readonly string[];
  readonly failed_at: string | null;
}

export interface TurnOut {
  readonly turn_id: string;
  readonly role: string;
  readonly holder: string | null;
  readonly status: string;
  readonly attempt: number;
  readonly deadline_at: string | null;
  readonly is_handed_in: boolean;
}

export interface Refusal {
  readonly gate: string | null;
  readonly by: string | null;
  readonly reason: string;
}

export interface RunShown {
  readonly run_id: string | null;
  readonly status: string;
  readonly phase: string | null;
  readonly turns: readonly TurnOut[];
  /** Whom the run waits for. */
  readonly waits_for: { readonly agent_id: string; readonly kind: string; readonly turn_id: string | null } | null;
  readonly accepted_turns: number;
  readonly decisions: number;
  readonly next_recommended_role: string | null;
  readonly blocked_on: string | null;
  readonly pending: readonly PendingGate[];
  readonly last_gate_failure: GateFailure | null;
  readonly refusal: Refusal | null;
  readonly lease: { readonly owner: string; readonly expires_at: string | null } | null;
}

export function runShown(state: unknown): RunShown {
  return {
    run_id: textOr(own(state, 'run_id'), null),
    status: textOr(own(state, 'status'), 'unknown'),
    phase: textOr(own(state, 'phase'), null),
    turns: recordsIn(own(state, 'turns')).map(turnOut),
    waits_for: waitsFor(own(state, 'waits_for')),
    accepted_turns: numberOr(own(state, 'accepted_turns'), 0),
    decisions: numberOr(own(state, 'decisions'), 0),
    next_recommended_role: textOr(own(state, 'next_recommended_role'), null),
    blocked_on: textOr(own(state, 'blocked_on'), null),
    pending: [
      ...pendingIn(own(state, 'pending_phase_transition'), 'phase_transition'),
      ...pendingIn(own(state, 'pending_run_completion'), 'run_completion'),
    ],
    last_gate_failure: failureIn(own(state, 'last_gate_failure')),
    refusal: refusalIn(own(state, 'refusal')),
    lease: leaseIn(own(state, 'lease')),
  };
}

function turnOut(turn: unknown): TurnOut {
  return {
    turn_id: textOr(own(turn, 'turn_id'), '?'),
    role: textOr(own(turn, 'role'), '?'),
    holder: textOr(own(turn, 'holder'), null),
    status: textOr(own(turn, 'status'), 'unknown'),
    attempt: numberOr(own(turn, 'attempt'), 1),
    deadline_at: textOr(own(turn, 'deadline_at'), null),
    is_handed_in: own(turn, 'is_handed_in') === true,
  };
}

function waitsFor(value: unknown): RunShown['waits_for'] {
  const agent_id = textOr(own(value, 'agent_id'), null);
  if (agent_id === null) return null;
  return { agent_id, kind: textOr(own(value, 'kind'), 'result'), turn_id: textOr(own(value, 'turn_id'), null) };
}

function pendingIn(value: unknown, gate_type: GateType): readonly PendingGate[] {
  if (!isRecord(value)) return [];
  return [
    {
      gate_type,
      gate: textOr(own(value, 'gate'), null),
      to: textOr(own(value, 'to'), null),
      requested_by_turn: textOr(own(value, 'requested_by_turn'), null),
    },
  ];
}

function failureIn(value: unknown): GateFailure | null {
  if (!isRecord(value)) return null;
  return {
    gate: textOr(own(value, 'gate'), null),
    gate_type: own(value, 'gate_type') === 'run_completion' ? 'run_completion' : 'phase_transition',
    phase: textOr(own(value, 'phase'), null),
    reasons: recordsIn(own(value, 'reasons')).map(reasonWords),
    failed_at: textOr(own(value, 'failed_at'), null),
  };
}

/** `files missing: paths README.md`: the code in words, and what it is about. */
function reasonWords(reason: unknown): string {
  const code = textOr(own(reason, 'code'), 'unknown').replaceAll('_', ' ');
  const params = own(reason, 'params');
  const about = isRecord(params) ? Object.entries(params).map(([name, value]) => `${name} ${plain(value)}`) : [];
  return about.length === 0 ? code : `${code}: ${about.join(', ')}`;
}

function plain(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(plain).join(' and ');
  return JSON.stringify(value) ?? '';
}

function refusalIn(value: unknown): Refusal | null {
  if (!isRecord(value)) return null;
  return {
    gate: textOr(own(value, 'gate'), null),
    by: textOr(own(value, 'by'), null),
    reason: textOr(own(value, 'reason'), ''),
  };
}

function leaseIn(value: unknown): RunShown['lease'] {
  const owner = textOr(own(value, 'owner'), null);
  return owner === null ? null : { owner, expires_at: textOr(own(value, 'expires_at'), null) };
}
