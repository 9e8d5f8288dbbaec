// Runner operations over the clients of any hub: the place of the log does not matter.

import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { type AgentClient, createHub, type LocalHub } from 'parley-hub';
import { RUNNER_STEPS, type RunnerStep, stageResult } from 'parley-hub/governed';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OpenRun, runnerContext } from '../../../src/governed/runner/log/runner-context.ts';
import { SessionLogs } from '../../../src/governed/runner/log/session-log.ts';
import { runOperationIn } from '../../../src/governed/runner/run-operation.ts';
import { bookFaults, Project, resultOf } from './project.ts';

let hub: LocalHub;
let project: Project;
let run: OpenRun;
let operator: AgentClient;
/** Runs just before the operator posts. */
let whenAsked: () => Promise<void>;
let reached: (step: RunnerStep) => void | Promise<void>;

beforeEach(async () => {
  hub = await createHub();
  project = new Project();
  reached = () => undefined;
  whenAsked = async () => undefined;
  const runner = await hub.agent('runner');
  operator = await hub.agent('operator');
  await hub.grant('operator', ['approve']);
  const means = runnerContext({ reached: (step) => reached(step) });
  const label = { name: 'project', value: project.root };
  const clients = { runner, operator: () => whenAsked().then(() => operator), label };
  run = { root: project.root, means, logs: await SessionLogs.read(clients, means) };
  const { config } = project;
  await runOperationIn(run, 'initRun', { config });
});
afterEach(async () => {
  project.remove();
  await hub.stop();
});

async function staged(): Promise<string> {
  const { config } = project;
  const { turn } = await runOperationIn(run, 'assignTurn', { config, roleId: 'pm' });
  await stageResult(project.root, turn.turn_id, resultOf(turn, { phase_transition_request: 'checking' }));
  return turn.turn_id;
}

/** Someone posts after each inspection. */
function interrupted(times: number): void {
  const id = run.logs.current?.sessionId ?? '';
  let left = times;
  reached = async (step) => {
    if (step !== 'validated' || left === 0) return;
    left--;
    await operator.session(id).send('wait');
  };
}

it('[GR3] inspects again after the head moved, and accepts the turn once', async () => {
  expect(RUNNER_STEPS).toContain('validated');
  const turnId = await staged();
  interrupted(2);
  const { config } = project;
  expect(await runOperationIn(run, 'acceptTurn', { config })).toMatchObject({ ok: true, state: { status: 'paused' } });
  expect(project.book('history').map(({ turn_id }) => turn_id)).toEqual([turnId]);
  expect(await runOperationIn(run, 'approvePhaseGate', { config })).toMatchObject({ state: { phase: 'checking' } });
  expect(bookFaults(project)).toEqual([]);
});

it('[GR3] gives up on a head that keeps moving, and accepts nothing', async () => {
  await staged();
  interrupted(99);
  const { config } = project;
  const accepting = runOperationIn(run, 'acceptTurn', { config });
  await expect(accepting).rejects.toMatchObject({ failure: { error_code: 'acceptance_drift' } });
  expect(project.book('history')).toEqual([]);
});

it('[GR8] rejects an approval if the log changed meanwhile; it can be repeated', async () => {
  await staged();
  const { config } = project;
  await runOperationIn(run, 'acceptTurn', { config });
  const id = run.logs.current?.sessionId ?? '';
  whenAsked = async () => void (await operator.session(id).send('wait'));
  await expect(runOperationIn(run, 'approvePhaseGate', { config })).rejects.toMatchObject({ code: 'conflict' });
  expect(project.state).toMatchObject({ status: 'paused', phase: 'planning' });
  whenAsked = async () => undefined;
  await run.logs.current?.refresh();
  expect(await runOperationIn(run, 'approvePhaseGate', { config })).toMatchObject({ state: { phase: 'checking' } });
});

it('[GR14] keeps the lease of a process on another machine until it expires', async () => {
  const { config } = project;
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  await runOperationIn(run, 'acquireLock', { owner: `elsewhere:${pid}:ab12cd34` });
  run.means.kept.fences.clear();
  const assigning = runOperationIn(run, 'assignTurn', { config, roleId: 'pm' });
  await expect(assigning).rejects.toMatchObject({ details: { error_code: 'fenced_out' } });
  const locking = runOperationIn(run, 'acquireLock', {});
  await expect(locking).rejects.toMatchObject({ failure: { error_code: 'lock_timeout' } });
});

it('[GR14] ignores the lease of a dead process on this machine', async () => {
  const { config } = project;
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  await runOperationIn(run, 'acquireLock', { owner: `${hostname()}:${pid}:ab12cd34` });
  run.means.kept.fences.clear();
  expect(await runOperationIn(run, 'assignTurn', { config, roleId: 'pm' })).toMatchObject({ ok: true });
});
