/** Whether a turn may hand work on, and to whom. */

import { mayComeNext, roleConfig } from '../config/phases.ts';
import { HUMAN } from '../engine/lib/patterns.ts';
import { isMissing, repeatedIn } from '../engine/lib/unknown-record.ts';
import type { Fault } from './fault.ts';
import type { Standing } from './protocol.ts';
import type { TurnResult } from '../engine/turn-result/result.ts';

const MAX_DELEGATIONS = 5;

export function delegationProtocol(result: TurnResult, standing: Standing): readonly Fault[] {
  const faults = [...reviewFaults(result, standing)];
  const delegations = result.delegations ?? [];
  if (delegations.length === 0) return faults;
  if (delegations.length > MAX_DELEGATIONS) faults.push(wrong(`at most ${MAX_DELEGATIONS} delegations in one turn`));
  if (result.run_completion_request === true) faults.push(wrong('a run that delegates is not complete'));
  const { delegation_context } = standing.turn;
  if (!isMissing(delegation_context)) faults.push(wrong('a turn that was delegated does not delegate'));
  for (const id of repeatedIn(delegations.map(({ id }) => id))) faults.push(wrong(`${id} stands there more than once`));
  for (const { id, to_role } of delegations) faults.push(...targetFaults(id, to_role, standing));
  return faults;
}

function targetFaults(id: string, to: string, { config, turn, phase }: Standing): readonly Fault[] {
  if (to === turn.assigned_role) return [wrong(`${id}: a role does not delegate to itself`)];
  if (to === HUMAN || roleConfig(config, to) === null) return [wrong(`${id}: the role "${to}" is not declared`)];
  return mayComeNext(config, phase, to) ? [] : [wrong(`${id}: "${to}" may not come next in ${phase}`)];
}

/** Whoever reviews what was delegated does not move on while decisions are missing. */
function reviewFaults(result: TurnResult, { turn }: Standing): readonly Fault[] {
  const lacking = (turn.delegation_review?.results ?? []).flatMap(
    ({ missing_decision_ids }) => missing_decision_ids ?? [],
  );
  const movesOn = !isMissing(result.phase_transition_request) || result.run_completion_request === true;
  return lacking.length > 0 && movesOn ? [wrong(`what was delegated still lacks ${lacking.join(', ')}`)] : [];
}

function wrong(detail: string): Fault {
  return { error_field: 'delegations', detail: `delegations: ${detail}` };
}
