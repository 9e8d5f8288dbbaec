// Random operations on a run: it moves only as the table allows, and writes nothing twice.

import fc from 'fast-check';
import {
  approveCompletion,
  approveTransition,
  assignEventIds,
  assignTurn,
  digestOf,
  escalateByOperator,
  eventFaults,
  initialiseRun,
  MOVES,
  orderFaults,
  progressTurn,
  type RunState,
  rejectTurn,
  resolveBlocked,
  transitionState,
} from 'parley-hub/governed/engine';
import { expect, it } from 'vitest';
import { CONFIG, Lighthouse } from './lighthouse.ts';

const TURNS = ['turn_a', 'turn_b', 'turn_c', 'turn_d'];
const turn = fc.constantFrom(...TURNS);
const role = fc.constantFrom('lead', 'builder', 'critic', 'poet');

type Step = (run: Lighthouse) => void;

const claim = fc.record({
  turnId: turn,
  id: fc.constantFrom('DEC-001', 'DEC-002', 'one'),
  status: fc.constantFrom('completed', 'completed', 'completed', 'needs_human', 'failed', 'blocked'),
  asks: fc.constantFrom({}, {}, { phase_transition_request: 'checking' }, { run_completion_request: true }),
  file: fc.constantFrom('src/a.ts', 'src/b.ts', 'src/c.ts'),
});

const taken: fc.Arbitrary<Step> = claim.map(({ turnId, id, status, asks, file }) => (run) => {
  // Mostly for an active turn.
  const out = Object.keys(run.state.active_turns);
  const target = out[TURNS.indexOf(turnId)] ?? turnId;
  const decisions = [{ id, category: 'scope', statement: 'So', rationale: 'Thus' }];
  const isReview = run.state.active_turns[target]?.assigned_role === 'critic';
  const files = isReview ? {} : { files_changed: [file] };
  run.accept(target, { status, decisions, needs_human_reason: 'To choose', ...asks, ...files });
});

const given: fc.Arbitrary<Step> = fc.tuple(role, turn).map(([roleId, turnId]) => (run) => {
  run.do((s) => assignTurn(s, run.config, { roleId, turnId, now: run.now() }));
});

const others: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>((run) => run.do((s) => initialiseRun(s, run.config, { runId: 'run_x', now: run.now() }))),
  turn.map(
    (turnId): Step =>
      (run) =>
        run.do((s) => progressTurn(s, { turnId, step: 'dispatched', now: run.now() })),
  ),
  turn.map(
    (turnId): Step =>
      (run) => {
        run.do((s) => rejectTurn(s, run.config, { turnId, reason: 'No', now: run.now() }));
      },
  ),
  fc.constant<Step>((run) => run.do((s) => approveTransition(s, { now: run.now() }))),
  fc.constant<Step>((run) => run.do((s) => approveCompletion(s, { now: run.now() }))),
  fc.constant<Step>((run) => run.do((s) => resolveBlocked(s, { action: 'resume', now: run.now() }))),
  fc.constant<Step>((run) => run.do((s) => escalateByOperator(s, { reason: 'Fog ahead', now: run.now() }))),
  fc.constantFrom('idle', 'active', 'paused', 'blocked', 'completed', 'failed').map(
    (target_status): Step =>
      (run) =>
        run.do((s) => transitionState(s, { target_status, now: run.now() })),
  ),
);

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: given },
  { weight: 4, arbitrary: taken },
  { weight: 3, arbitrary: others },
);

const LEGAL = new Set(Object.values(MOVES).map(({ from, to }) => `${from} → ${to}`));

function check(run: Lighthouse, before: RunState, entries: number): void {
  const { state } = run;
  if (run.history.length > entries) expect(before.status).toBe('active');
  if (state.status !== before.status) expect(LEGAL).toContain(`${before.status} → ${state.status}`);
  if (before.run_id !== null) expect(state.run_id).toBe(before.run_id);
  expect(state.status === 'paused').toBe(
    state.pending_phase_transition !== null || state.pending_run_completion !== null,
  );
  expect(state.status === 'blocked').toBe(state.blocked_on !== null);
  if (before.status === 'completed') expect(digestOf(state)).toBe(digestOf(before));
  expect(Object.keys(state.active_turns).length).toBeLessThanOrEqual(3);
}

function isUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

it('[GV1, GV2, GV9, GV15] any run moves only as the table allows, writes nothing twice, and reports events in a valid order', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('implementation', 'implementation', 'checking'),
      fc.array(steps, { minLength: 5, maxLength: 30 }),
      (phase, asked) => {
        const run = Lighthouse.at(phase, { ...CONFIG, gates: { look: { requires_human_approval: true }, ship: {} } });
        for (const step of asked) {
          const before = run.state;
          const entries = run.history.length;
          step(run);
          check(run, before, entries);
        }
        expect(isUnique(run.history.map(({ turn_id }) => turn_id))).toBe(true);
        expect(isUnique(run.ledger.map(({ id }) => id))).toBe(true);
        expect(run.history.map(({ accepted_sequence }) => accepted_sequence)).toEqual(
          run.history.map((_, at) => at + 1),
        );
        let n = 0;
        const events = assignEventIds(run.events, () => `evt_${n++}`);
        expect(events.flatMap(eventFaults)).toEqual([]);
        expect(orderFaults(events)).toEqual([]);
      },
    ),
    { numRuns: 1000 },
  );
}, 120_000);

it('[GV1] equal inputs give equal outcomes, and inputs stay unchanged', () => {
  const one = Lighthouse.at('implementation');
  const other = Lighthouse.at('implementation');
  for (const run of [one, other]) run.accept(run.out('builder'), { phase_transition_request: 'checking' });
  expect(digestOf([one.state, one.history, one.events])).toBe(digestOf([other.state, other.history, other.events]));
});
