// A run from start to end through the runner interface, and the refusals of each call.

import { existsSync, linkSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import {
  engine,
  type GovernedConfig,
  getTurnStagingResultPath,
  RUNNER_INTERFACE_VERSION,
  type Runner,
  verifyManifest,
} from 'parley-hub/governed';
import { beforeEach, expect, it, vi } from 'vitest';
import { bookFaults, CONFIG, decision, done, Project, refused, resultOf } from './project.ts';

// Each call opens and syncs a log, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let project: Project;
beforeEach(() => {
  project = new Project();
  return () => project.remove();
});

async function atGate(): Promise<void> {
  await project.init();
  await project.turn('pm', { phase_transition_request: 'checking' });
}

it('[GR6, GR8] completes a run: init, assign, bundle, stage, accept, approve', async () => {
  const { runner, root, config } = project;
  expect(RUNNER_INTERFACE_VERSION).toBe('0.2');
  await project.init();
  const { turn, state } = done(await runner.assignTurn(root, config, 'pm'));
  const bundle = done(await runner.writeDispatchBundle(root, state, config));
  expect(bundle).toMatchObject({ files: ['ASSIGNMENT.json', 'CONTEXT.md', 'PROMPT.md'] });
  expect(await verifyManifest(root, { turnId: turn.turn_id, digest: bundle.digest })).toMatchObject({ ok: true });
  done(await runner.transitionActiveTurnLifecycle(root, turn.turn_id, 'running', { pid: 1 }));
  await project.stage(turn, { phase_transition_request: 'checking', decisions: [decision('DEC-001')] });
  expect(await project.accept()).toMatchObject({
    ok: true,
    state: { status: 'paused' },
    validation: { ok: true, stages_passed: ['schema', 'assignment', 'artifact', 'verification', 'protocol'] },
    accepted: { turn_id: turn.turn_id, accepted_sequence: 1 },
    gateResult: { action: 'awaiting_human_approval', gate: 'plan_ok' },
    completionResult: null,
  });
  const before = project.read('.agentxchain/state.json');
  const dry = done(await runner.approvePhaseGate(root, config, { dryRun: true }));
  expect(dry).toMatchObject({ dryRun: true, state: { phase: 'checking' } });
  expect(project.read('.agentxchain/state.json')).toBe(before);
  expect(await runner.approvePhaseGate(root, config)).toMatchObject({ ok: true, transition: { to: 'checking' } });
  await project.turn('qa', { run_completion_request: true });
  expect(await runner.loadState(root, config)).toMatchObject({ status: 'completed', phase: 'checking' });
  expect(bookFaults(project)).toEqual([]);
  expect(project.events).toEqual([
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
  expect(readdirSync(project.path('.agentxchain/evidence')).length).toBeGreaterThan(0);
  expect(existsSync(project.path('.agentxchain/dispatch/turns'))).toBe(true);
  expect(readdirSync(project.path('.agentxchain/dispatch/turns'))).toEqual([]);
});

it('[GR8] approves gates as the operator, and does not reactivate a run at a gate', async () => {
  await atGate();
  const { runner, root, config } = project;
  expect(refused(await runner.reactivateRun(root, null))).toMatchObject({ error_code: 'gate_pending' });
  expect(refused(await runner.approveCompletionGate(root, config))).toMatchObject({
    error_code: 'no_pending_run_completion',
    error_type: 'invalid_state_transition',
  });
  done(await runner.approvePhaseGate(root, config));
  const [approved] = project.book('events').filter(({ event_type }) => event_type === 'gate_approved');
  expect(approved).toMatchObject({ payload: { approved_by: expect.stringMatching(/^[\w-]+$/) } });
  expect(refused(await runner.approvePhaseGate(root, config))).toMatchObject({ error_code: 'wrong_status' });
});

it('[GR7] reissues a rejected turn under its id, and refuses the rejected result for the next attempt', async () => {
  const { runner, root, config } = project;
  await project.init();
  const turn = await project.assign('pm', 'turn_r');
  const wrong = { summary: 'no good' };
  await project.stage(turn, wrong);
  const aside = join(root, 'aside.json');
  linkSync(join(root, getTurnStagingResultPath('turn_r')), aside);
  const validation = { failed_stage: 'schema', errors: ['summary: too short'] };
  const answer = done(await runner.rejectTurn(root, config, validation, 'too short'));
  expect(answer).toMatchObject({ escalated: false, turn: { turn_id: 'turn_r', attempt: 2, status: 'retrying' } });
  const kept = JSON.parse(project.read('.agentxchain/dispatch/rejected/turn_r-attempt-1.json'));
  expect(kept).toMatchObject({ reason: 'too short', stage: 'schema', handed_in: { summary: 'no good' } });
  expect(refused(await project.accept())).toMatchObject({ error_code: 'not_staged' });
  // The same file, as a crash before its deletion would leave it.
  renameSync(aside, join(root, getTurnStagingResultPath('turn_r')));
  expect(refused(await project.accept())).toMatchObject({ error_code: 'stale_staging' });
  done(await runner.writeDispatchBundle(root, null, config));
  expect(project.read('.agentxchain/dispatch/turns/turn_r/PROMPT.md')).toContain('too short');
  await project.stage(turn, wrong);
  const last = done(await runner.rejectTurn(root, config, null, { reason: 'again', turnId: 'turn_r' }));
  expect(last).toMatchObject({ escalated: true, state: { blocked_on: 'escalation:retries-exhausted:pm' } });
  expect(done(await runner.reactivateRun(root, null, { via: 'carol' })).state.status).toBe('active');
  const anew = done(await runner.reissueTurn(root, config, { roleId: 'pm', reason: 'once more' }));
  expect(anew.turn).toMatchObject({ turn_id: 'turn_r', status: 'assigned', attempt: 3 });
  expect(done(await runner.refreshTurnBaselineSnapshot(root, 'turn_r')).baseline).toMatchObject({ kind: 'none' });
  await project.stage(turn);
  done(await project.accept());
  expect(bookFaults(project)).toEqual([]);
  expect(project.events).toContain('turn_reissued');
});

it('[GR7] accepts the same result if it is written again for the next attempt', async () => {
  const { runner, root, config } = project;
  await project.init();
  const turn = await project.assign('pm', 'turn_same');
  await project.stage(turn);
  done(await runner.rejectTurn(root, config, null, 'the machine was not ready'));
  done(await runner.writeDispatchBundle(root, null, config));
  await project.stage(turn);
  done(await project.accept());
});

it('[GR7] does not dispatch a turn without attempts before the run is reactivated', async () => {
  const { runner, root, config } = project;
  await project.init();
  await project.assign('pm', 'turn_used');
  done(await runner.rejectTurn(root, config, null, 'no'));
  expect(done(await runner.rejectTurn(root, config, null, 'no again')).escalated).toBe(true);
  expect(refused(await runner.writeDispatchBundle(root, null, config))).toMatchObject({ error_code: 'wrong_status' });
  done(await runner.reactivateRun(root, null));
  done(await runner.writeDispatchBundle(root, null, config));
});

it('[GR7] keeps every result of an attempt that is rejected repeatedly', async () => {
  const { runner, root } = project;
  const config = { ...project.config, rules: { max_turn_retries: 1 } };
  project.config = config;
  await project.init();
  const turn = await project.assign('pm', 'turn_k');
  for (const summary of ['one', 'two', 'three']) {
    await project.stage(turn, { summary });
    expect(done(await runner.rejectTurn(root, config, null, 'no'))).toMatchObject({ escalated: true });
    done(await runner.reactivateRun(root, null, { via: 'carol' }));
  }
  const kept = ['', '-2', '-3'].map((more) =>
    project.read(`.agentxchain/dispatch/rejected/turn_k-attempt-1${more}.json`),
  );
  expect(kept.map((text) => JSON.parse(text).handed_in.summary)).toEqual(['one', 'two', 'three']);
  done(await runner.reissueTurn(root, config, { turnId: 'turn_k' }));
});

it('[GR1] reports the stage and field of an invalid result, and changes nothing', async () => {
  await project.init();
  const turn = await project.assign('pm', 'turn_v');
  await project.stage(turn, { summary: undefined });
  const before = project.read('.agentxchain/state.json');
  expect(refused(await project.accept())).toMatchObject({
    error_code: 'validation_failed',
    error_type: 'missing_required_field',
    validation: { ok: false, failed_stage: 'schema' },
  });
  project.write('.agentxchain/staging/turn_v/turn-result.json', '{"schema_version"');
  expect(refused(await project.accept())).toMatchObject({ error_code: 'bad_staging' });
  expect(project.read('.agentxchain/state.json')).toBe(before);
});

it('[GR1] refuses a second turn with the same decision id', async () => {
  await project.init();
  const [one, other] = [await project.assign('pm', 'turn_1'), await project.assign('dev', 'turn_2')];
  expect(refused(await project.accept())).toMatchObject({ error_code: 'target_required' });
  for (const turn of [one, other]) await project.stage(turn, { decisions: [decision('DEC-007')] });
  done(await project.accept('turn_1'));
  const duplicate = { error_code: 'duplicate_decision_id', details: { duplicate_id: 'DEC-007' } };
  expect(refused(await project.accept('turn_2'))).toMatchObject(duplicate);
  expect(project.book('decision-ledger').map(({ id }) => id)).toEqual(['DEC-007']);
  await project.stage(other, { decisions: [decision('nonsense')], files_changed: ['src/turn_1.ts'] });
  expect(refused(await project.accept('turn_2'))).toMatchObject({ error_code: 'conflict', error_type: 'conflict' });
  const merged = await project.runner.acceptTurn(project.root, project.config, { resolutionMode: 'human_merge' });
  expect(merged).toMatchObject({ ok: true, validation: { normalisations: [expect.anything()] } });
  expect(bookFaults(project)).toEqual([]);
});

it('[GR1] names blockers and resolves them', async () => {
  const { runner, root, config } = project;
  await project.init();
  const blocked = done(await runner.markRunBlocked(root, { blockedOn: 'dispatch:auth', category: 'dispatch' }));
  expect(blocked.state).toMatchObject({ status: 'blocked', blocked_on: 'dispatch:auth' });
  expect(refused(await runner.assignTurn(root, config, 'pm'))).toMatchObject({ error_code: 'wrong_status' });
  done(await runner.reactivateRun(root, blocked.state, { via: 'carol', note: 'key renewed' }));
  const escalated = done(await runner.escalate(root, config, { reason: 'Costs too much' }));
  expect(escalated).toMatchObject({ state: { blocked_on: 'escalation:operator:costs-too-much' } });
  expect(escalated.escalation).toMatchObject({ source: 'operator' });
  expect(project.events.slice(-2)).toEqual(['run_blocked', 'escalation_raised']);
});

type Call = (runner: Runner, root: string, config: GovernedConfig) => Promise<unknown>;
const ODD = { not: 'a config' } as unknown as GovernedConfig;
const none = undefined as never;
const mode = { resolutionMode: 'x' as never };
const BAD: readonly (readonly [string, Call, string])[] = [
  ['an invalid root', (runner, _, config) => runner.initRun(7 as never, config), 'bad_argument'],
  ['a missing root', (runner, root, config) => runner.initRun(`${root}/nowhere`, config), 'bad_argument'],
  ['an invalid config', (runner, root) => runner.initRun(root, ODD), 'invalid_config'],
  ['no config', (runner, root) => runner.assignTurn(root, none, 'pm'), 'no_config'],
  ['an invalid role', (runner, root, config) => runner.assignTurn(root, config, {} as never), 'bad_argument'],
  ['a turn before a run', (runner, root, config) => runner.assignTurn(root, config, 'pm'), 'no_run'],
  ['an acceptance before a run', (runner, root, config) => runner.acceptTurn(root, config), 'no_run'],
  ['an invalid mode', (runner, root, config) => runner.acceptTurn(root, config, mode), 'bad_argument'],
  ['no reject reason', (runner, root, config) => runner.rejectTurn(root, config, null, none), 'bad_argument'],
  ['a blocker without details', (runner, root) => runner.markRunBlocked(root, none), 'bad_argument'],
  ['no escalation reason', (runner, root, config) => runner.escalate(root, config, {} as never), 'bad_argument'],
  [
    'an invalid step',
    (runner, root) => runner.transitionActiveTurnLifecycle(root, 't', 'fly' as never),
    'bad_argument',
  ],
  ['a lock without a run', (runner, root) => runner.acquireLock(root), 'no_config'],
  ['no event name', (runner, root, config) => runner.emitNotifications(root, config, null, none), 'bad_argument'],
];

it.each(BAD)('[GR1] returns a failure for %s, and leaves no run', async (_, call, error_code) => {
  const answer = (await call(project.runner, project.root, project.config)) as { ok: boolean };
  expect(refused(answer)).toMatchObject({ error_code, error: expect.stringMatching(/\S/) });
  expect(await project.runner.loadState(project.root, project.config)).toBeNull();
  expect(existsSync(project.path('.agentxchain/state.json'))).toBe(false);
});

it('[GR1] refuses turns that are not active', async () => {
  await project.init();
  expect(refused(await project.accept())).toMatchObject({ error_code: 'not_found' });
  expect(refused(await project.accept('turn_x'))).toMatchObject({ error_code: 'turn_not_active' });
  expect(refused(await project.accept('../x'))).toMatchObject({ error_code: 'unsafe_path' });
});

it('[GR1, GR15] finds the project from a subfolder, and writes nothing in loadState without a run', async () => {
  const { runner, root, config } = project;
  expect(await runner.loadState(root, config)).toBeNull();
  expect(readdirSync(root)).toEqual([]);
  expect(await runner.loadContext(`${root}/deep/within`)).toBeNull();
  project.write('agentxchain.json', '{ half');
  expect(await runner.loadContext(root)).toBeNull();
  project.write('agentxchain.json', JSON.stringify(CONFIG));
  expect(await runner.loadContext(`${root}/deep/within`)).toMatchObject({ root, version: '1.0', config: CONFIG });
});

it('[GR11] begins the next run on request, with repository decisions and continued run files', async () => {
  const { runner, root, config } = project;
  await atGate();
  done(await runner.approvePhaseGate(root, config));
  await project.turn('qa', { run_completion_request: true, decisions: [decision('DEC-001', { durability: 'repo' })] });
  const first = project.state.run_id;
  expect(refused(await runner.initRun(root, config))).toMatchObject({ error_code: 'wrong_status' });
  expect(refused(await runner.assignTurn(root, config, 'pm'))).toMatchObject({ error_code: 'wrong_status' });
  const begun = done(await runner.initRun(root, config, { allow_terminal_restart: true, provenance: { by: 'carol' } }));
  expect(begun.state).toMatchObject({ status: 'active', phase: 'planning', provenance: { by: 'carol' } });
  expect(begun.state.run_id).not.toBe(first);
  expect(begun.state.repo_decisions).toMatchObject([{ id: 'DEC-001', status: 'active' }]);
  await project.turn('pm', { decisions: [decision('DEC-002', { overrides: 'DEC-001', durability: 'repo' })] });
  expect(project.book('history').map(({ run_id }) => run_id)).toEqual([first, first, begun.state.run_id]);
  expect(project.book('repo-decisions').map(({ type, id }) => [type, id])).toEqual([
    ['decision', 'DEC-001'],
    ['override', 'DEC-001'],
    ['decision', 'DEC-002'],
  ]);
  const second = project.book('events').filter(({ run_id }) => run_id === begun.state.run_id);
  expect(engine.orderFaults(second)).toEqual([]);
});

it('[GR10] continues a run under a changed config without duplicates', async () => {
  await project.init();
  await project.turn('pm', { decisions: [decision('DEC-001')] });
  const turn = await project.assign('pm', 'turn_c');
  project.config = { ...CONFIG, gates: { plan_ok: {}, ship_ok: {} } };
  await project.stage(turn, { phase_transition_request: 'checking', decisions: [decision('DEC-002')] });
  // The new config requires no approval.
  expect(await project.accept()).toMatchObject({ ok: true, state: { status: 'active', phase: 'checking' } });
  expect(refused(await project.accept('turn_c'))).toMatchObject({ error_code: 'turn_already_accepted' });
  expect(bookFaults(project)).toEqual([]);
  expect(project.book('history')).toHaveLength(2);
  expect(project.book('decision-ledger')).toHaveLength(2);
  expect(resultOf(turn)).toMatchObject({ turn_id: 'turn_c' });
});
