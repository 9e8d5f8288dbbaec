/** Renders a run for participants: each envelope as a line, a short state, and the input of a turn. */

import { findJsonObject, type Json, type JsonObject } from '../../core/lib/json.ts';
import { renderText } from '../../core/ports/adapter.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import { phaseConfig, phasesOf } from '../engine/config/config.ts';
import { getOwn, isNonEmptyText, isRecord, type UnknownRecord } from '../engine/lib/unknown-record.ts';
import { getActiveTurns } from '../engine/turns/active.ts';
import type { GovernedType } from './moves/table.ts';
import { holderOf, type SessionRules } from './state/rules.ts';
import type { GovernedState } from './state/state.ts';

const LINES: { readonly [Type in GovernedType]: (data: UnknownRecord) => string } = {
  'governed.imported': ({ state }) => `run taken over${isRecord(state) ? `: ${word(state.run_id)}` : ', more of it'}`,
  'run.initialized': ({ run_id }) => `run ${word(run_id)} begins`,
  'run.blocked': ({ blocked_on, detail }) => `run blocked on ${word(blocked_on)}${said(detail)}`,
  'run.escalated': ({ reason, detail }) => `run escalated: ${word(reason)}${said(detail)}`,
  'run.resolved': ({ action, note }) => `blocker resolved (${word(action ?? 'resume')})${said(note)}`,
  'run.answered': ({ note }) => `answered${said(note)}`,
  'turn.assigned': ({ turn_id, role }) => `turn ${word(turn_id)} goes to ${word(role)}`,
  'turn.dispatched': ({ turn_id }) => `turn ${word(turn_id)} dispatched`,
  'turn.progress': ({ turn_id, step }) => `turn ${word(turn_id)}: ${word(step)}`,
  'turn.result': ({ turn_id, result }) => `turn ${word(turn_id)} submitted${said(isRecord(result) && result.summary)}`,
  'turn.accepted': ({ turn_id, result }) => `turn ${word(turn_id)} accepted${resultWords(result)}`,
  'turn.rejected': ({ turn_id, reason }) => `turn ${word(turn_id)} rejected${said(reason)}`,
  'turn.reissued': ({ turn_id, reason }) => `turn ${word(turn_id)} reissued${said(reason)}`,
  'turn.rebased': ({ turn_id }) => `turn ${word(turn_id)} rebased onto the current project`,
  'gate.approved': ({ gate, via }) => `gate ${word(gate)} approved${via === 'policy' ? ' by policy' : ''}`,
  'gate.refused': ({ gate, reason }) => `gate ${word(gate)} refused${said(reason)}`,
  'hook.results': ({ phase }) => `hooks of ${word(phase)} have run`,
  'lease.taken': ({ owner }) => `${word(owner)} works on the run`,
  'lease.released': () => 'no process works on the run',
};

export function renderLine(envelope: Envelope): string {
  const { event_type, event_data, redacted } = envelope;
  const line = redacted === undefined && Object.hasOwn(LINES, event_type) ? LINES[event_type as GovernedType] : null;
  return line === null ? renderText(envelope) : line(event_data);
}

/** Returns the prompt and context of a dispatched turn; otherwise the envelope as a line. */
export function turnInputOf(envelope: Envelope): string {
  const { prompt, context } = envelope.event_data as UnknownRecord;
  if (envelope.event_type !== 'turn.dispatched' || envelope.redacted !== undefined) return renderLine(envelope);
  const parts = [prompt, context].filter(isNonEmptyText);
  return parts.length === 0 ? renderLine(envelope) : parts.join('\n\n---\n\n');
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}

function said(value: unknown): string {
  return isNonEmptyText(value) ? `: ${value}` : '';
}

function resultWords(result: unknown): string {
  if (!isRecord(result)) return '';
  const { status, summary, decisions, objections } = result;
  const listed = [...lines(decisions), ...lines(objections)];
  return [` (${word(status)})${said(summary)}`, ...listed].join('\n');
}

function lines(items: unknown): readonly string[] {
  return Array.isArray(items)
    ? items.filter(isRecord).map(({ id, statement }) => `  ${word(id)} ${word(statement)}`)
    : [];
}

function phasesShown({ config }: SessionRules): readonly JsonObject[] {
  return phasesOf(config).map((phase) => {
    const { entry_role = null, exit_gate = null } = phaseConfig(config, phase) ?? {};
    return { phase, entry_role, exit_gate };
  });
}

/** Lists gates in phase order, then the others. A status is null if the gate has not been evaluated. */
function gatesShown({ config }: SessionRules, { run }: GovernedState): readonly JsonObject[] {
  const { phase_gate_status, pending_phase_transition, pending_run_completion } = run;
  const ofPhases = phasesOf(config).flatMap((phase) => phaseConfig(config, phase)?.exit_gate ?? []);
  return [...new Set([...ofPhases, ...Object.keys(config.gates ?? {})])].map((gate) => ({
    gate,
    status: getOwn(phase_gate_status, gate) ?? null,
    phase: phasesOf(config).find((phase) => phaseConfig(config, phase)?.exit_gate === gate) ?? null,
    requires_human_approval: getOwn(config.gates, gate)?.requires_human_approval === true,
    waits_for_approval: pending_phase_transition?.gate === gate || pending_run_completion?.gate === gate,
  }));
}

export function displayState(rules: SessionRules, state: GovernedState): JsonObject {
  const { run, claims, expected, follow_ups, refusal, lease, books } = state;
  const turns = Object.values(getActiveTurns(run)).map(
    ({ turn_id, assigned_role: role, status, attempt, deadline_at }) => ({
      turn_id,
      role,
      holder: holderOf(rules, role),
      status,
      attempt,
      deadline_at,
      is_handed_in: Object.hasOwn(claims, turn_id),
    }),
  );
  const shown = {
    run_id: run.run_id,
    status: run.status,
    phase: run.phase,
    phases: phasesShown(rules),
    gates: gatesShown(rules, state),
    turns,
    waits_for: expected,
    accepted_turns: books.turns.length,
    decisions: books.decisions.length,
    next_recommended_role: run.next_recommended_role,
    blocked_on: run.blocked_on,
    pending_phase_transition: run.pending_phase_transition,
    pending_run_completion: run.pending_run_completion,
    last_gate_failure: run.last_gate_failure,
    refusal,
    lease,
    follow_ups: follow_ups.length,
  };
  // Safe cast: the state is JSON, but its interfaces lack an index signature.
  return shown as unknown as JsonObject;
}

/** Parses an agent's answer as JSON, even fenced or inside text; otherwise returns the text. */
export function parseResultText(text: string): Json {
  return findJsonObject(text) ?? text;
}
