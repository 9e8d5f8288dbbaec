/** What the hub says of a governed run (`public_state`): the truth about its status, its phase, and what is open. */

import type { JsonObject } from '../../../../core/lib/json.ts';
import { getOwn, isRecord, numberOr, recordsFrom, textOr } from '../../../lib/unknown-record.ts';
import type { Blocker, RunHistory } from './run-history.ts';

type GateType = 'phase_transition' | 'run_completion';

/** A gate that waits for somebody who may approve. */
export interface PendingGate {
  readonly gate_type: GateType;
  readonly gate: string | null;
  /** The phase it leads to; null = the end of the run. */
  readonly to: string | null;
  readonly requested_by_turn: string | null;
}

interface GateFailure {
  readonly gate: string | null;
  readonly gate_type: GateType;
  readonly phase: string | null;
  readonly reasons: readonly string[];
  readonly failed_at: string | null;
}

interface ActiveTurn {
  readonly turn_id: string;
  readonly role: string;
  readonly holder: string | null;
  readonly status: string;
  readonly attempt: number;
  readonly deadline_at: string | null;
  readonly is_handed_in: boolean;
}

interface Refusal {
  readonly gate: string | null;
  readonly by: string | null;
  readonly reason: string;
}

export interface RunModel {
  readonly run_id: string | null;
  readonly status: string;
  readonly phase: string | null;
  readonly turns: readonly ActiveTurn[];
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

export function toRunModel(state: unknown): RunModel {
  return {
    run_id: textOr(getOwn(state, 'run_id'), null),
    status: textOr(getOwn(state, 'status'), 'unknown'),
    phase: textOr(getOwn(state, 'phase'), null),
    turns: recordsFrom(getOwn(state, 'turns')).map(turnOut),
    waits_for: waitsFor(getOwn(state, 'waits_for')),
    accepted_turns: numberOr(getOwn(state, 'accepted_turns'), 0),
    decisions: numberOr(getOwn(state, 'decisions'), 0),
    next_recommended_role: textOr(getOwn(state, 'next_recommended_role'), null),
    blocked_on: textOr(getOwn(state, 'blocked_on'), null),
    pending: [
      ...pendingIn(getOwn(state, 'pending_phase_transition'), 'phase_transition'),
      ...pendingIn(getOwn(state, 'pending_run_completion'), 'run_completion'),
    ],
    last_gate_failure: failureIn(getOwn(state, 'last_gate_failure')),
    refusal: refusalIn(getOwn(state, 'refusal')),
    lease: leaseIn(getOwn(state, 'lease')),
  };
}

function turnOut(turn: unknown): ActiveTurn {
  return {
    turn_id: textOr(getOwn(turn, 'turn_id'), '?'),
    role: textOr(getOwn(turn, 'role'), '?'),
    holder: textOr(getOwn(turn, 'holder'), null),
    status: textOr(getOwn(turn, 'status'), 'unknown'),
    attempt: numberOr(getOwn(turn, 'attempt'), 1),
    deadline_at: textOr(getOwn(turn, 'deadline_at'), null),
    is_handed_in: getOwn(turn, 'is_handed_in') === true,
  };
}

function waitsFor(value: unknown): RunModel['waits_for'] {
  const agent_id = textOr(getOwn(value, 'agent_id'), null);
  if (agent_id === null) return null;
  return { agent_id, kind: textOr(getOwn(value, 'kind'), 'result'), turn_id: textOr(getOwn(value, 'turn_id'), null) };
}

function pendingIn(value: unknown, gate_type: GateType): readonly PendingGate[] {
  if (!isRecord(value)) return [];
  return [
    {
      gate_type,
      gate: textOr(getOwn(value, 'gate'), null),
      to: textOr(getOwn(value, 'to'), null),
      requested_by_turn: textOr(getOwn(value, 'requested_by_turn'), null),
    },
  ];
}

function failureIn(value: unknown): GateFailure | null {
  if (!isRecord(value)) return null;
  return {
    gate: textOr(getOwn(value, 'gate'), null),
    gate_type: getOwn(value, 'gate_type') === 'run_completion' ? 'run_completion' : 'phase_transition',
    phase: textOr(getOwn(value, 'phase'), null),
    reasons: recordsFrom(getOwn(value, 'reasons')).map(reasonWords),
    failed_at: textOr(getOwn(value, 'failed_at'), null),
  };
}

/** `files missing: paths README.md`: the code in words, and what it is about. */
function reasonWords(reason: unknown): string {
  const code = textOr(getOwn(reason, 'code'), 'unknown').replaceAll('_', ' ');
  const params = getOwn(reason, 'params');
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
    gate: textOr(getOwn(value, 'gate'), null),
    by: textOr(getOwn(value, 'by'), null),
    reason: textOr(getOwn(value, 'reason'), ''),
  };
}

function leaseIn(value: unknown): RunModel['lease'] {
  const owner = textOr(getOwn(value, 'owner'), null);
  return owner === null ? null : { owner, expires_at: textOr(getOwn(value, 'expires_at'), null) };
}

/** null = nothing does. */
export function currentBlocker({ blocked_on }: RunModel, { blockers, rejections }: RunHistory): Blocker | null {
  if (blocked_on === null) return null;
  const open = blockers.findLast(({ resolved_at }) => resolved_at === null);
  if (open !== undefined) return { ...open, what: blocked_on };
  // A turn that was sent back too often stops the run too, and no envelope says so itself.
  const last = rejections.at(-1);
  return {
    seq: last?.seq ?? 0,
    at: last?.at ?? '',
    what: blocked_on,
    detail: last === undefined ? blocked_on : last.reason,
    owner: null,
    action: null,
    isQuestion: blocked_on.startsWith('human:'),
    resolved_at: null,
    resolved_seq: null,
    resolution: null,
  };
}

export function stopText(what: string, detail: string): string {
  const [kind = '', ...rest] = what.split(':');
  const about = rest.join(':').trim();
  if (about === '') return what;
  if (kind === 'human') return about === detail.trim() ? 'a question for a person' : `a person is needed: ${about}`;
  if (kind === 'turn') return `the turn ${about} stands still`;
  return kind === 'escalation' ? `escalated: ${about.replaceAll(':', ', ').replaceAll('-', ' ')}` : what;
}

export interface GateAnswer {
  readonly event_type: 'gate.approved' | 'gate.refused';
  readonly event_data: JsonObject;
}

export function approval({ gate_type, gate }: PendingGate, note: string): GateAnswer {
  const words = note.trim();
  return { event_type: 'gate.approved', event_data: { gate_type, gate, ...(words === '' ? {} : { note: words }) } };
}

/** A refusal has a reason. */
export function refusal({ gate_type, gate }: PendingGate, reason: string): GateAnswer {
  return { event_type: 'gate.refused', event_data: { gate_type, gate, reason: reason.trim() } };
}
