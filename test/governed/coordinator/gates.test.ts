// Gates of the coordinator: blockers, approvals and their effects.

import {
  approveCoordinatorGate,
  type CoordinatorChange,
  type CoordinatorView,
  evaluateCoordinatorCompletion,
  evaluateCoordinatorTransition,
  requestCoordinatorGate,
  withdrawCoordinatorGate,
} from 'parley-hub/governed/engine';
import { describe, expect, it } from 'vitest';
import { type Given, harbour, having, NOW, repo, viewOf } from './harbour.ts';

const ALL = [
  ['quay', 'berths'],
  ['crane', 'berths'],
  ['buoy', 'lights'],
] as const;

function done(given: Given = {}): CoordinatorView {
  return having(viewOf(given), ...ALL);
}

function codes(verdict: ReturnType<typeof evaluateCoordinatorTransition>): readonly string[] {
  return verdict.is_ready ? [] : verdict.blockers.map(({ code }) => code);
}

function changed(outcome: ReturnType<typeof requestCoordinatorGate>): CoordinatorChange {
  expect(outcome).toMatchObject({ ok: true });
  return outcome as CoordinatorChange;
}

const LAST = { state: { phase: 'qa' } } as const;
const over = { status: 'completed' } as const;

describe('[GC7] a gate into the next phase', () => {
  it('opens when every workstream of the phase is done and every required repo is idle', () => {
    expect(evaluateCoordinatorTransition(done())).toMatchObject({
      is_ready: true,
      gate: { gate: 'phase_transition:planning->qa', from: 'planning', to: 'qa', required_repos: ['quay', 'crane'] },
    });
  });

  it.each([
    ['no_next_phase', LAST, undefined],
    ['phase_skip_forbidden', {}, 'planning'],
    ['repo_state_missing', { repos: { crane: { state: null, accepted: [] } } }, undefined],
    ['repo_run_id_mismatch', { repos: { crane: repo('crane', { run_id: 'run_new' }) } }, undefined],
    ['repo_blocked', { repos: { crane: repo('crane', { status: 'blocked' }) } }, undefined],
    ['repo_active_turns', { repos: { crane: repo('crane', { active_turns: { t: {} as never } }) } }, undefined],
    [
      'repo_pending_gate',
      { repos: { crane: repo('crane', { pending_phase_transition: { gate: null, from: null, to: 'qa' } }) } },
      undefined,
    ],
    [
      'repo_pending_gate',
      { repos: { crane: repo('crane', { pending_run_completion: { gate: null, phase: null } }) } },
      undefined,
    ],
  ] satisfies readonly (readonly [string, Given, string | undefined])[])('is shut by %s', (code, given, to) => {
    expect(codes(evaluateCoordinatorTransition(done(given), to))).toEqual([code]);
  });

  it('is shut by a missing barrier and by an unsatisfied one', () => {
    const { lights_completion: _, ...barriers } = done().barriers;
    expect(codes(evaluateCoordinatorTransition({ ...done(), barriers }))).toEqual(['barrier_missing']);
    expect(codes(evaluateCoordinatorTransition(having(viewOf(), ['quay', 'berths'])))).toEqual([
      'barrier_unsatisfied',
      'barrier_unsatisfied',
    ]);
  });

  it('lists every blocker, not only the first', () => {
    const repos = { quay: repo('quay', { status: 'blocked' }), crane: { state: null, accepted: [] } };
    expect(codes(evaluateCoordinatorTransition(viewOf({ repos })))).toEqual([
      'repo_blocked',
      'repo_state_missing',
      'barrier_unsatisfied',
      'barrier_unsatisfied',
    ]);
  });

  it('ignores an optional repo unless the gate names it', () => {
    const repos = { buoy: repo('buoy', { status: 'blocked' }) };
    expect(codes(evaluateCoordinatorTransition(done({ repos })))).toEqual([]);
    const gates = { 'phase_transition:planning->qa': { requires_repos: ['buoy'] } };
    expect(codes(evaluateCoordinatorTransition(done({ repos, config: harbour({}, { gates }) })))).toEqual([
      'repo_blocked',
    ]);
  });
});

it('[GC5] an ordered sequence satisfied by its first repo keeps the gate shut until all repos were accepted', () => {
  const first = having(
    viewOf({ config: harbour({ completion_barrier: 'ordered_repo_sequence' }) }),
    ['quay', 'berths'],
    ['buoy', 'lights'],
  );
  expect(first.barriers.berths_completion).toMatchObject({ status: 'satisfied', satisfied_repos: ['quay'] });
  expect(evaluateCoordinatorTransition(first)).toMatchObject({
    is_ready: false,
    blockers: [{ code: 'barrier_unsatisfied', params: { open_repos: ['crane'] } }],
  });
  expect(codes(evaluateCoordinatorTransition(having(first, ['crane', 'berths'])))).toEqual([]);
});

describe('[GC7] the completion gate', () => {
  const completed = { quay: repo('quay', over), crane: repo('crane', over) };

  it('opens in the last phase when the required repos are completed or wait to be', () => {
    const waiting = repo('crane', { status: 'paused', pending_run_completion: { gate: null, phase: 'qa' } });
    expect(evaluateCoordinatorCompletion(done({ ...LAST, repos: { ...completed, crane: waiting } }))).toMatchObject({
      is_ready: true,
      gate: { gate: 'initiative_ship', gate_type: 'run_completion', to: null },
    });
  });

  it.each([
    ['not_final_phase', { repos: completed }],
    ['repo_not_completion_ready', { ...LAST, repos: { quay: completed.quay } }],
    ['repo_state_missing', { ...LAST, repos: { ...completed, crane: { state: null, accepted: [] } } }],
    ['repo_run_id_mismatch', { ...LAST, repos: { ...completed, crane: repo('crane', { ...over, run_id: 'x' }) } }],
  ] satisfies readonly (readonly [string, Given])[])('is shut by %s', (code, given) => {
    expect(codes(evaluateCoordinatorCompletion(done(given)))).toEqual([code]);
  });

  it('requires the barriers of every phase', () => {
    expect(codes(evaluateCoordinatorCompletion(viewOf({ ...LAST, repos: completed })))).toEqual([
      'barrier_unsatisfied',
      'barrier_unsatisfied',
    ]);
  });

  it('ends the super run on approval; later approvals are refused', () => {
    const view = done({ ...LAST, repos: completed });
    const asked = changed(requestCoordinatorGate(view, { gate_type: 'run_completion' }, NOW));
    const ended = changed(
      approveCoordinatorGate({ ...view, ...asked, history: view.history }, { by: 'ada', now: NOW, decisionCount: 1 }),
    );
    expect(ended.state).toMatchObject({ status: 'completed', pending_gate: null, completed_at: NOW });
    expect(ended.history.map(({ type }) => type)).toEqual(['gate_approved', 'super_run_completed']);
    expect(ended.decisions).toMatchObject([{ id: 'DEC-COORD-002', decided_by: 'ada' }]);
    const again = approveCoordinatorGate({ ...view, state: ended.state }, { by: 'ada', now: NOW, decisionCount: 2 });
    expect(again).toMatchObject({ ok: false, error_code: 'no_pending_gate' });
  });
});

describe('[GC7] approval', () => {
  const human = harbour({ completion_barrier: 'shared_human_gate' });

  function asked(given: Given = {}): CoordinatorView {
    const view = done(given);
    return { ...view, state: changed(requestCoordinatorGate(view, { gate_type: 'phase_transition' }, NOW)).state };
  }

  it('pauses the super run while it is pending', () => {
    expect(asked().state).toMatchObject({
      status: 'paused',
      phase: 'planning',
      pending_gate: { gate: 'phase_transition:planning->qa', human_barriers: [], requested_at: NOW },
      phase_gate_status: { 'phase_transition:planning->qa': 'pending' },
    });
    expect(requestCoordinatorGate(asked(), { gate_type: 'phase_transition' }, NOW)).toMatchObject({
      error_code: 'not_active',
    });
    expect(requestCoordinatorGate(viewOf(), { gate_type: 'phase_transition' }, NOW)).toMatchObject({
      error_type: 'gate_not_ready',
    });
  });

  it('moves the phase and satisfies the human barriers it lists', () => {
    const view = asked({ config: human });
    expect(view.state.pending_gate).toMatchObject({ human_barriers: ['berths_completion'] });
    expect(view.barriers.berths_completion).toMatchObject({ status: 'pending' });
    const opened = changed(approveCoordinatorGate(view, { by: 'ada', now: NOW, decisionCount: 0 }));
    expect(opened.state).toMatchObject({ status: 'active', phase: 'qa', pending_gate: null });
    expect(opened.barriers.berths_completion).toMatchObject({ status: 'satisfied' });
    expect(opened.barrier_ledger).toMatchObject([
      {
        barrier_id: 'berths_completion',
        new_status: 'satisfied',
        causation: { approved_by: 'ada', decision_id: 'DEC-COORD-001' },
      },
    ]);
  });

  it('is refused without a pending gate, for another gate, and without a name', () => {
    const by = { by: 'ada', now: NOW, decisionCount: 0 };
    expect(approveCoordinatorGate(done(), by)).toMatchObject({ ok: false, error_code: 'no_pending_gate' });
    expect(approveCoordinatorGate(asked(), { ...by, gate: 'initiative_ship' })).toMatchObject({
      error_code: 'another_gate_pending',
    });
    expect(approveCoordinatorGate(asked(), { ...by, by: ' ' })).toMatchObject({ error_code: 'nobody_approves' });
  });

  it('evaluates again: a repo blocked since then keeps the gate shut', () => {
    const view = { ...asked(), repos: { ...asked().repos, quay: repo('quay', { status: 'blocked' }) } };
    expect(approveCoordinatorGate(view, { by: 'ada', now: NOW, decisionCount: 0 })).toMatchObject({
      error_code: 'repo_blocked',
    });
    const back = changed(withdrawCoordinatorGate(view, { by: 'ada', reason: 'not yet', now: NOW }));
    expect(back.state).toMatchObject({
      status: 'active',
      phase: 'planning',
      pending_gate: null,
      phase_gate_status: {},
    });
  });

  it('comes from a policy only where no person is required', () => {
    const gates = { 'phase_transition:planning->qa': { requires_human_approval: false } };
    const policy = { by: 'policy', now: NOW, decisionCount: 0 };
    expect(approveCoordinatorGate(asked(), policy)).toMatchObject({ error_code: 'person_required' });
    expect(approveCoordinatorGate(asked({ config: { ...human, gates } }), policy)).toMatchObject({
      error_code: 'person_required',
    });
    expect(approveCoordinatorGate(asked({ config: harbour({}, { gates }) }), policy)).toMatchObject({ ok: true });
  });
});
