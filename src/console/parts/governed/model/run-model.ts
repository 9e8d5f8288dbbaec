/** Reads the hub's state of a governed run (`public_state`), which is authoritative. */

import type { JsonObject } from '../../../../core/lib/json.ts';
import { getOwn, isRecord, numberOr, recordsFrom, textOr } from '../../../lib/unknown-record.ts';
import { shortText } from '../../../text/visible-text.ts';
import { type Blocker, OPEN_BLOCKER, type RunHistory } from './run-history.ts';

type GateType = 'phase_transition' | 'run_completion';

/** A gate that waits for approval. */
export type PendingGate = Readonly<ReturnType<typeof pendingIn>[number]>;
export type RunModel = Readonly<ReturnType<typeof toRunModel>>;

export function toRunModel(state: unknown) {
  return {
    run_id: textOr(getOwn(state, 'run_id'), null),
    status: textOr(getOwn(state, 'status'), 'unknown'),
    phase: textOr(getOwn(state, 'phase'), null),
    turns: recordsFrom(getOwn(state, 'turns')).map(activeTurn),
    waits_for: waitsFor(getOwn(state, 'waits_for')),
    accepted_turns: numberOr(getOwn(state, 'accepted_turns'), 0),
    next_recommended_role: textOr(getOwn(state, 'next_recommended_role'), null),
    blocked_on: textOr(getOwn(state, 'blocked_on'), null),
    pending: [
      ...pendingIn(getOwn(state, 'pending_phase_transition'), 'phase_transition'),
      ...pendingIn(getOwn(state, 'pending_run_completion'), 'run_completion'),
    ],
    last_gate_failure: failureIn(getOwn(state, 'last_gate_failure')),
    refusal: refusalIn(getOwn(state, 'refusal')),
    runner: textOr(getOwn(getOwn(state, 'lease'), 'owner'), null),
  };
}

function activeTurn(turn: unknown) {
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

function waitsFor(value: unknown) {
  const agent_id = textOr(getOwn(value, 'agent_id'), null);
  if (agent_id === null) return null;
  return { agent_id, kind: textOr(getOwn(value, 'kind'), 'result') };
}

function pendingIn(value: unknown, gate_type: GateType) {
  return recordsFrom([value]).map((pending) => ({
    gate_type,
    gate: textOr(getOwn(pending, 'gate'), null),
    /** null at the end of the run. */
    to: textOr(getOwn(pending, 'to'), null),
    requested_by_turn: textOr(getOwn(pending, 'requested_by_turn'), null),
  }));
}

function failureIn(value: unknown) {
  if (!isRecord(value)) return null;
  return { gate: textOr(getOwn(value, 'gate'), null), reasons: recordsFrom(getOwn(value, 'reasons')).map(reasonText) };
}

/** Describes a reason code with its parameters: `files missing: paths README.md`. */
function reasonText(reason: unknown): string {
  const code = textOr(getOwn(reason, 'code'), 'unknown').replaceAll('_', ' ');
  const params = getOwn(reason, 'params');
  const about = isRecord(params) ? Object.entries(params).map(([name, value]) => `${name} ${valueText(value)}`) : [];
  return about.length === 0 ? code : `${code}: ${about.join(', ')}`;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(valueText).join(' and ');
  return JSON.stringify(value) ?? '';
}

function refusalIn(value: unknown) {
  if (!isRecord(value)) return null;
  return {
    gate: textOr(getOwn(value, 'gate'), null),
    by: textOr(getOwn(value, 'by'), null),
    reason: textOr(getOwn(value, 'reason'), ''),
  };
}

/** The current blocker of the run; null if it is not blocked. */
export function currentBlocker({ blocked_on }: RunModel, { blockers, rejections }: RunHistory): Blocker | null {
  if (blocked_on === null) return null;
  const open = blockers.findLast(({ resolved_at }) => resolved_at === null);
  if (open !== undefined) return { ...open, what: blocked_on };
  // No envelope reports that too many rejections blocked the run: show the last rejection.
  const last = rejections.at(-1);
  return {
    ...OPEN_BLOCKER,
    seq: last?.seq ?? 0,
    at: last?.at ?? '',
    what: blocked_on,
    detail: last === undefined ? blocked_on : last.reason,
    isQuestion: blocked_on.startsWith('human:'),
  };
}

/** Describes what a run is blocked on. */
export function stopText(what: string, detail: string): string {
  const [kind = '', ...rest] = what.split(':');
  const about = rest.join(':').trim();
  if (about === '') return what;
  if (kind === 'human') return about === detail.trim() ? 'a question for a person' : `needs a person: ${about}`;
  if (kind === 'turn') return `turn ${about}`;
  return kind === 'escalation' ? `escalated: ${about.replaceAll(':', ', ').replaceAll('-', ' ')}` : what;
}

export function gateText(gate: string | null): string {
  return gate === null ? 'unnamed gate' : `gate ${shortText(gate)}`;
}

export interface GateAnswer {
  readonly event_type: 'gate.approved' | 'gate.refused';
  readonly event_data: JsonObject;
}

export function approval({ gate_type, gate }: PendingGate, note: string): GateAnswer {
  const words = note.trim();
  return { event_type: 'gate.approved', event_data: { gate_type, gate, ...(words === '' ? {} : { note: words }) } };
}

export function refusal({ gate_type, gate }: PendingGate, reason: string): GateAnswer {
  return { event_type: 'gate.refused', event_data: { gate_type, gate, reason: reason.trim() } };
}
