// Seven ways to look conformant without being so; this engine takes none of them.

import {
  approveTransition,
  assignEventIds,
  eventFaults,
  orderFaults,
  resolveBlocked,
} from 'parley-hub/governed/engine';
import { expect, it } from 'vitest';
import { executeFixture } from '../../../src/governed/conformance/adapter/execute.ts';
import { EXIT_OF } from '../../../src/governed/conformance/fixture.ts';
import { own } from '../../conformance/corpora.ts';
import { Lighthouse, resultFor } from './lighthouse.ts';

it('[GV9] trap 1: a result is not accepted once its turn is no longer active', () => {
  const run = Lighthouse.at('implementation');
  const turn = run.out('builder');
  const late = resultFor(run.state, turn);
  expect(run.accept(turn)).toMatchObject({ ok: true });
  expect(run.accept(turn, late)).toMatchObject({ ok: false, refusal: { error_type: 'turn_already_accepted' } });
  expect(run.accept('turn_never', late)).toMatchObject({ ok: false, refusal: { error_type: 'turn_not_active' } });
  expect(run.history).toHaveLength(1);
});

it('[GV7, GV11] trap 2: a request alone does not enter a phase', () => {
  const run = Lighthouse.at('implementation');
  run.accept(run.out('builder'), { phase_transition_request: 'checking' });
  expect(run.state).toMatchObject({
    status: 'paused',
    phase: 'implementation',
    pending_phase_transition: { to: 'checking' },
  });
  run.do((state) => approveTransition(state, { now: run.now(), by: 'keeper' }));
  expect(run.state).toMatchObject({ status: 'active', phase: 'checking', pending_phase_transition: null });
});

it('[GV8, GV9] trap 3: history and ledger are never rewritten', () => {
  const run = Lighthouse.at('implementation');
  const decisions = [{ id: 'DEC-001', category: 'scope', statement: 'One lamp', rationale: 'Oil' }];
  run.accept(run.out('builder'), { decisions });
  const before = JSON.stringify([run.history, run.ledger]);
  const over = [{ id: 'DEC-002', category: 'scope', statement: 'Two lamps', rationale: 'Fog', overrides: 'DEC-001' }];
  expect(run.accept(run.out('builder', 'turn_second'), { decisions: over })).toMatchObject({ ok: true });
  expect(JSON.stringify([run.history.slice(0, 1), run.ledger.slice(0, 1)])).toBe(before);
  expect(run.ledger.map(({ id, overrides }) => [id, overrides])).toEqual([
    ['DEC-001', undefined],
    ['DEC-002', 'DEC-001'],
  ]);
});

it('[GV10] trap 4: needs_human is no error: the run is blocked until an operator resolves it', () => {
  const run = Lighthouse.at('implementation');
  const asking = { status: 'needs_human', needs_human_reason: 'Which oil?', phase_transition_request: 'checking' };
  expect(run.accept(run.out('builder'), asking)).toMatchObject({ ok: true, history: { status: 'needs_human' } });
  expect(run.state).toMatchObject({ status: 'blocked', blocked_on: 'human:Which oil?', phase: 'implementation' });
  expect(run.state.queued_phase_transition).toBeNull();
  run.do((state) => resolveBlocked(state, { action: 'resume', note: 'Whale', now: run.now() }));
  expect(run.state).toMatchObject({ status: 'active', blocked_on: null, blocked_reason: null, escalation: null });
  expect(run.types().slice(-4)).toEqual(['turn_accepted', 'run_blocked', 'escalation_raised', 'escalation_resolved']);
});

it('[GV15] trap 5: events report every step in order, not only the end', () => {
  const run = Lighthouse.at('implementation');
  run.accept(run.out('builder'), { phase_transition_request: 'checking' });
  run.do((state) => approveTransition(state, { now: run.now() }));
  run.accept(run.out('critic'), { run_completion_request: true });
  expect(run.types()).toEqual([
    'run_started',
    'phase_entered',
    'turn_dispatched',
    'turn_accepted',
    'gate_pending',
    'gate_approved',
    'phase_entered',
    'turn_dispatched',
    'turn_accepted',
    'run_completed',
  ]);
  let n = 0;
  const events = assignEventIds(run.events, () => `evt_${n++}`);
  expect(events.flatMap(eventFaults)).toEqual([]);
  expect(orderFaults(events)).toEqual([]);
});

it('[GV18] trap 6: a setup with unknown members does not pass', () => {
  const [fixture] = own;
  expect(executeFixture(fixture)).toMatchObject({ status: 'pass' });
  const strange = { ...fixture, setup: { ...fixture?.setup, moon: 'full' } };
  expect(executeFixture(strange)).toMatchObject({ status: 'error', message: expect.stringContaining('moon') });
  // Every known member makes a difference somewhere.
  for (const key of ['state', 'config', 'turn_result', 'filesystem', 'ledger', 'history']) {
    const poorer = own
      .filter(({ setup }) => key in setup)
      .filter((one) => executeFixture({ ...one, setup: { ...one.setup, [key]: undefined } }).status !== 'pass');
    expect(poorer.length, key).toBeGreaterThan(0);
  }
});

it('[GV18] trap 7: fail, error and not_implemented are distinct', () => {
  const [fixture] = own;
  const answers = [
    fixture,
    { ...fixture, expected: { result: 'nothing' } },
    { ...fixture, setup: null },
    { ...fixture, input: { operation: 'fly', args: {} } },
  ].map((one) => executeFixture(one).status);
  expect(answers).toEqual(['pass', 'fail', 'error', 'not_implemented']);
  expect(answers.map((status) => EXIT_OF[status])).toEqual([0, 1, 2, 3]);
});
