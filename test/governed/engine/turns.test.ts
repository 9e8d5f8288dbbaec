// Turns: assigned, progressed, rejected and escalated.

import {
  type Assignment,
  assignTurn,
  buildAcceptanceIndex,
  escalateByOperator,
  escalateRun,
  getActiveTurn,
  getActiveTurnCount,
  getActiveTurns,
  getMaxConcurrentTurns,
  getTurnStagingResultPath,
  progressTurn,
  rejectTurn,
  resolveBlocked,
} from 'parley-hub/governed/engine';
import { describe, expect, it } from 'vitest';
import { CONFIG, Lighthouse } from './lighthouse.ts';

describe('an assigned turn', () => {
  it('[GV3] names its role, deadline and concurrent turns', () => {
    const run = Lighthouse.at('implementation', { ...CONFIG, timeouts: { per_turn_minutes: 30 } });
    run.out('lead');
    run.do((state) =>
      assignTurn(state, run.config, { roleId: 'builder', turnId: 'turn_b', now: '2026-05-01T09:00:00.000Z' }),
    );
    expect(run.state.active_turns.turn_b).toMatchObject({
      assigned_role: 'builder',
      runtime_id: 'bench',
      status: 'assigned',
      attempt: 1,
      deadline_at: '2026-05-01T09:30:00.000Z',
      assigned_sequence: 2,
      concurrent_with: ['turn_lead'],
    });
    expect(getActiveTurnCount(run.state)).toBe(2);
    expect(getActiveTurn(run.state)).toBeNull();
    expect(getTurnStagingResultPath('turn_b')).toBe('.agentxchain/staging/turn_b/turn-result.json');
  });

  const refusals: readonly [string, object, Partial<Assignment> & { spent?: number }, string][] = [
    ['a role nobody declared', {}, { roleId: 'poet' }, 'unknown_role'],
    ['a role without a runtime', { runtimes: {} }, {}, 'role_without_runtime'],
    ['a run whose budget is spent', { budget: { per_run_max_usd: 1 } }, { spent: 1 }, 'budget_spent'],
    ['a tree that is not clean', {}, { git: { isClean: false } }, 'tree_not_clean'],
    ['an id that was accepted before', {}, { acceptedTurns: new Set(['turn_x']) }, 'turn_id_taken'],
  ];
  it.each(refusals)('[GV3] is refused for %s', (_, over, { spent = 0, ...given }, error_code) => {
    const run = Lighthouse.at('implementation', { ...CONFIG, ...over });
    const state = { ...run.state, budget_status: { spent_usd: spent, remaining_usd: 1 - spent } };
    const asked = { roleId: 'builder', turnId: 'turn_x', now: run.now(), ...given };
    // A run does not begin with a config that does not hold, but one that did may be changed.
    expect(assignTurn({ ...state, status: 'active' }, run.config, asked)).toMatchObject({ ok: false, error_code });
  });

  it('[GV3] may start on an unclean tree if its role only reviews', () => {
    const run = Lighthouse.at('implementation');
    const asked = { roleId: 'critic', turnId: 'turn_x', now: run.now(), git: { isClean: false } };
    expect(assignTurn(run.state, run.config, asked)).toMatchObject({ ok: true, turn: { turn_id: 'turn_x' } });
  });

  it('[GV3] is limited by its phase, or by the highest limit of any phase', () => {
    expect(['drafting', 'implementation', null].map((phase) => getMaxConcurrentTurns(CONFIG, phase))).toEqual([
      1, 3, 3,
    ]);
  });

  it.each([[null], [undefined], [{}]])('[GV3] %j has no active turn and a limit of one', (nothing) => {
    expect(getActiveTurns(nothing)).toEqual({});
    expect([getActiveTurnCount(nothing), getActiveTurn(nothing)]).toEqual([0, null]);
    expect([getMaxConcurrentTurns(nothing), getMaxConcurrentTurns(nothing, 'drafting')]).toEqual([1, 1]);
  });

  it.each([['../../etc'], ['..'], ['a/b'], ['a\\b'], ['/tmp'], [''], ['.invalid'], [null], [undefined], [{}]])(
    '[GV3] the invalid id %j leads to a fixed staging path',
    (id) => {
      expect(getTurnStagingResultPath(id as string)).toBe('.agentxchain/staging/.invalid/turn-result.json');
    },
  );

  it('[GV15] is dispatched once, and steps only from an allowed status', () => {
    const run = Lighthouse.at('implementation');
    const turnId = run.out('builder');
    expect(progressTurn(run.state, { turnId, step: 'dispatched', now: run.now() })).toMatchObject({ ok: false });
    expect(progressTurn(run.state, { turnId, step: 'running', now: 'then' })).toMatchObject({
      ok: true,
      turn: { started_at: 'then' },
      events: [],
    });
    expect(progressTurn(run.state, { turnId: 'turn_x', step: 'running', now: 'then' })).toMatchObject({
      error_type: 'turn_not_active',
    });
  });
});

describe('a rejected result', () => {
  it('[GV14] is retried under the same id, then the run waits for a person', () => {
    const run = Lighthouse.at('implementation');
    const turnId = run.out('builder');
    const send = () =>
      run.do((state) =>
        rejectTurn(state, run.config, { turnId, reason: 'It is dark', stage: 'schema', now: run.now() }),
      );
    expect(send()).toMatchObject({
      escalated: false,
      turn: { turn_id: turnId, attempt: 2, status: 'retrying', last_rejection: { attempt: 1, reason: 'It is dark' } },
    });
    expect(send()).toMatchObject({ escalated: true, turn: { attempt: 2, status: 'failed' } });
    expect(run.state).toMatchObject({
      status: 'blocked',
      blocked_on: 'escalation:retries-exhausted:builder',
      blocked_reason: { turn_id: turnId, recovery: { turn_retained: true } },
    });
    expect(run.types().slice(-4)).toEqual(['turn_rejected', 'turn_rejected', 'run_blocked', 'escalation_raised']);
    expect(send()).toMatchObject({ ok: false, error_type: 'invalid_state_transition' });
    run.do((state) => resolveBlocked(state, { action: 'resume', now: run.now() }));
    expect(run.accept(turnId)).toMatchObject({ ok: true, history: { attempt: 2 } });
  });

  it('[GV14] is retried as often as the project allows', () => {
    const run = Lighthouse.at('implementation', { ...CONFIG, rules: { max_turn_retries: 1 } });
    const turnId = run.out('builder');
    expect(run.do((state) => rejectTurn(state, run.config, { turnId, reason: 'No', now: run.now() }))).toMatchObject({
      escalated: true,
    });
  });
});

it('[GV10] an escalation names its subject and source', () => {
  const run = Lighthouse.at('implementation');
  const now = run.now();
  expect(escalateRun(run.state, { reason: 'no_oil_left', now })).toMatchObject({
    state: { blocked_on: 'escalation:no-oil-left' },
  });
  expect(escalateByOperator(run.state, { reason: 'Fog, ahead!', now })).toMatchObject({
    state: { blocked_on: 'escalation:operator:fog-ahead', escalation: { source: 'operator' } },
  });
});

it('[GV9] history and ledger of other runs are ignored', () => {
  const run = Lighthouse.at('implementation');
  const books = buildAcceptanceIndex(
    run.state,
    [{ turn_id: 'a', run_id: 'run_fog' }, { turn_id: 'b' }],
    [{ id: 'DEC-1', run_id: 'run_fog' }, { id: 'DEC-2' }, { type: 'gate' }],
  );
  expect([[...books.acceptedTurns], [...books.decisionIds]]).toEqual([['b'], ['DEC-2']]);
});
