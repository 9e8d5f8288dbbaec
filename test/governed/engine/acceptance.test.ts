// Acceptance: observed changes, queued requests, delegations, decisions and budget.

import fc from 'fast-check';
import {
  canonicalPath,
  drainRequests,
  isReserved,
  nextFreeId,
  rejectTurn,
  repoDecisions,
  resolveBlocked,
} from 'parley-hub/governed/engine';
import { describe, expect, it } from 'vitest';
import { CONFIG, Lighthouse } from './lighthouse.ts';

const DECISION = { category: 'scope', statement: 'So', rationale: 'Thus' };

describe('observed changes', () => {
  it.each([
    ['builder', ['src/turn_builder.ts'], true, null],
    ['builder', ['src/turn_builder.ts', 'src/hidden.ts'], false, 'undeclared_change'],
    ['builder', ['src/turn_builder.ts', '.agentxchain/staging/x.json'], true, null],
    ['critic', ['src/lamp.ts'], false, 'reviewer_changed_product'],
    ['critic', ['.planning/notes.md'], true, null],
  ])('[GV17] by %s: %j', (role, observed, ok, error_code) => {
    const run = Lighthouse.at('implementation');
    const outcome = run.accept(run.out(role), {}, { observed });
    expect(outcome).toMatchObject(ok ? { ok } : { ok, refusal: { error_type: 'artifact_mismatch', error_code } });
    expect(run.history).toHaveLength(ok ? 1 : 0);
  });

  it('[GV17] warns about a declared file that did not change', () => {
    const run = Lighthouse.at('implementation');
    expect(run.accept(run.out('builder'), {}, { observed: [] })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('src/turn_builder.ts')],
    });
  });

  it('[GV17] reports a conflict when concurrent turns change the same file, until a person has merged it', () => {
    const run = Lighthouse.at('implementation');
    const [first, second] = [run.out('lead'), run.out('builder')];
    const files_changed = ['src/lens.ts'];
    expect(run.accept(first, { files_changed })).toMatchObject({ ok: true });
    const clash = {
      ok: false,
      refusal: { error_type: 'conflict', params: { clashes: [{ path: 'src/lens.ts', turn_id: first }] } },
    };
    expect(run.accept(second, { files_changed: ['src/../src/lens.ts'] })).toMatchObject(clash);
    expect(run.accept(second, { files_changed }, { resolution: 'human_merge' })).toMatchObject({ ok: true });
  });

  it('[GV17] a rejected turn restarts from the current files, so the same file is no longer a conflict', () => {
    const run = Lighthouse.at('implementation');
    const [first, second] = [run.out('lead'), run.out('builder')];
    const files_changed = ['src/lens.ts'];
    expect(run.accept(first, { files_changed })).toMatchObject({ ok: true });
    expect(run.accept(second, { files_changed })).toMatchObject({ ok: false });
    const { config } = run;
    run.do((state) => rejectTurn(state, config, { turnId: second, reason: 'it clashed', now: run.now() }));
    expect(run.accept(second, { files_changed })).toMatchObject({ ok: true });
  });
});

describe('a request made while other turns are active', () => {
  it('[GV11] waits for them; completion is judged before a phase transition', () => {
    const run = Lighthouse.at('checking', {
      ...CONFIG,
      routing: { ...CONFIG.routing, checking: { max_concurrent_turns: 2 } },
    });
    const [first, second] = [run.out('critic'), run.out('builder')];
    expect(run.accept(first, { run_completion_request: true })).toMatchObject({ completion: null });
    expect(run.state).toMatchObject({ status: 'active', queued_run_completion: { requested_by_turn: first } });
    expect(run.accept(second)).toMatchObject({ completion: { action: 'complete' }, transition: null });
    expect(run.state).toMatchObject({ status: 'completed', queued_run_completion: null });
  });

  it('[GV11] a phase transition is judged after completion fails', () => {
    const run = Lighthouse.at('implementation');
    const [first, second] = [run.out('lead'), run.out('builder')];
    run.accept(first, { run_completion_request: true });
    expect(run.accept(second, { phase_transition_request: 'checking' })).toMatchObject({
      completion: { action: 'not_final_phase' },
      transition: { action: 'awaiting_human_approval' },
    });
    expect(run.types().slice(-3)).toEqual(['turn_accepted', 'gate_failed', 'gate_pending']);
  });

  it('[GV10, GV11] waits through a blocker and is judged once it is resolved', () => {
    const run = Lighthouse.at('implementation');
    const [first, second] = [run.out('lead'), run.out('builder')];
    run.accept(first, { phase_transition_request: 'checking' });
    run.accept(second, { status: 'needs_human', needs_human_reason: 'Oil' });
    const facts = { config: run.config, files: () => null, now: run.now() };
    expect(drainRequests(run.state, facts)).toMatchObject({ transition: null, state: { status: 'blocked' } });
    run.do((state) => resolveBlocked(state, { action: 'resume', now: run.now() }));
    expect(drainRequests(run.state, facts)).toMatchObject({
      state: { status: 'paused', pending_phase_transition: { requested_by_turn: first } },
    });
  });

  it('[GV7] a claimed pass without exit codes opens a gate, unless the project requires proof', () => {
    const asked = { run_completion_request: true, verification: { status: 'pass' } };
    const easy = Lighthouse.at('checking');
    easy.accept(easy.out('critic'), asked);
    expect(easy.state.status).toBe('completed');
    const strict = Lighthouse.at('checking', { ...CONFIG, rules: { require_reproducible_verification: true } });
    strict.accept(strict.out('critic'), asked);
    expect(strict.state).toMatchObject({
      status: 'active',
      last_gate_failure: { gate: 'ship', reasons: [{ code: 'verification_not_passed' }] },
    });
  });
});

it('[GV12] a delegation is assigned, completed and reviewed by its parent role', () => {
  const run = Lighthouse.at('implementation');
  const contract = { charter: 'Grind', acceptance_contract: ['Clear'], required_decision_ids: ['DEC-010'] };
  const delegations = [
    { id: 'del-001', to_role: 'builder', ...contract },
    { id: 'del-002', to_role: 'critic', ...contract },
  ];
  run.accept(run.out('lead'), { delegations });
  expect(run.state.delegation_queue.map(({ status }) => status)).toEqual(['pending', 'pending']);
  const [one, two] = [run.out('builder'), run.out('critic')];
  expect(run.state.active_turns[one]?.delegation_context).toMatchObject({
    delegation_id: 'del-001',
    parent_role: 'lead',
  });
  run.accept(one, { decisions: [{ id: 'DEC-010', ...DECISION }] });
  expect(run.state).toMatchObject({
    pending_delegation_review: null,
    delegation_queue: [{ status: 'completed' }, { status: 'active' }],
  });
  run.accept(two, { status: 'failed' });
  expect(run.state).toMatchObject({ delegation_queue: [], next_recommended_role: 'lead' });
  const results = [
    { status: 'completed', satisfied_decision_ids: ['DEC-010'], missing_decision_ids: [] },
    { status: 'failed', satisfied_decision_ids: [], missing_decision_ids: ['DEC-010'] },
  ];
  const review = run.out('lead', 'turn_review');
  expect(run.state.active_turns[review]?.delegation_review).toMatchObject({ results });
  const moving = { phase_transition_request: 'checking' };
  expect(run.accept(review, moving)).toMatchObject({ ok: false, validation: { failed_stage: 'protocol' } });
  expect(run.accept(review)).toMatchObject({ ok: true });
  expect(run.state.pending_delegation_review).toBeNull();
});

it('[GV13] carried decisions are recorded by appending, never by rewriting', () => {
  const run = Lighthouse.at('implementation');
  const first = run.accept(run.out('lead'), { decisions: [{ id: 'DEC-001', durability: 'repo', ...DECISION }] });
  const second = run.accept(run.out('builder'), {
    decisions: [{ id: 'DEC-002', durability: 'repo', overrides: 'DEC-001', ...DECISION }],
  });
  const records = [first, second].flatMap((one) => (one.ok ? one.repoDecisions : []));
  expect(records.map((one) => [one.type, one.id])).toEqual([
    ['decision', 'DEC-001'],
    ['override', 'DEC-001'],
    ['decision', 'DEC-002'],
  ]);
  const now = [
    { id: 'DEC-001', status: 'overridden', overridden_by: 'DEC-002' },
    { id: 'DEC-002', status: 'active' },
  ];
  expect(repoDecisions(records)).toMatchObject(now);
  expect(run.state.repo_decisions).toMatchObject(now);
});

it('[GV5, GV8] allocates a free decision id and records the replacement', () => {
  const run = Lighthouse.at('implementation');
  for (const turn of ['turn_1', 'turn_2', 'turn_3']) {
    run.accept(run.out('builder', turn), {
      decisions: [{ id: 'mine', ...DECISION }],
      files_changed: [`src/${turn}.ts`],
    });
  }
  expect(run.ledger.map(({ id }) => id)).toEqual(['DEC-001', 'DEC-002', 'DEC-003']);
  expect(run.history[1]?.normalisations).toMatchObject([
    { rule: 'free_decision_id', before: 'mine', after: 'DEC-002' },
  ]);
  expect(nextFreeId(new Set(['DEC-1', 'DEC-002']))).toBe('DEC-003');
});

it('[GV3, GV9] subtracts the cost of a turn from the budget and warns when it is spent', () => {
  const run = Lighthouse.at('implementation', { ...CONFIG, budget: { per_run_max_usd: 2 } });
  run.accept(run.out('builder'), { cost: { usd: 2.5 } });
  expect(run.state.budget_status).toEqual({ spent_usd: 2.5, remaining_usd: -0.5 });
  expect(run.types().at(-1)).toBe('budget_exceeded_warn');
});

it('[GV6] no spelling of a path reaches a reserved file', () => {
  const part = fc.constantFrom('.', '..', '', 'a', '.agentxchain', '.AGENTXCHAIN', 'reviews', 'state.json');
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), fc.constantFrom('/', '\\', '//'), (parts, by) => {
      const path = canonicalPath(parts.join(by));
      if (path === null) return;
      expect(path.split('/').some((one) => one === '' || one === '.' || one === '..')).toBe(false);
      expect(canonicalPath(path)).toBe(path);
      const [first, second] = path.toLowerCase().split('/');
      const isReview = second === 'reviews' && path.split('/').length > 2;
      expect(isReserved(path)).toBe(first === '.agentxchain' && !isReview);
    }),
    { numRuns: 2000 },
  );
});
