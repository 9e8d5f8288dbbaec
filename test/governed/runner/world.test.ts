// The environment of a run: foreign files, git, hooks, notifications, leases.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRunner, type GovernedConfig } from 'parley-hub/governed';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { itDeep } from '../../support/size.ts';
import { bookFaults, CONFIG, decision, done, Project, refused } from './project.ts';

// Each call opens and syncs a log, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let project: Project;
beforeEach(() => {
  project = new Project();
  return () => project.remove();
});

describe('[GR10] a run of another program', () => {
  const STATE = {
    schema_version: '1.1',
    run_id: 'run_elsewhere',
    status: 'active',
    phase: 'planning',
    active_turns: { turn_old: { turn_id: 'turn_old', assigned_role: 'pm', status: 'running', runtime_id: 'manual' } },
    turn_sequence: 3,
    accepted_sequence: 1,
  };
  const line = (value: object) => `${JSON.stringify(value)}\n`;

  function leave(state: object = STATE): void {
    project.write('.agentxchain/state.json', JSON.stringify(state));
    const past = { run_id: 'run_elsewhere', turn_id: 'turn_0', role: 'pm', phase: 'planning', status: 'completed' };
    // Duplicated by one crash and torn by another.
    project.write('.agentxchain/history.jsonl', `${line(past)}${line(past)}{"turn_id":"tor`);
    const decided = { id: 'DEC-001', turn_id: 'turn_0', statement: 'x' };
    project.write('.agentxchain/decision-ledger.jsonl', line(decided) + line({ ...decided, turn_id: 'turn_other' }));
    project.write('.agentxchain/events.jsonl', line({ event_id: 'evt_0', event_type: 'run_started' }));
  }

  itDeep('is taken over by the first call that changes it, with copies of its files', async () => {
    leave();
    const { runner, root, config } = project;
    const before = project.read('.agentxchain/history.jsonl');
    expect(await runner.loadState(root, config)).toMatchObject({ run_id: 'run_elsewhere' });
    expect(existsSync(project.path('.agentxchain/log'))).toBe(false);
    expect(refused(await project.accept('turn_0'))).toMatchObject({ error_code: 'turn_already_accepted' });
    expect(project.book('history')).toHaveLength(1);
    expect(project.book('decision-ledger').map(({ turn_id }) => turn_id)).toEqual(['turn_0', 'turn_other']);
    expect(project.read('.agentxchain/imported/history.jsonl')).toBe(before);
    const turn = done(await runner.transitionActiveTurnLifecycle(root, 'turn_old', 'running')).turn;
    await project.stage({ ...turn, run_id: 'run_elsewhere' }, { decisions: [decision('DEC-001')] });
    expect(refused(await project.accept())).toMatchObject({ error_code: 'duplicate_decision_id' });
    await project.stage({ ...turn, run_id: 'run_elsewhere' }, { decisions: [decision('DEC-002')] });
    expect(done(await project.accept()).accepted).toMatchObject({ turn_id: 'turn_old', accepted_sequence: 2 });
    expect(project.events[0]).toBe('run_started');
    expect(project.events.at(-1)).toBe('turn_accepted');
  });

  it('is taken over in parts if its history is long', async () => {
    leave();
    const filler = 'x'.repeat(2_000);
    const entries = Array.from({ length: 400 }, (_, n) => ({ run_id: 'run_elsewhere', turn_id: `turn_${n}`, filler }));
    project.write('.agentxchain/history.jsonl', entries.map(line).join(''));
    expect(refused(await project.accept('turn_399'))).toMatchObject({ error_code: 'turn_already_accepted' });
    expect(project.book('history')).toEqual(entries);
  });

  it('is refused and left unchanged if its state is invalid', async () => {
    for (const text of ['{ half', JSON.stringify({ ...STATE, status: 'paused' }), '[]']) {
      leave();
      project.write('.agentxchain/state.json', text);
      const { error_code, error } = refused(await project.accept());
      expect(['invalid_state', 'protocol_error']).toContain(error_code);
      expect(error).toMatch(/state/);
      expect(project.read('.agentxchain/state.json')).toBe(text);
    }
  });

  it('that is idle can be begun', async () => {
    leave({ schema_version: '1.1', status: 'idle', phase: 'planning' });
    const begun = done(await project.runner.initRun(project.root, project.config));
    expect(begun).toMatchObject({ state: { status: 'active' }, migration_notice: expect.stringContaining('imported') });
  });
});

describe('[GR12] in a work tree of git', () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: project.root });

  beforeEach(async () => {
    git('init', '-q');
    project.write('README.md', 'hello\n');
    project.write('.gitignore', '.agentxchain/\n');
    git('add', '-A');
    git('commit', '-qm', 'begin');
    await project.init();
  });

  itDeep('refuses a turn with undeclared changes, committed or not', async () => {
    const turn = await project.assign('pm');
    await project.stage(turn, { files_changed: ['src/a.ts'] });
    project.write('src/a.ts', 'a');
    project.write('src/hidden.ts', 'h');
    const undeclared = { error_code: 'artifact_mismatch', details: { paths: ['src/hidden.ts'] } };
    expect(refused(await project.accept())).toMatchObject(undeclared);
    git('add', '-A');
    git('commit', '-qm', 'hide it');
    expect(refused(await project.accept())).toMatchObject(undeclared);
    await project.stage(turn, { files_changed: ['src/a.ts', 'src/hidden.ts'] });
    expect(done(await project.accept()).accepted.observed_artifact).toEqual(['src/a.ts', 'src/hidden.ts']);
  });

  itDeep.each([
    ['a damaged index', () => project.write('.git/index', 'not an index')],
    ['a deleted repository', () => rmSync(project.path('.git'), { recursive: true })],
  ])('accepts nothing unseen if git fails because of %s', async (_, spoil) => {
    const turn = await project.assign('pm');
    await project.stage(turn, { files_changed: ['src/a.ts'] });
    project.write('src/a.ts', 'a');
    project.write('src/hidden.ts', 'h');
    cpSync(project.path('.git'), project.path('.agentxchain/kept'), { recursive: true });
    spoil();
    expect(refused(await project.accept())).toMatchObject({ error_code: 'tree_unreadable' });
    expect(project.book('history')).toEqual([]);
    cpSync(project.path('.agentxchain/kept'), project.path('.git'), { recursive: true });
    const mismatch = { error_code: 'artifact_mismatch', details: { paths: ['src/hidden.ts'] } };
    expect(refused(await project.accept())).toMatchObject(mismatch);
  });

  itDeep('attributes neither earlier changes nor those of accepted turns to a turn', async () => {
    const turn = await project.assign('pm');
    project.write('src/a.ts', 'a');
    await project.stage(turn, { files_changed: ['src/a.ts'] });
    done(await project.accept());
    const next = await project.assign('pm');
    project.write('src/b.ts', 'b');
    await project.stage(next, { files_changed: ['src/b.ts'] });
    expect(done(await project.accept()).accepted.observed_artifact).toEqual(['src/b.ts']);
    project.write('stranger.ts', 's');
    const assigned = await project.runner.assignTurn(project.root, project.config, 'pm');
    expect(refused(assigned)).toMatchObject({ error_code: 'tree_not_clean' });
  });

  itDeep('does not attribute changes to concurrent turns', async () => {
    const [one, other] = [await project.assign('pm', 'turn_1'), await project.assign('dev', 'turn_2')];
    project.write('src/one.ts', '1');
    project.write('src/other.ts', '2');
    await project.stage(one, { files_changed: ['src/one.ts'] });
    await project.stage(other, { files_changed: ['src/other.ts'] });
    expect(done(await project.accept('turn_1')).accepted.observed_artifact).toEqual(['src/one.ts']);
    expect(done(await project.accept('turn_2')).accepted.observed_artifact).toEqual(['src/other.ts']);
  });

  it('refuses a declared path that leads outside through a link', async () => {
    const turn = await project.assign('pm');
    symlinkSync('/tmp', project.path('out'));
    await project.stage(turn, { files_changed: ['out', 'out/x.ts'] });
    expect(refused(await project.accept())).toMatchObject({ error_code: 'reserved_path_violation' });
  });
});

describe('[GR13] the files of a gate', () => {
  const GATED: GovernedConfig = {
    ...CONFIG,
    gates: { plan_ok: { requires_files: ['.planning/SYSTEM_SPEC.md'] }, ship_ok: {} },
  };

  it('are read from disk; a long one is judged by its relevant parts and kept', async () => {
    project.config = GATED;
    await project.init();
    await project.turn('pm', { phase_transition_request: 'checking' });
    const last_gate_failure = { reasons: [{ code: 'files_missing' }] };
    expect(project.state).toMatchObject({ phase: 'planning', last_gate_failure });
    const prose = 'Lorem ipsum dolor sit amet.\n'.repeat(2_000);
    const titles = ['Purpose', 'Interface', 'Acceptance Tests'];
    const sections = titles.map((title) => `## ${title}\n\nIt holds.\n\n${prose}`);
    project.write('.planning/SYSTEM_SPEC.md', sections.join('\n'));
    await project.turn('pm', { phase_transition_request: 'checking' });
    expect(project.state).toMatchObject({ phase: 'checking' });
    const kept = readdirSync(project.path('.agentxchain/evidence'));
    expect(kept.map((name) => project.read(`.agentxchain/evidence/${name}`))).toContain(sections.join('\n'));
  });
});

const variable = (name: string) => `$${`{${name}}`}`;

const hook = (script: string, more: object = {}) => ({
  name: 'watch',
  type: 'process',
  command: ['sh', '-c', script],
  timeout_ms: 5000,
  mode: 'blocking',
  ...more,
});
const ALLOW = `printf '{"verdict":"allow"}'`;
const BLOCK = `printf '{"verdict":"block","message":"not today"}'`;
const hooked = (hooks: object): GovernedConfig => ({ ...CONFIG, hooks }) as unknown as GovernedConfig;

describe('[GR9] hooks', () => {
  itDeep.each(['before_validation', 'after_validation', 'before_acceptance'])(
    'of %s can stop an acceptance',
    async (phase) => {
      project.config = hooked({ [phase]: [hook(BLOCK)] });
      await project.init();
      const turn = await project.assign('pm');
      await project.stage(turn);
      expect(refused(await project.accept())).toMatchObject({
        error_code: 'hook_blocked',
        error: expect.stringContaining('not today'),
        hookResults: [{ hook_phase: phase, orchestrator_action: 'blocked' }],
      });
      expect(project.book('history')).toEqual([]);
    },
  );

  itDeep('before a gate run each time and can stop it', async () => {
    project.config = hooked({ before_gate: [hook(`test -e open && ${ALLOW} || ${BLOCK}`)] });
    await project.init();
    await project.turn('pm', { phase_transition_request: 'checking' });
    const { runner, root, config } = project;
    expect(refused(await runner.approvePhaseGate(root, config))).toMatchObject({ error_code: 'hook_blocked' });
    project.write('open', '');
    expect(done(await runner.approvePhaseGate(root, config)).state.phase).toBe('checking');
  });

  it('before an assignment and after a dispatch can stop them', async () => {
    project.config = hooked({ before_assignment: [hook(BLOCK)] });
    await project.init();
    const { runner, root } = project;
    expect(refused(await runner.assignTurn(root, project.config, 'pm'))).toMatchObject({ error_code: 'hook_blocked' });
    project.config = hooked({ after_dispatch: [hook(BLOCK)] });
    const turn = await project.assign('pm');
    const bundle = await runner.writeDispatchBundle(root, null, project.config);
    expect(refused(bundle)).toMatchObject({ error_code: 'hook_blocked' });
    expect(project.events).not.toContain('turn_dispatched');
    expect(turn.status).toBe('assigned');
  });

  itDeep('after acceptance and on escalation run when the change is durable in the run files', async () => {
    const seen = `cp .agentxchain/history.jsonl seen.jsonl; cat > told-$AGENTXCHAIN_HOOK_PHASE.json; ${ALLOW}`;
    const advisory = [hook(seen, { mode: 'advisory' })];
    project.config = hooked({ after_acceptance: advisory, on_escalation: advisory });
    await project.init();
    const turn = await project.turn('pm', { decisions: [decision('DEC-001')] });
    expect(project.read('seen.jsonl')).toBe(project.read('.agentxchain/history.jsonl'));
    expect(JSON.parse(project.read('told-after_acceptance.json')).payload).toMatchObject({
      turn_id: turn.turn_id,
      history_entry_index: 0,
      decisions_count: 1,
      run_status: 'active',
    });
    done(await project.runner.escalate(project.root, project.config, { reason: 'stop' }));
    expect(JSON.parse(project.read('told-on_escalation.json')).payload).toMatchObject({ last_error: 'stop' });
  });
});

it('[GR16] sends webhooks the events they want, within their timeout, and writes no secret', async () => {
  const told: { url: string | undefined; key: string | undefined; body: { event_type: string } }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    told.push({ url: request.url, key: request.headers['x-key'] as string | undefined, body: JSON.parse(body) });
    if (request.url === '/slow') return;
    response.writeHead(request.url === '/moved' ? 302 : 204, { location: '/elsewhere' }).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = {
    ...CONFIG,
    notifications: {
      webhooks: [
        { name: 'all', url: `${url}/all`, headers: { 'x-key': variable('KEY') } },
        { name: 'gates', url: `${url}/gates`, events: ['phase_transition_pending'] },
        { name: 'moved', url: `${url}/moved`, events: ['run_started'] },
        { name: 'slow', url: `${url}/slow`, events: ['run_started'], timeout_ms: 200 },
        { name: 'unset', url: `${url}/unset`, events: ['run_started'], headers: { 'x-key': variable('NOT_THERE') } },
      ],
    },
  } as unknown as GovernedConfig;
  const own = new Project(config, { variables: { KEY: 'hush-hush' } });
  try {
    await own.init();
    await own.turn('pm', { phase_transition_request: 'checking' });
    const at = (path: string) => told.filter((one) => one.url === path).map(({ body }) => body.event_type);
    expect(at('/all')).toEqual(own.events);
    expect(at('/gates')).toEqual(['gate_pending']);
    expect([at('/moved'), at('/elsewhere'), at('/unset')]).toEqual([['run_started'], [], []]);
    expect(told[0]?.key).toBe('hush-hush');
    const audit = own.read('.agentxchain/notification-audit.jsonl');
    expect(audit).not.toContain('hush-hush');
    const lines = audit
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const outcome = (name: string) => lines.find(({ notification_name }) => notification_name === name);
    expect(outcome('slow')).toMatchObject({ delivered: false, message: expect.stringContaining('200 ms') });
    expect(outcome('moved')).toMatchObject({ delivered: false, status_code: 302 });
    expect(outcome('unset')).toMatchObject({ delivered: false, message: 'the variable NOT_THERE is not set' });
    const mine = done(await own.runner.emitNotifications(own.root, config, null, 'my_event', { a: 1 }));
    expect(mine.results).toMatchObject([{ webhook: 'all', ok: true, status: 204 }]);
    expect(bookFaults(own)).toEqual([]);
  } finally {
    own.remove();
    server.closeAllConnections();
    server.close();
  }
});

it('[GR16] shows no secret in the problem of a webhook that cannot be called', async () => {
  const config = {
    ...CONFIG,
    notifications: {
      webhooks: [
        { name: 'address', url: 'http://porter:open-sesame@127.0.0.1:1/hook' },
        { name: 'header', url: 'http://127.0.0.1:9999/hook', headers: { 'x-key': variable('KEY') } },
      ],
    },
  } as unknown as GovernedConfig;
  const own = new Project(config, { variables: { KEY: 'hush\nhush\n' } });
  try {
    await own.init();
    const { results } = done(await own.runner.emitNotifications(own.root, config, null, 'my_event', {}));
    expect(results).toMatchObject([
      { webhook: 'address', ok: false, problem: expect.stringContaining('[secret]') },
      { webhook: 'header', ok: false, problem: expect.stringContaining('[secret]') },
    ]);
    const written = JSON.stringify(results) + own.read('.agentxchain/notification-audit.jsonl');
    for (const secret of ['porter', 'open-sesame', 'hush']) expect(written).not.toContain(secret);
  } finally {
    own.remove();
  }
});

itDeep('[GR14] gives the lock holder exclusive access until it releases the lock', async () => {
  await project.init();
  const { runner, root, config } = project;
  const other = createRunner();
  const { fence } = done(await runner.acquireLock(root));
  expect(refused(await other.assignTurn(root, config, 'pm'))).toMatchObject({ error_code: 'fenced_out' });
  expect(refused(await other.acquireLock(root))).toMatchObject({ error_code: 'lock_timeout' });
  await other.releaseLock(root);
  expect(done(await runner.acquireLock(root)).fence).toBe(fence);
  await project.assign('pm');
  await runner.releaseLock(root);
  expect(done(await other.acquireLock(root)).fence).toBeGreaterThan(fence);
  expect(refused(await runner.assignTurn(root, config, 'dev'))).toMatchObject({ error_code: 'fenced_out' });
});

it('[GR14] ignores an expired lease', async () => {
  await project.init();
  const { root, config } = project;
  done(await project.runner.acquireLock(root));
  const late = { now: () => Date.now() + 2 * 3_600_000, monotonic: () => performance.now(), after: later };
  const other = createRunner({ clock: late });
  done(await other.assignTurn(root, config, 'pm'));
  const unknown = await project.runner.assignTurn(root, config, 'nobody');
  expect(refused(unknown)).toMatchObject({ error_code: 'unknown_role' });
});

function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
