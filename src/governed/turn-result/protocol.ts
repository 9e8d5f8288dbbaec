/** Stage 5: is what it asks for allowed from where the run stands? */

import type { GovernedConfig } from '../engine/config/config.ts';
import { authorityOf, mayComeNext, nextPhase, phasesOf } from '../config/phases.ts';
import { isFilled, isMissing } from '../engine/lib/unknown-record.ts';
import type { Turn } from '../run/state.ts';
import { delegationProtocol } from './delegation.ts';
import type { Fault, StageReport } from './fault.ts';
import type { TurnResult } from '../engine/turn-result/result.ts';

export interface Standing {
  readonly config: GovernedConfig;
  readonly turn: Turn;
  readonly phase: string | null;
}

export function protocolStage(result: TurnResult, standing: Standing): StageReport {
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

function challenge({ objections }: TurnResult, { config, turn }: Standing): readonly Fault[] {
  const { challenge_required, challenge: whom } = config.rules ?? {};
  const authority = authorityOf(config, turn.assigned_role);
  const isAsked = challenge_required !== false && (whom === 'all' || authority === 'review_only');
  if (!isAsked || objections.length > 0) return [];
  const detail = `${authority} role must raise at least one objection`;
  return [{ error_type: 'challenge_requirement_violated', error_field: 'objections', detail }];
}

function nextRole({ proposed_next_role: next }: TurnResult, { config, phase }: Standing): readonly Fault[] {
  if (mayComeNext(config, phase, next)) return [];
  return [{ error_field: 'proposed_next_role', detail: `proposed_next_role: "${next}" may not come next in ${phase}` }];
}

function phaseRequest({ phase_transition_request: asked }: TurnResult, { config, phase }: Standing): readonly Fault[] {
  const phases = phasesOf(config);
  if (isMissing(asked) || phases.length === 0 || asked === nextPhase(config, phase)) return [];
  const error_field = 'phase_transition_request';
  const detail = phases.includes(asked)
    ? `${error_field}: "${asked}" does not come right after ${phase}`
    : `${error_field}: there is no phase "${asked}"`;
  return [{ error_field, detail }];
}

function humanReason({ status, needs_human_reason }: TurnResult): readonly Fault[] {
  if (status !== 'needs_human' || isFilled(needs_human_reason)) return [];
  const error_field = 'needs_human_reason';
  return [{ error_type: 'missing_human_reason', error_field, detail: 'needs_human: say for what a person is needed' }];
}
