/** Mends a fixture where the engine reports an error, one step at a time. */

import { executeFixture } from '../../src/governed/conformance/adapter/execute.ts';
import type { Fixture } from '../../src/governed/conformance/fixture.ts';
import { mendCoordinator } from './mend-coordinator.ts';
import { mendResult } from './mend-result.ts';

/** A copy that may be written to. */
// biome-ignore lint/suspicious/noExplicitAny: fixtures are written to member by member, wherever the engine points
export type Loose = any;

export interface Mended {
  readonly isMended: boolean;
  readonly steps: readonly string[];
  readonly last: string;
}

const MOST_STEPS = 12;

export function mend(fixture: Fixture): Mended {
  const copy: Loose = structuredClone(fixture);
  const steps: string[] = [];
  for (let n = 0; n <= MOST_STEPS; n++) {
    const actual = executeFixture({ ...copy, expected: { result: '__any__' } }).actual as Loose;
    if (!isRefused(actual)) return { isMended: n > 0, steps, last: '' };
    const code = `${actual.error_type ?? actual.action} ${actual.error_code ?? actual.error_field ?? actual.reasons?.[0]?.code ?? ''}`;
    steps.push(code.trim());
    if (!mendOne(copy, actual)) return { isMended: false, steps, last: JSON.stringify(actual).slice(0, 300) };
  }
  return { isMended: false, steps, last: 'still refused' };
}

function isRefused(actual: Loose): boolean {
  return actual.result === 'error' || ['gate_failed', 'not_final_phase', 'no_request'].includes(actual.action);
}

function mendOne(fixture: Loose, actual: Loose): boolean {
  const { operation } = fixture.input;
  if (fixture.surface === 'coordinator') return mendCoordinator(fixture, actual);
  if (operation.startsWith('evaluate_')) return mendGate(fixture, actual);
  if (operation === 'validate_turn_result' || operation === 'accept_turn') return mendResult(fixture, actual);
  if (operation === 'validate_config') return mendConfig(fixture.input.args, actual);
  if (operation === 'append_decision') return mendDecision(fixture, actual);
  if (operation.startsWith('validate_event')) return mendEvents(fixture.input.args, actual);
  return mendRun(fixture, actual);
}

function mendRun(fixture: Loose, { error_type, error_code }: Loose): boolean {
  const { setup, input } = fixture;
  if (error_type === 'immutable_field') delete input.args.candidate_overrides;
  else if (error_type === 'invalid_config')
    for (const role of Object.values<Loose>(setup.config.roles)) role.runtime = 'manual';
  else if (input.operation === 'initialize_run') setup.state.status = 'idle';
  else if (input.operation === 'assign_turn') {
    if (error_code === 'unknown_role') input.args.role_id = Object.keys(setup.config.roles)[0];
    else if (error_code === 'role_without_runtime') setup.config.roles[input.args.role_id].runtime = 'manual';
    else if (error_code === 'budget_spent') delete setup.state.budget_status;
    else if (error_code === 'gate_pending')
      Object.assign(setup.state, { pending_phase_transition: null, pending_run_completion: null });
    else Object.assign(setup.state, { status: 'active', active_turns: {} });
  } else if (input.operation === 'approve_transition')
    Object.assign(setup.state, {
      status: 'paused',
      pending_phase_transition: { gate: 'g', from: setup.state.phase, to: 'next' },
    });
  else if (input.operation === 'approve_completion')
    Object.assign(setup.state, { status: 'paused', pending_run_completion: { gate: 'g', phase: setup.state.phase } });
  else if (input.operation === 'resolve_blocked') [setup.state.status, input.args.action] = ['blocked', 'resume'];
  else if (input.args.trigger === undefined || error_code === 'no_such_move') {
    delete input.args.trigger;
    [input.args.target_status, input.args.candidate_overrides] = [setup.state.status, {}];
  } else setup.state.status = 'active';
  return true;
}

function mendConfig(args: Loose, actual: Loose): boolean {
  const { error_type, error_field, referenced_runtime, referenced_role, referenced_gate } = actual;
  if (error_field === 'config') args.config = { schema_version: '1.0', roles: { one: {} } };
  else if (error_type === 'schema_version_invalid') args.config.schema_version = '1.0';
  else if (referenced_runtime)
    args.config.runtimes = { ...args.config.runtimes, [referenced_runtime]: { type: 'mcp' } };
  else if (referenced_role) args.config.roles[referenced_role] = {};
  else if (referenced_gate) args.config.gates = { ...args.config.gates, [referenced_gate]: {} };
  else if (error_field === 'roles') args.config.roles = { one: {} };
  else {
    const [group, id, name] = error_field.split('.');
    args.config[group][id][name] = name === 'max_concurrent_turns' ? 3 : 'proposed';
  }
  return true;
}

function mendDecision({ setup, input }: Loose, { error_type }: Loose): boolean {
  const { entry } = input.args;
  if (error_type === 'invalid_decision_id_format') entry.id = 'DEC-41';
  else if (error_type === 'empty_required_field') entry.statement = 'It is so';
  else if (error_type === 'invalid_enum_value') entry.category = 'process';
  else setup.ledger = [];
  return true;
}

function mendEvents(args: Loose, { error_code }: Loose): boolean {
  const { event } = args;
  if (error_code === 'missing_turn_id') event.turn = { turn_id: 'turn_mended' };
  else if (error_code === 'unknown_event_type') event.event_type = 'phase_entered';
  else if (error_code === 'missing_event_id') event.event_id = 'evt_mended';
  else if (error_code === 'bad_timestamp') event.timestamp = '2026-05-01T08:00:00Z';
  else if (error_code === 'no_events') args.events = [started()];
  else if (error_code === 'run_started_not_first')
    args.events.unshift({ ...started(), timestamp: args.events[0].timestamp });
  else if (error_code === 'run_completed_not_last')
    args.events = args.events.filter((one: Loose) => one.event_type !== 'run_completed');
  else if (error_code === 'accepted_before_dispatch') {
    const at = args.events.findIndex((one: Loose) => one.event_type === 'turn_accepted');
    args.events.splice(at, 0, { ...args.events[at], event_type: 'turn_dispatched' });
  } else for (const one of args.events) one.timestamp = args.events[0].timestamp;
  return true;
}

function started(): Loose {
  return { event_id: 'evt_0', event_type: 'run_started', timestamp: '2026-05-01T08:00:00Z', turn: null };
}

const GOOD: Readonly<Record<string, string>> = {
  '.planning/PM_SIGNOFF.md': 'Approved: YES\n',
  '.planning/SYSTEM_SPEC.md': '## Purpose\n\na\n\n## Interface\n\nb\n\n## Acceptance Tests\n\nc\n',
  '.planning/IMPLEMENTATION_NOTES.md': '## Changes\n\na\n\n## Verification\n\nb\n',
  '.planning/acceptance-matrix.md': '| Req # | Status |\n|---|---|\n| 1 | ok |\n',
  '.planning/ship-verdict.md': '## Verdict: SHIP\n',
  '.planning/RELEASE_NOTES.md': '## User Impact\n\na\n\n## Verification Summary\n\nb\n',
};

function mendGate({ setup, input }: Loose, actual: Loose): boolean {
  const phases = Object.keys(setup.config.routing);
  const code = actual.reasons?.[0]?.code ?? actual.error_type ?? actual.action;
  const { path, paths, gate, role, sections } = actual.reasons?.[0]?.params ?? {};
  if (code === 'files_missing')
    for (const one of paths) setup.filesystem = { ...setup.filesystem, [one]: GOOD[one] ?? 'there' };
  else if (code === 'verification_not_passed') setup.turn_result.verification = { status: 'pass' };
  else if (code === 'gate_not_declared') setup.config.gates[gate] = {};
  else if (code === 'not_final_phase') setup.state.phase = phases.at(-1);
  else if (code === 'owner_without_turn') setup.history = [{ turn_id: 'turn_mended', role, phase: setup.state.phase }];
  else if (path !== undefined)
    setup.filesystem[path] =
      GOOD[path] ?? setup.filesystem[path].concat(...sections.map((one: string) => `\n${one}\n\na\n`));
  else if (input.operation === 'evaluate_run_completion') setup.turn_result.run_completion_request = true;
  else {
    if (setup.state.phase === phases.at(-1)) [setup.state.phase] = phases;
    setup.turn_result.phase_transition_request = phases[phases.indexOf(setup.state.phase) + 1];
  }
  return true;
}
