/** Drafts of a governed run: mostly valid next steps, sometimes wrong ones. */

import type { GovernedState } from 'parley-hub/adapters/governed';
import type { RoundDraft } from 'parley-hub/core';
import type { DraftSource } from 'parley-hub/testing';
import { acceptance, decision, PLAN, resultOf, said } from './governed-scene.ts';

type Facts = Parameters<DraftSource>[0];

export const governedDrafts: DraftSource = (facts) => {
  // The state comes from this adapter.
  const state = facts.state as GovernedState;
  const { random } = facts;
  const isEnd = random.chance(0.8) ? state.run.pending_run_completion !== null : random.chance(0.5);
  const gate = isEnd ? 'ship_ok' : 'plan_ok';
  const gate_type = isEnd ? 'run_completion' : 'phase_transition';
  const via = random.pick(['person', 'policy']);
  const fenced = state.lease === null || random.chance(0.1) ? {} : { fence: state.lease.fence };
  return [
    ...(random.chance(0.5) ? [said('run.initialized', { run_id: 'run_1' })] : []),
    ...(random.chance(0.1)
      ? [said('governed.imported', { state: { status: 'active', run_id: 'run_1', phase: 'planning' } })]
      : []),
    said('turn.assigned', { turn_id: `turn_${random.below(12)}`, role: random.pick(['pm', 'dev', 'qa', 'boss']) }),
    ...aboutTurns(facts, state),
    said('gate.approved', { gate_type, gate, via }),
    ...(random.chance(0.2) ? [said('gate.refused', { gate_type, gate, reason: 'no' })] : []),
    ...(random.chance(0.1) ? [said('run.blocked', { blocked_on: 'human:x', category: 'x' })] : []),
    ...(random.chance(0.1) ? [said('run.escalated', { reason: 'stuck' })] : []),
    ...(random.chance(0.3) ? [said('run.resolved', { action: 'resume' })] : []),
    ...(random.chance(0.1) ? [said('run.answered', { note: 'so be it' })] : []),
    ...(random.chance(0.1) ? [said('lease.taken', { owner: 'p', seconds: 5, takes_over: state.lease?.fence })] : []),
    ...(random.chance(0.3) ? [said('lease.released')] : []),
    ...state.follow_ups.map(({ id, phase }) => said('hook.results', { phase, follow_up: id, entries: [] })),
  ].map((draft) => ({ ...draft, event_data: JSON.parse(JSON.stringify({ ...fenced, ...draft.event_data })) }));
};

function aboutTurns({ metadata, random }: Facts, state: GovernedState): readonly RoundDraft[] {
  const turns = Object.values(state.run.active_turns);
  const turn = turns.length === 0 ? undefined : random.pick(turns);
  if (turn === undefined) return [];
  const { turn_id, attempt } = turn;
  const next = { planning: 'building', building: 'qa' }[state.run.phase ?? ''];
  const asks = next === undefined ? { run_completion_request: true } : { phase_transition_request: next };
  // Derived from the turn only, so that the acceptance equals the submitted result.
  const n = Number(turn_id.slice(5));
  const result = resultOf(turn, {
    decisions: [decision(`DEC-00${n % 8}`)],
    ...(n % 2 === 0 ? asks : {}),
    ...(n % 7 === 5 ? { status: 'needs_human', needs_human_reason: 'a key' } : {}),
  });
  const files = random.chance(0.8) ? [PLAN] : [];
  return [
    said('turn.dispatched', { turn_id, prompt: 'go', context: 'on' }),
    said('turn.progress', { turn_id, step: random.pick(['starting', 'running', 'stalled', 'failed_start']) }),
    said('turn.result', { turn_id, attempt, result }),
    acceptance(metadata, state, turn_id, result, { files }),
    acceptance(metadata, state, turn_id, result, { files }),
    ...(random.chance(0.2) ? [said('turn.rejected', { turn_id, reason: 'again' })] : []),
  ];
}
