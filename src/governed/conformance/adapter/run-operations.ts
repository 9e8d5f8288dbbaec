/** Implements operations on the run, its config, events and gates. `state_unchanged` always compares digests. */

import {
  type Changed,
  type EventFault,
  engine,
  type GateFacts,
  type Reason,
  type Refused,
  type RunState,
} from 'parley-hub/governed';
import { isMembers, type Members } from '../fixture.ts';
import { NOW, type Operations, RUN_ID, TURN_ID, textOf, type World } from './inflate.ts';

export const RUN_OPERATIONS: Operations = {
  initialize_run: ({ state, config }) =>
    moved(state, (run) => engine.initialiseRun(run, config, { runId: RUN_ID, now: NOW })),
  assign_turn: ({ state, config }, { role_id }) =>
    moved(state, (run) => engine.assignTurn(run, config, { roleId: textOf(role_id), turnId: TURN_ID, now: NOW })),
  approve_transition: ({ state }) => moved(state, (run) => engine.approveTransition(run, { now: NOW })),
  approve_completion: ({ state }) => moved(state, (run) => engine.approveCompletion(run, { now: NOW })),
  resolve_blocked: ({ state }, { action }) =>
    moved(state, (run) => engine.resolveBlocked(run, { action: textOf(action), now: NOW })),
  transition_state: ({ state }, args) => moved(state, (run) => engine.transitionState(run, { ...args, now: NOW })),
  evaluate_phase_exit: phaseExit,
  evaluate_run_completion: runCompletion,
  validate_config: validateConfig,
  validate_event: (_, { event }) => judged('invalid_event', engine.eventFaults(event)),
  validate_event_ordering: validateEventOrdering,
};

function moved(before: RunState, perform: (state: RunState) => Changed | Refused): Members {
  const digest = engine.digestOf(before);
  const outcome = perform(before);
  const after = outcome.ok ? outcome.state : before;
  const state_unchanged = engine.digestOf(after) === digest;
  if (outcome.ok) {
    return { result: 'ok', state_assertions: after, state_unchanged, events: outcome.events };
  }
  const { error_type, error_code, detail, params } = outcome;
  return { result: 'error', error_type, error_code, error_detail: detail, params, state_unchanged };
}

function phaseExit(world: World, args: Members): Members {
  const { state } = world;
  const asked = given(world, 'phase_transition_request', args.requested_phase);
  const digest = engine.digestOf(state);
  const verdict = engine.evaluatePhaseExit(factsOf(world), typeof asked === 'string' ? asked : null);
  const next = engine.applyPhaseVerdict(state, verdict, { now: NOW, by: null }).state;
  const answer = { ...looked(state, digest, args), action: verdict.action };
  switch (verdict.action) {
    case 'gate_error':
      return { ...answer, result: 'error', error_type: verdict.code, requested_phase: verdict.requested };
    case 'gate_failed':
      return { ...answer, ...failure(verdict.reasons), phase_unchanged: next.phase === state.phase };
    case 'advance':
      return { ...answer, new_phase: next.phase };
    case 'awaiting_human_approval':
      return { ...answer, new_status: next.status, pending_phase_transition: next.pending_phase_transition };
    case 'no_request':
      return answer;
  }
}

function runCompletion(world: World, args: Members): Members {
  const { state } = world;
  const digest = engine.digestOf(state);
  const verdict = engine.evaluateRunCompletion(factsOf(world), given(world, 'run_completion_request', true) === true);
  const next = engine.applyCompletionVerdict(state, verdict, { now: NOW, by: null }).state;
  const answer = { ...looked(state, digest, args), action: verdict.action };
  switch (verdict.action) {
    case 'not_final_phase':
    case 'gate_failed':
      return { ...answer, ...failure(verdict.reasons) };
    case 'complete':
      return { ...answer, new_status: next.status };
    case 'awaiting_human_approval':
      return { ...answer, new_status: next.status, pending_run_completion: next.pending_run_completion };
    case 'no_request':
      return answer;
  }
}

/** Returns a request from the turn result; without a turn result, the operation's own request. */
function given({ turnResult }: World, name: string, otherwise: unknown): unknown {
  return isMembers(turnResult) ? turnResult[name] : otherwise;
}

function factsOf({ config, state, files, turnResult, history, ledger }: World): GateFacts {
  const rolesHeard =
    engine.buildAcceptanceIndex(state, history, ledger).rolesHeard.get(state.phase ?? '') ?? new Set<string>();
  const verification = isMembers(turnResult) ? turnResult.verification : undefined;
  const status = isMembers(verification) ? verification.status : undefined;
  const verificationStatus = typeof status === 'string' ? status : null;
  return { config, phase: state.phase, files, verificationStatus, rolesHeard };
}

/** Uses the phase of the state; warns if the caller assumes a different one. */
function looked(state: RunState, digest: string, { current_phase }: Members): Members {
  const isElsewhere = current_phase !== undefined && current_phase !== state.phase;
  const warnings = isElsewhere ? [`current_phase: the run is in ${state.phase}, not in ${current_phase}`] : [];
  return { result: 'success', state_unchanged: engine.digestOf(state) === digest, warnings };
}

function failure(reasons: readonly [Reason, ...Reason[]]): Members {
  return { reason: engine.describeReason(reasons[0]), reasons };
}

/** Checks the config as given, without filling in defaults. */
function validateConfig(_: World, { config }: Members): Members {
  const checked = engine.checkConfig(config);
  if (checked.ok) return { result: 'success', errors: [], normalisations: checked.normalisations };
  const [{ message, ...first }] = checked.faults;
  return { result: 'error', ...first, error_detail: message, errors: checked.faults.map((fault) => fault.message) };
}

function validateEventOrdering(_: World, { events }: Members): Members {
  if (!Array.isArray(events) || events.length === 0) {
    return judged('invalid_events', [{ code: 'no_events', message: 'events: expected at least one' }]);
  }
  return judged('ordering_violation', engine.orderFaults(events));
}

function judged(error_type: string, faults: readonly EventFault[]): Members {
  const [first] = faults;
  if (first === undefined) return { result: 'success', errors: [] };
  return { result: 'error', error_type, error_code: first.code, errors: faults.map(({ message }) => message) };
}
