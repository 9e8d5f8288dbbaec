/** Operations on the run, its config, events and gates. Whether a state is unchanged is computed from digests, never just said. */

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
import { NOW, RUN_ID, TURN_ID, textOf, type World } from './inflate.ts';

const { approveCompletion, approveTransition, assignTurn, digestOf, initialiseRun, resolveBlocked, transitionState } =
  engine;

export function initialise({ state, config }: World): Members {
  return told(state, (run) => initialiseRun(run, config, { runId: RUN_ID, now: NOW }));
}

export function assign({ state, config }: World, { role_id }: Members): Members {
  return told(state, (run) => assignTurn(run, config, { roleId: textOf(role_id), turnId: TURN_ID, now: NOW }));
}

export function approveTransitionFixture({ state }: World): Members {
  return told(state, (run) => approveTransition(run, { now: NOW }));
}

export function approveCompletionFixture({ state }: World): Members {
  return told(state, (run) => approveCompletion(run, { now: NOW }));
}

export function resolve({ state }: World, { action }: Members): Members {
  return told(state, (run) => resolveBlocked(run, { action: textOf(action), now: NOW }));
}

export function transition({ state }: World, args: Members): Members {
  return told(state, (run) => transitionState(run, { ...args, now: NOW }));
}

function told(before: RunState, perform: (state: RunState) => Changed | Refused): Members {
  const digest = digestOf(before);
  const outcome = perform(before);
  const after = outcome.ok ? outcome.state : before;
  const state_unchanged = digestOf(after) === digest;
  if (outcome.ok) {
    return { result: 'ok', state_assertions: after, state_unchanged, events: outcome.events };
  }
  const { error_type, error_code, detail, params } = outcome;
  return { result: 'error', error_type, error_code, error_detail: detail, params, state_unchanged };
}

const {
  applyCompletionVerdict,
  applyPhaseVerdict,
  buildAcceptanceIndex,
  evaluatePhaseExit,
  evaluateRunCompletion,
  describeReason,
} = engine;

export function phaseExit(world: World, args: Members): Members {
  const { state } = world;
  const asked = given(world, 'phase_transition_request', args.requested_phase);
  const digest = digestOf(state);
  const verdict = evaluatePhaseExit(factsOf(world), typeof asked === 'string' ? asked : null);
  const next = applyPhaseVerdict(state, verdict, { now: NOW, by: null }).state;
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

export function runCompletion(world: World, args: Members): Members {
  const { state } = world;
  const digest = digestOf(state);
  const verdict = evaluateRunCompletion(factsOf(world), given(world, 'run_completion_request', true) === true);
  const next = applyCompletionVerdict(state, verdict, { now: NOW, by: null }).state;
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

/** What the turn asked for; without a turn, what the operation itself asks. */
function given({ turnResult }: World, name: string, otherwise: unknown): unknown {
  return isMembers(turnResult) ? turnResult[name] : otherwise;
}

function factsOf({ config, state, files, turnResult, history, ledger }: World): GateFacts {
  const rolesHeard =
    buildAcceptanceIndex(state, history, ledger).rolesHeard.get(state.phase ?? '') ?? new Set<string>();
  const verification = isMembers(turnResult) ? turnResult.verification : undefined;
  const status = isMembers(verification) ? verification.status : undefined;
  const verificationStatus = typeof status === 'string' ? status : null;
  return { config, phase: state.phase, files, verificationStatus, rolesHeard };
}

/** The run is where its state says; a caller who thinks otherwise is told. */
function looked(state: RunState, digest: string, { current_phase }: Members): Members {
  const isElsewhere = current_phase !== undefined && current_phase !== state.phase;
  const warnings = isElsewhere ? [`current_phase: the run is in ${state.phase}, not in ${current_phase}`] : [];
  return { result: 'success', state_unchanged: digestOf(state) === digest, warnings };
}

function failure(reasons: readonly [Reason, ...Reason[]]): Members {
  return { reason: describeReason(reasons[0]), reasons };
}

const { checkConfig, eventFaults, orderFaults } = engine;

/** The config as it stands in the arguments: nothing is filled in before it is checked. */
export function validateConfig(_: World, { config }: Members): Members {
  const checked = checkConfig(config);
  if (checked.ok) return { result: 'success', errors: [], normalisations: checked.normalisations };
  const [{ message, ...first }] = checked.faults;
  return { result: 'error', ...first, error_detail: message, errors: checked.faults.map((fault) => fault.message) };
}

export function validateEvent(_: World, { event }: Members): Members {
  return judged('invalid_event', eventFaults(event));
}

export function validateEventOrdering(_: World, { events }: Members): Members {
  if (!Array.isArray(events) || events.length === 0) {
    return judged('invalid_events', [{ code: 'no_events', message: 'events: expected at least one' }]);
  }
  return judged('ordering_violation', orderFaults(events));
}

function judged(error_type: string, faults: readonly EventFault[]): Members {
  const [first] = faults;
  if (first === undefined) return { result: 'success', errors: [] };
  return { result: 'error', error_type, error_code: first.code, errors: faults.map(({ message }) => message) };
}
