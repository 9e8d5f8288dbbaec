/** Stages 2 and 5: check that the turn is active and held by this role, and that the run allows the requests. */

import { authorityOf, type GovernedConfig, mayComeNext, nextPhase, phasesOf, roleConfig } from '../config/config.ts';
import { type Fault, NOTHING_FOUND, type StageReport } from '../lib/findings.ts';
import { HUMAN } from '../lib/patterns.ts';
import { isMissing, isNonEmptyText, repeatedIn } from '../lib/unknown-record.ts';
import type { RunState, Turn } from '../state/state.ts';
import type { TurnResult } from './result.ts';

interface AssignmentInput {
  readonly state: RunState;
  readonly config: GovernedConfig;
  readonly turn: Turn | null;
}

export function assignmentStage(result: TurnResult, { state, config, turn }: AssignmentInput): StageReport {
  const faults: Fault[] = [];
  if (result.run_id !== state.run_id) {
    faults.push(differs('run_id', result.run_id, state.run_id ?? 'none', 'run_id_mismatch'));
  }
  if (turn === null || result.turn_id !== turn.turn_id) {
    const out = turn?.turn_id ?? (Object.keys(state.active_turns).join(', ') || 'none');
    faults.push(differs('turn_id', result.turn_id, out, 'turn_id_mismatch'));
    return { ...NOTHING_FOUND, faults };
  }
  if (result.role !== turn.assigned_role) faults.push(differs('role', result.role, turn.assigned_role));
  else if (roleConfig(config, result.role) === null) {
    faults.push({ error_field: 'role', detail: `role: "${result.role}" is not declared` });
  }
  if (result.runtime_id !== turn.runtime_id) faults.push(differs('runtime_id', result.runtime_id, turn.runtime_id));
  return { ...NOTHING_FOUND, faults };
}

function differs(error_field: string, given: string, expected: string, error_type?: string): Fault {
  const detail = `${error_field}: the active turn has ${expected}, the result says ${given}`;
  return { ...(error_type === undefined ? {} : { error_type }), error_field, detail };
}

interface ProtocolInput {
  readonly config: GovernedConfig;
  readonly turn: Turn;
  readonly phase: string | null;
}

export function protocolStage(result: TurnResult, standing: ProtocolInput): StageReport {
  const looks = [exclusivity, challenge, nextRole, phaseRequest, humanReason, delegationProtocol];
  return { faults: looks.flatMap((look) => look(result, standing)), warnings: [] };
}

function exclusivity({ phase_transition_request, run_completion_request }: TurnResult): readonly Fault[] {
  if (isMissing(phase_transition_request) || run_completion_request !== true) return [];
  return [
    {
      error_type: 'mutually_exclusive_requests',
      error_alias: 'conflicting_completion_requests',
      detail: 'phase_transition_request and run_completion_request cannot both be present',
    },
  ];
}

function challenge({ objections }: TurnResult, { config, turn }: ProtocolInput): readonly Fault[] {
  const { challenge_required, challenge: whom } = config.rules ?? {};
  const authority = authorityOf(config, turn.assigned_role);
  const isAsked = challenge_required !== false && (whom === 'all' || authority === 'review_only');
  if (!isAsked || objections.length > 0) return [];
  const detail = `${authority} role must raise at least one objection`;
  return [{ error_type: 'challenge_requirement_violated', error_field: 'objections', detail }];
}

function nextRole({ proposed_next_role: next }: TurnResult, { config, phase }: ProtocolInput): readonly Fault[] {
  if (mayComeNext(config, phase, next)) return [];
  return [{ error_field: 'proposed_next_role', detail: `proposed_next_role: "${next}" may not come next in ${phase}` }];
}

function phaseRequest(
  { phase_transition_request: asked }: TurnResult,
  { config, phase }: ProtocolInput,
): readonly Fault[] {
  const phases = phasesOf(config);
  if (isMissing(asked) || phases.length === 0 || asked === nextPhase(config, phase)) return [];
  const error_field = 'phase_transition_request';
  const detail = phases.includes(asked)
    ? `${error_field}: "${asked}" does not come right after ${phase}`
    : `${error_field}: there is no phase "${asked}"`;
  return [{ error_field, detail }];
}

function humanReason({ status, needs_human_reason }: TurnResult): readonly Fault[] {
  if (status !== 'needs_human' || isNonEmptyText(needs_human_reason)) return [];
  const error_field = 'needs_human_reason';
  return [{ error_type: 'missing_human_reason', error_field, detail: 'needs_human: say for what a person is needed' }];
}

const MAX_DELEGATIONS = 5;

function delegationProtocol(result: TurnResult, standing: ProtocolInput): readonly Fault[] {
  const faults = [...reviewFaults(result, standing)];
  const delegations = result.delegations ?? [];
  if (delegations.length === 0) return faults;
  if (delegations.length > MAX_DELEGATIONS) faults.push(wrong(`at most ${MAX_DELEGATIONS} delegations in one turn`));
  if (result.run_completion_request === true) faults.push(wrong('a run that delegates is not complete'));
  const { delegation_context } = standing.turn;
  if (!isMissing(delegation_context)) faults.push(wrong('a turn that was delegated does not delegate'));
  for (const id of repeatedIn(delegations.map(({ id }) => id))) faults.push(wrong(`${id} appears more than once`));
  for (const { id, to_role } of delegations) faults.push(...targetFaults(id, to_role, standing));
  return faults;
}

function targetFaults(id: string, to: string, { config, turn, phase }: ProtocolInput): readonly Fault[] {
  if (to === turn.assigned_role) return [wrong(`${id}: a role does not delegate to itself`)];
  if (to === HUMAN || roleConfig(config, to) === null) return [wrong(`${id}: the role "${to}" is not declared`)];
  return mayComeNext(config, phase, to) ? [] : [wrong(`${id}: "${to}" may not come next in ${phase}`)];
}

/** A reviewer of delegations may not request a transition or completion while required decisions are missing. */
function reviewFaults(result: TurnResult, { turn }: ProtocolInput): readonly Fault[] {
  const lacking = (turn.delegation_review?.results ?? []).flatMap(
    ({ missing_decision_ids }) => missing_decision_ids ?? [],
  );
  const movesOn = !isMissing(result.phase_transition_request) || result.run_completion_request === true;
  return lacking.length > 0 && movesOn ? [wrong(`the delegated work still lacks ${lacking.join(', ')}`)] : [];
}

function wrong(detail: string): Fault {
  return { error_field: 'delegations', detail: `delegations: ${detail}` };
}
