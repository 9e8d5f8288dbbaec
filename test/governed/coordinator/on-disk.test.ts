// The coordinator over repos on a real disk.

import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommitStep } from '../../../src/governed/coordinator/commit.ts';
import type { RepoRuns } from '../../../src/governed/coordinator/repo-runs.ts';
import { resolveRealPath } from '../../../src/governed/coordinator/repos.ts';
import { takeLock } from '../../../src/governed/files/lock.ts';
import { Disk } from './disk.ts';
import { harbour } from './harbour.ts';

async function begun(): Promise<Disk> {
  const made = new Disk();
  expect(await made.open().begin()).toMatchObject({ ok: true, state: { status: 'active' } });
  return made;
}

it('[GC8, GC9] drives a super run from begin to completion and writes nothing into a repo', async () => {
  const on = await begun();
  const coordinator = on.open();
  const actions: string[] = [];
  for (let n = 0; n < 40; n++) {
    const before = on.repos();
    const done = await coordinator.step();
    if (!done.ok) {
      expect(done.error_code).toBe(n === 39 ? '' : done.error_code);
      if (done.error_code === 'super_run_completed') break;
      expect(done.error_code).toBe('gate_pending');
      expect(await coordinator.approve({ by: 'ada' })).toMatchObject({ ok: true });
      actions.push('approved');
      continue;
    }
    actions.push(done.step.action);
    if (done.step.action === 'dispatch') on.accept(done.step.repo_id);
    else expect(on.repos()).toBe(before);
    if (done.step.action === 'wait') {
      for (const id of ['quay', 'crane'])
        on.write(`${id}/.agentxchain/state.json`, { ...on.state(id), status: 'completed' });
    }
  }
  expect(actions.join(' ')).toBe(
    'dispatch project dispatch project dispatch project request_gate approved wait request_gate approved',
  );
  expect(on.hooks).toEqual(['after_acceptance', 'after_acceptance', 'after_acceptance']);
  expect(on.lines('decision-ledger.jsonl').map(({ id }) => id)).toEqual(['DEC-COORD-001', 'DEC-COORD-002']);
  expect(on.lines('barrier-ledger.jsonl')).toHaveLength(3);
  const sent = on.lines('history.jsonl').filter(({ type }) => type === 'turn_dispatched');
  const context = `.agentxchain/multirepo/context/${sent[1]?.context_ref}`;
  expect(JSON.parse(on.text(`${context}/COORDINATOR_CONTEXT.json`))).toMatchObject({
    repo_id: 'crane',
    accepted: [{ repo_id: 'quay' }],
  });
  expect(on.text(`${context}/COORDINATOR_CONTEXT.md`)).toContain('repo crane');
});

it('[GC2] records a turn once, even if projected twice concurrently', async () => {
  const on = await begun();
  const turn = on.accept('quay', {}, 'turn_1');
  const both = await Promise.all([1, 2].map(() => on.open().project('quay', 'berths', turn)));
  expect(both.map((one) => one.ok && one.is_new).sort()).toEqual([false, true]);
  expect(on.types()).toEqual(['super_run_started', 'acceptance_projection']);
  expect(on.lines('barrier-ledger.jsonl')).toHaveLength(1);
  expect(await on.open().project('quay', 'berths', 'turn_2')).toMatchObject({ error_code: 'turn_not_accepted' });
});

it('[GC2] repairs barriers that lag behind the history when a turn is projected again', async () => {
  const on = await begun();
  const barriers = on.text('.agentxchain/multirepo/barriers.json');
  on.accept('quay', {}, 'turn_1');
  await on.open().project('quay', 'berths', 'turn_1');
  on.write('.agentxchain/multirepo/barriers.json', barriers);
  expect(await on.open().project('quay', 'berths', 'turn_1')).toMatchObject({ ok: true, is_new: false });
  expect(JSON.parse(on.text('.agentxchain/multirepo/barriers.json'))).toMatchObject({
    berths_completion: { status: 'partially_satisfied' },
  });
  expect(on.types()).toEqual(['super_run_started', 'acceptance_projection']);
});

describe('[GC3] a path that is inside by its text', () => {
  it.each([
    ['a link to a neighbour', 'src/door', '../../crane/src', 'src/door/x.ts', 'crane'],
    ['a link to nothing yet', 'src/door', '../../crane/new', 'src/door', 'crane'],
    ['a link that leads away', 'door', '/', 'door/etc/motd', null],
    ['a link in a circle', 'door', 'door', 'door/x', null],
    ['a link with a way back behind it', 'src/door', '../../crane/src', 'src/door/../x.ts', 'quay'],
  ])('%s does not belong to the repo if links lead elsewhere', async (_, link, target, path, owner) => {
    const on = await begun();
    mkdirSync(join(on.root, 'crane/src'), { recursive: true });
    mkdirSync(join(on.root, 'quay/src'), { recursive: true });
    symlinkSync(target, join(on.root, 'quay', link));
    on.accept('quay', { files_changed: [path] }, 'turn_1');
    const outcome = await on.open().project('quay', 'berths', 'turn_1');
    const refused = {
      ok: false,
      params: { error_type: 'cross_repo_write_violation', owner: owner === 'quay' ? 'crane' : owner },
    };
    expect(outcome).toMatchObject(refused);
    expect(await on.open().step()).toMatchObject({
      ok: true,
      step: { action: 'project' },
      state: { status: 'blocked' },
    });
    expect(on.types()).toEqual(['super_run_started', 'projection_refused', 'super_run_blocked']);
  });

  it('a link that stays inside is allowed', async () => {
    const on = await begun();
    mkdirSync(join(on.root, 'quay/src'), { recursive: true });
    symlinkSync('src', join(on.root, 'quay/lib'));
    on.accept('quay', { files_changed: ['lib/x.ts'] }, 'turn_1');
    expect(await on.open().project('quay', 'berths', 'turn_1')).toMatchObject({ ok: true });
  });
});

describe('[GC9] links', () => {
  it('a repo declared through a link is refused', async () => {
    const on = new Disk();
    mkdirSync(join(on.root, 'elsewhere'));
    symlinkSync('elsewhere', join(on.root, 'pier'));
    on.write('agentxchain-multi.json', harbour({}, { repos: { ...harbour().repos, quay: { path: 'pier' } } }));
    expect(await on.open().begin()).toMatchObject({ ok: false, error_code: 'bad_repo_path' });
  });

  it('a state file outside its repo counts as missing', async () => {
    const on = await begun();
    on.write('outside/state.json', on.state('quay'));
    rmSync(join(on.root, 'quay/.agentxchain/state.json'));
    symlinkSync('../../outside/state.json', join(on.root, 'quay/.agentxchain/state.json'));
    expect(await on.open().step()).toMatchObject({
      step: { action: 'block', blockers: [{ code: 'repo_state_missing' }] },
    });
  });

  it('never writes through a link from its folder into a repo', async () => {
    const on = new Disk();
    mkdirSync(join(on.root, 'quay/.agentxchain'), { recursive: true });
    symlinkSync('quay/.agentxchain', join(on.root, '.agentxchain'));
    const before = on.repos();
    expect(await on.open().begin()).toMatchObject({ ok: false, error_code: 'linked_folder' });
    expect(on.repos()).toBe(before);
  });

  it('its own folder and a missing folder are refused as repos', async () => {
    const on = new Disk();
    for (const path of ['.', './missing']) {
      on.write('agentxchain-multi.json', harbour({}, { repos: { ...harbour().repos, quay: { path } } }));
      expect(await on.open().begin()).toMatchObject({ ok: false, error_code: 'bad_repo_path' });
    }
  });

  it('resolves links one by one', async () => {
    const on = new Disk();
    mkdirSync(join(on.root, 'a/b'), { recursive: true });
    symlinkSync('a/b', join(on.root, 'l'));
    expect(await resolveRealPath(`${on.root}/l/../x`)).toBe(join(on.root, 'a/x'));
    expect(await resolveRealPath(join(on.root, 'l', 'none', 'x'))).toBe(join(on.root, 'a/b/none/x'));
  });
});

describe('[GC12] a beginning', () => {
  it('leaves no note that would undo it', async () => {
    const on = await begun();
    expect(on.text('.agentxchain/multirepo/initialising.json')).toBe('');
  });

  it('is undone in begun repos when one repo refuses', async () => {
    const on = new Disk();
    on.failing.add('buoy');
    expect(await on.open().begin()).toMatchObject({
      ok: false,
      error_code: 'init_failed',
      params: { undone: ['buoy', 'crane', 'quay'], left: [] },
    });
    for (const id of ['quay', 'crane', 'buoy']) expect(on.state(id)).toMatchObject({ status: 'idle' });
    expect(await on.open().look()).toMatchObject({ ok: false, error_code: 'not_begun' });
    on.failing.clear();
    expect(await on.open().begin()).toMatchObject({ ok: true });
  });

  it('links an active run, keeps it when another repo fails, and refuses a blocked one', async () => {
    const on = new Disk();
    const running = { run_id: 'run_own', status: 'active', phase: 'planning', active_turns: {} };
    on.write('quay/.agentxchain/state.json', running);
    on.failing.add('crane');
    expect(await on.open().begin()).toMatchObject({ ok: false, params: { undone: ['crane'] } });
    expect(on.state('quay')).toEqual(running);
    on.failing.clear();
    expect(await on.open().begin()).toMatchObject({
      state: {
        repo_runs: {
          quay: { run_id: 'run_own', status: 'linked' },
          crane: { status: 'initialized', initialized_by_coordinator: true },
        },
      },
    });
    expect(await on.open().begin()).toMatchObject({ ok: false, error_code: 'already_begun' });
    const other = new Disk();
    other.write('crane/.agentxchain/state.json', { ...running, status: 'blocked' });
    expect(await other.open().begin()).toMatchObject({ ok: false, error_code: 'repo_not_ready' });
    expect(other.state('quay')).toEqual({});
  });

  it('is undone by the next process after a crash', async () => {
    const on = new Disk();
    const undone: (string | null)[] = [];
    const dies: RepoRuns = {
      ...on.runs(),
      begin: (repo) => {
        if (repo.id === 'crane') throw new Error('x');
        return on.runs().begin(repo);
      },
      undo: async (_, runId) => {
        undone.push(runId);
        throw new Error('dead');
      },
    };
    expect(await on.open({ runs: dies }).begin()).toMatchObject({ ok: false, params: { left: ['crane', 'quay'] } });
    expect(undone).toEqual([null, 'run_quay']);
    expect(on.state('quay')).toMatchObject({ status: 'active' });
    on.notUndone.add('quay');
    expect(await on.open().begin()).toMatchObject({
      ok: false,
      error_code: 'init_not_undone',
      params: { left: ['quay'] },
    });
    on.notUndone.clear();
    expect(await on.open().begin()).toMatchObject({
      ok: true,
      state: { repo_runs: { quay: { status: 'initialized' } } },
    });
  });
});

describe('[GC11] a crash at', () => {
  const STEPS: readonly (readonly [CommitStep, string])[] = [
    ['note', 'commit.json'],
    ['append', 'history.jsonl'],
    ['append', 'barrier-ledger.jsonl'],
    ['write', 'barriers.json'],
    ['clear', 'commit.json'],
  ];

  it.each(STEPS)('%s %s leaves everything or nothing, and nothing twice', async (step, file) => {
    const on = await begun();
    on.accept('quay', {}, 'turn_1');
    const onStep = (at: CommitStep, name: string): void => {
      if (at === step && name === file) crash();
    };
    const crashed = await on.open({ onStep }).project('quay', 'berths', 'turn_1');
    expect(crashed).toMatchObject({ ok: false, error: 'crash' });
    const seen = await on.open().look();
    const isThere = step !== 'note';
    expect(seen).toMatchObject({
      view: { barriers: { berths_completion: { status: isThere ? 'partially_satisfied' : 'pending' } } },
    });
    expect(await on.open().project('quay', 'berths', 'turn_1')).toMatchObject({ ok: true, is_new: !isThere });
    expect(on.types()).toEqual(['super_run_started', 'acceptance_projection']);
    expect(on.lines('barrier-ledger.jsonl')).toHaveLength(1);
  });

  it('completes a partial line', async () => {
    const on = await begun();
    on.accept('quay', {}, 'turn_1');
    const history = '.agentxchain/multirepo/history.jsonl';
    const onStep = (at: CommitStep, name: string): void => {
      if (at !== 'append' || name !== 'history.jsonl') return;
      const { appends } = JSON.parse(on.text('.agentxchain/multirepo/commit.json'));
      on.write(history, on.text(history) + appends['history.jsonl'].text.slice(0, 40));
      crash();
    };
    await on.open({ onStep }).project('quay', 'berths', 'turn_1');
    expect(on.text(history).endsWith('\n')).toBe(false);
    expect(await on.open().look()).toMatchObject({ ok: true });
    expect(on.types()).toEqual(['super_run_started', 'acceptance_projection']);
  });

  it('drops the note of a process that lost the lock, if others have written since', async () => {
    const on = await begun();
    on.accept('quay', {}, 'turn_1');
    const stale = {
      token: 1,
      appends: { 'history.jsonl': { at: 0, text: '{"type":"old"}\n' } },
      writes: { 'state.json': '{}' },
    };
    on.write('.agentxchain/multirepo/commit.json', stale);
    expect(await on.open().look()).toMatchObject({ ok: true, view: { state: { status: 'active' } } });
    expect(on.types()).toEqual(['super_run_started']);
  });
});

it('[GC10] writes nothing after losing the lock', async () => {
  const on = await begun();
  on.accept('quay', {}, 'turn_1');
  const before = on.types();
  const lock = join(on.root, '.agentxchain/multirepo/lock');
  const outcome = await on
    .open({ onStep: (at) => at === 'note' && on.write('.agentxchain/multirepo/lock/999', '{}') })
    .project('quay', 'berths', 'turn_1');
  expect(outcome).toMatchObject({ ok: false, error_code: 'lock_lost' });
  expect(on.types()).toEqual(before);
  expect(on.text('.agentxchain/multirepo/commit.json')).toBe('');
  expect(readFileSync(join(lock, '999'), 'utf8')).toBe('{}');
});

it('[GC10] reports a lock timeout', async () => {
  const on = await begun();
  const held = await takeLock(join(on.root, '.agentxchain/multirepo/lock'), { owner: 'test' });
  expect(await on.open({ lockWaitMs: 0 }).step()).toMatchObject({ ok: false, error_code: 'lock_timeout' });
  if (held.ok) await held.lock.release();
});

function crash(): never {
  throw new Error('crash');
}

describe('[GC13] an assigned turn', () => {
  it('is recorded by the next process after a crash', async () => {
    const on = await begun();
    const crashed = await on.open({ onStep: crash }).step();
    expect(crashed).toMatchObject({ ok: false, error: 'crash' });
    const [turn] = Object.keys(on.state('quay').active_turns as object);
    expect(await on.open().look()).toMatchObject({ ok: true });
    expect(on.lines('history.jsonl').at(-1)).toMatchObject({
      type: 'turn_dispatched',
      repo_id: 'quay',
      repo_turn_id: turn,
    });
    await on.open().look();
    expect(on.types()).toEqual(['super_run_started', 'turn_dispatched']);
  });

  it('is not guessed when two turns match', async () => {
    const on = await begun();
    await on.open({ onStep: crash }).step();
    on.accept('quay', {}, 'turn_another');
    on.write('quay/.agentxchain/state.json', { ...on.state('quay'), active_turns: { turn_a: {}, turn_b: {} } });
    expect(await on.open().look()).toMatchObject({ ok: true });
    expect(on.types()).toEqual(['super_run_started']);
  });

  it('is not invented when none was assigned', async () => {
    const on = await begun();
    on.failing.add('quay');
    expect(await on.open().step()).toMatchObject({ ok: false, error_code: 'assignment_failed' });
    expect(await on.open().look()).toMatchObject({ ok: true });
    expect(on.types()).toEqual(['super_run_started']);
  });
});

it('[GC8] a replaced run blocks and calls the escalation hook at every step until it is linked again', async () => {
  const on = await begun();
  on.write('quay/.agentxchain/state.json', { ...on.state('quay'), run_id: 'run_new' });
  expect(await on.open().step()).toMatchObject({ step: { action: 'block' }, state: { status: 'blocked' } });
  expect(await on.open().step()).toMatchObject({ step: { action: 'escalate', code: 'repo_run_id_mismatch' } });
  expect(on.hooks).toEqual(['on_escalation']);
  expect(await on.open().resolve({ by: 'ada', resolution: 'begun anew', relink: ['quay'] })).toMatchObject({
    ok: true,
  });
  expect(await on.open().step()).toMatchObject({ step: { action: 'dispatch' } });
});

it('[GC1, GC9] reports an invalid config and begins nothing', async () => {
  const on = new Disk();
  on.write('agentxchain-multi.json', harbour({ depends_on: ['lights'] }));
  expect(await on.open().begin()).toMatchObject({ ok: false, error_code: 'workstream_cycle' });
  on.write('agentxchain-multi.json', 'not json');
  expect(await on.open().begin()).toMatchObject({ ok: false, error_code: 'coordinator_failed' });
  expect(on.repos()).not.toContain('run_');
});
