// Results that acceptance refuses, and conclusions that it does not draw.

import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { createRunner } from 'parley-hub/governed';
import { beforeEach, describe, expect, it } from 'vitest';
import { foreign, own } from '../../conformance/corpora.ts';
import { bookFaults, CONFIG, decision, done, Project, refused, resultOf } from './project.ts';

let project: Project;
beforeEach(() => {
  project = new Project();
  return () => project.remove();
});

/** The run files on disk. */
function runFiles(): Readonly<Record<string, string>> {
  const names = readdirSync(project.path('.agentxchain')).filter((name) => /\.jsonl?$/.test(name));
  return Object.fromEntries(names.map((name) => [name, project.read(`.agentxchain/${name}`)]));
}

/** Stages a result with these members and expects a refusal that changes nothing. */
async function refuses(more: object, role = 'pm') {
  const turn = await project.assign(role);
  await project.stage(turn, more);
  const before = runFiles();
  const failure = refused(await project.accept(turn.turn_id));
  expect(runFiles()).toEqual(before);
  expect(project.state).toMatchObject({ status: 'active', active_turns: { [turn.turn_id]: expect.anything() } });
  return failure;
}

describe('a result', () => {
  beforeEach(() => project.init());

  it('[GV4, GR1] that claims a pass despite exit code 1 is refused, not treated as an expected failure', async () => {
    const verification = { status: 'pass', machine_evidence: [{ command: 'npm test', exit_code: 1 }] };
    const failure = await refuses({ verification });
    expect(failure).toMatchObject({ error_code: 'validation_failed', validation: { failed_stage: 'verification' } });
    const path = `.agentxchain/staging/${Object.keys(project.state.active_turns as object)[0]}/turn-result.json`;
    expect(JSON.parse(project.read(path))).toMatchObject({ verification });
  });

  it.each([
    'schema_version',
    'turn_id',
    'role',
    'runtime_id',
    'status',
    'summary',
    'decisions',
    'objections',
    'files_changed',
    'verification',
    'artifact',
    'proposed_next_role',
  ])('[GV4, GV5, GR1] without %s is refused, not completed with a default', async (field) => {
    const failure = await refuses({ [field]: undefined });
    expect(failure).toMatchObject({ error_code: 'validation_failed', error_type: 'missing_required_field' });
    expect(JSON.stringify(failure)).toContain(field);
  });

  it.each([
    './.agentxchain/state.json',
    'src/../.agentxchain/state.json',
    '.agentxchain/events.jsonl',
    '.AgentXchain/history.jsonl',
    '.agentxchain//locks/run/1',
    '/etc/passwd',
    '../elsewhere.ts',
  ])('[GV6, GR1] that declares a change of %s is refused, whatever the spelling', async (path) => {
    const failure = await refuses({ files_changed: ['src/fine.ts', path] });
    expect(failure).toMatchObject({ error_code: 'validation_failed', validation: { failed_stage: 'artifact' } });
    expect(JSON.stringify(failure)).toContain(path);
  });

  it('[GV6, GF9] that reaches run files through a link is refused', async () => {
    symlinkSync('.agentxchain', project.path('harmless'));
    expect(await refuses({ files_changed: ['harmless/state.json'] })).toMatchObject({ ok: false });
  });

  it.each(['run', 'repo'])(
    '[GV13, GR1] with a decision for the %s that overrides an unknown one is refused',
    async (durability) => {
      const failure = await refuses({ decisions: [decision('DEC-001', { durability, overrides: 'DEC-999' })] });
      expect(JSON.stringify(failure)).toContain('DEC-999');
    },
  );

  it('[GV4, GR1] that needs a person without a reason is refused', async () => {
    expect(await refuses({ status: 'needs_human' })).toMatchObject({ error_code: 'validation_failed' });
  });
});

it('[GV5, GV10] does not read a friendly request for a person as a completion request', async () => {
  project.config = { ...CONFIG, routing: { checking: { entry_role: 'qa', exit_gate: 'ship_ok' } } };
  await project.init();
  const turn = await project.assign('qa');
  const asking = { status: 'needs_human', needs_human_reason: 'All good! Need a human to approve the release' };
  await project.stage(turn, asking);
  const answer = done(await project.accept(turn.turn_id));
  expect(answer).toMatchObject({ state: { status: 'blocked' }, completionResult: null, gateResult: null });
  expect(answer.accepted).toMatchObject(asking);
  expect(answer.accepted).not.toMatchObject({ run_completion_request: true });
  expect(project.events).not.toContain('run_completed');
  expect(project.events).not.toContain('gate_pending');
});

it('[GR4] answers turn_already_accepted to any later acceptance of a turn', async () => {
  await project.init();
  const turn = await project.turn('pm', { decisions: [decision('DEC-001')] });
  const again = async (): Promise<void> => {
    await project.stage(turn, { decisions: [decision('DEC-002')] });
    for (const runner of [project.runner, createRunner()]) {
      const answer = await runner.acceptTurn(project.root, project.config, { turnId: turn.turn_id });
      expect(refused(answer)).toMatchObject({ error_code: 'turn_already_accepted' });
    }
  };
  await again();
  await project.turn('dev', { phase_transition_request: 'checking' });
  await again();
  done(await project.runner.approvePhaseGate(project.root, project.config));
  await project.turn('qa', { run_completion_request: true });
  await again();
  expect(project.state).toMatchObject({ status: 'completed' });
  expect(project.book('history')).toHaveLength(3);
  expect(project.book('decision-ledger').map(({ id }) => id)).toEqual(['DEC-001']);
  expect(bookFaults(project)).toEqual([]);
});

it('[GV8, GR1] keeps DEC-001 once in the ledger when several turns use it', async () => {
  await project.init();
  await project.turn('pm', { decisions: [decision('DEC-001')] });
  for (const role of ['dev', 'pm']) {
    const failure = await refuses({ decisions: [decision('DEC-001')] }, role);
    expect(failure).toMatchObject({ error_code: 'duplicate_decision_id', details: { duplicate_id: 'DEC-001' } });
  }
  expect(project.book('decision-ledger').map(({ id }) => id)).toEqual(['DEC-001']);
});

const TAKEN = [...own, ...foreign].filter(
  ({ input, expected }) => input.operation === 'validate_config' && expected.result === 'success',
);

it('[GV16, GR1] begins a run with every config that fixtures call valid', async () => {
  expect(TAKEN.length).toBeGreaterThan(5);
  for (const { fixture_id, input, setup } of TAKEN) {
    const config = (input.args as { config?: object }).config ?? (setup as { config?: object }).config;
    const one = new Project(config as never);
    try {
      expect([fixture_id, await one.runner.initRun(one.root, one.config)]).toMatchObject([fixture_id, { ok: true }]);
      expect(one.state).toMatchObject({ status: 'active' });
    } finally {
      one.remove();
    }
  }
}, 60_000);

it('[GR3, GR5] does not undo acceptances when older files are restored', async () => {
  await project.init();
  const first = await project.assign('pm', 'turn_1');
  await project.stage(first, { decisions: [decision('DEC-001')] });
  const saved = { state: project.read('.agentxchain/state.json'), staged: resultOf(first) };
  done(await project.accept('turn_1'));
  await project.turn('dev', { decisions: [decision('DEC-002')] });
  const [history, ledger] = [project.book('history'), project.book('decision-ledger')];

  project.write('.agentxchain/state.json', saved.state);
  project.write('.agentxchain/staging/turn_1/turn-result.json', JSON.stringify(saved.staged));
  mkdirSync(project.path('.agentxchain/transactions/accept'), { recursive: true });
  const journal = { kind: 'accept_turn', status: 'prepared', turn_id: 'turn_1', next_state: JSON.parse(saved.state) };
  project.write('.agentxchain/transactions/accept/txn_1.json', JSON.stringify(journal));
  expect(refused(await project.accept('turn_1'))).toMatchObject({ error_code: 'turn_already_accepted' });
  expect(project.state).toMatchObject({ accepted_sequence: 2, active_turns: {} });
  expect([project.book('history'), project.book('decision-ledger')]).toEqual([history, ledger]);
  expect(bookFaults(project)).toEqual([]);
});

it('[GR1] refuses a text as recovery instead of dropping it', async () => {
  await project.init();
  const { runner, root } = project;
  const details = { blockedOn: 'dispatch:auth', category: 'dispatch', recovery: 'Log in.' };
  expect(refused(await runner.markRunBlocked(root, details as never))).toMatchObject({ error_code: 'bad_argument' });
  expect(project.state).toMatchObject({ status: 'active' });
  const recovery = { recovery_action: 'Log in.' };
  const { state } = done(await runner.markRunBlocked(root, { ...details, recovery }));
  expect(state.blocked_reason).toMatchObject({ recovery });
});
