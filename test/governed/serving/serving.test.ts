// A hub serves the runs of a project: calls from any process run in that hub.

import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalHub } from 'parley-hub';
import {
  createRunner,
  getTurnStagingResultPath,
  readStagedResult,
  serveRun,
  waitForStagedResult,
  withdrawRun,
} from 'parley-hub/governed';
import { expect, it, onTestFinished } from 'vitest';
import { CONFIG, eventTypes, historyOf, joinHolder, openHub, project, resultOf, turnDone } from './project.ts';

async function sessionsOf(hub: LocalHub): Promise<readonly { session_id: string; state: string }[]> {
  const watcher = await hub.agent('watcher');
  await hub.grant('watcher', ['observe']);
  const found: { session_id: string; state: string }[] = [];
  for await (const one of watcher.sessions({ type: 'governed', all: true })) found.push(one);
  return found;
}

it('[GW1] runs calls on a served project in a session of the hub', async () => {
  const [root, hub] = [project(), await openHub()];
  const served = await serveRun(hub, root);
  onTestFinished(() => served.close());
  expect(await createRunner().initRun(root, CONFIG)).toMatchObject({ ok: true, state: { status: 'active' } });
  const turn = await turnDone(root, 'captain', { phase_transition_request: 'implementation' });
  const approved = { ok: true, state: { status: 'active', phase: 'implementation' } };
  expect(await createRunner().approvePhaseGate(root, CONFIG)).toMatchObject(approved);
  expect(await sessionsOf(hub)).toMatchObject([{ state: 'ACTIVE' }]);
  expect(existsSync(join(root, '.agentxchain/log'))).toBe(false);
  expect(historyOf(root)).toEqual([turn]);
  expect(eventTypes(root)).toEqual([
    'run_started',
    'phase_entered',
    'turn_dispatched',
    'turn_accepted',
    'gate_pending',
    'gate_approved',
    'phase_entered',
  ]);
  expect(await createRunner().loadState(root, CONFIG)).toMatchObject({ phase: 'implementation' });
  expect(statSync(join(root, '.agentxchain/hub.sock')).mode & 0o777).toBe(0o600);
});

it('[GW2] notifies a participant that holds a role of its turn, and stages its answer', async () => {
  const [root, hub] = [project(), await openHub()];
  const heard = await joinHolder(hub, root, 'alice');
  const served = await serveRun(hub, root, { roles: { captain: 'alice' } });
  onTestFinished(() => served.close());
  const runner = createRunner();
  await runner.initRun(root, CONFIG);
  const assigned = await runner.assignTurn(root, CONFIG, 'captain');
  if (!assigned.ok) throw new Error(assigned.error);
  const { turn_id } = assigned.turn;
  await runner.writeDispatchBundle(root, null, CONFIG, { turnId: turn_id });
  const staged = await waitForStagedResult(root, turn_id, { pollIntervalMs: 20, timeoutMs: 20_000 });
  expect(staged).toMatchObject({ kind: 'ready' });
  expect(heard).toEqual([expect.stringContaining('captain')]);
  expect(await runner.acceptTurn(root, CONFIG, { turnId: turn_id })).toMatchObject({ ok: true });
  expect(historyOf(root)).toEqual([turn_id]);
});

it('[GW3] moves a run into a hub and back, with each turn once', async () => {
  const root = project();
  await createRunner().initRun(root, CONFIG);
  const first = await turnDone(root, 'captain');
  const hub = await openHub();
  const served = await serveRun(hub, root);
  const second = await turnDone(root, 'captain');
  expect(historyOf(root)).toEqual([first, second]);
  expect(await withdrawRun(root)).toMatchObject({ ok: false, error_code: 'lock_timeout' });
  await served.close();
  const refused = await createRunner().assignTurn(root, CONFIG, 'captain');
  expect(refused).toMatchObject({ ok: false, error_code: 'hub_not_running' });
  expect(await createRunner().loadState(root, CONFIG)).toMatchObject({ status: 'active' });
  expect(await withdrawRun(root)).toEqual({ ok: true });
  expect(await withdrawRun(root)).toMatchObject({ ok: false, error_code: 'not_served' });
  const third = await turnDone(root, 'captain');
  expect(historyOf(root)).toEqual([first, second, third]);
});

it('[GW3] continues a run in the same hub and refuses another', async () => {
  const [root, hub] = [project(), await openHub()];
  const served = await serveRun(hub, root, { data: 'one' });
  await createRunner().initRun(root, CONFIG);
  await turnDone(root, 'captain');
  await served.close();
  await expect(serveRun(await openHub(), root, { data: 'two' })).rejects.toThrow(/its runs are in the hub of one/);
  const again = await serveRun(hub, root, { data: 'one' });
  onTestFinished(() => again.close());
  await turnDone(root, 'captain');
  expect(historyOf(root)).toHaveLength(2);
  expect(await sessionsOf(hub)).toHaveLength(1);
});

it('[GW4] applies leases of processes while a hub serves the project', async () => {
  const [root, hub] = [project(), await openHub()];
  const served = await serveRun(hub, root);
  onTestFinished(() => served.close());
  const [one, other] = [createRunner(), createRunner()];
  await one.initRun(root, CONFIG);
  expect(await one.acquireLock(root)).toMatchObject({ ok: true, fence: 1 });
  expect(await other.acquireLock(root)).toMatchObject({ ok: false, error_code: 'lock_timeout' });
  expect(await other.assignTurn(root, CONFIG, 'captain')).toMatchObject({ ok: false, error_code: 'fenced_out' });
  expect(await one.assignTurn(root, CONFIG, 'captain')).toMatchObject({ ok: true });
  await one.releaseLock(root);
  expect(await other.rejectTurn(root, CONFIG, { errors: [] }, 'again')).toMatchObject({ ok: true });
});

it('[GW4] refuses invalid calls, roots and roles with a message', async () => {
  const [root, hub] = [project(), await openHub()];
  const served = await serveRun(hub, root);
  onTestFinished(() => served.close());
  expect(await createRunner().assignTurn(root, CONFIG, 'nobody')).toMatchObject({ ok: false, error_code: 'no_run' });
  const invalid = await createRunner().initRun(root, { schema_version: '9' } as never);
  expect(invalid).toMatchObject({ ok: false, error_code: 'invalid_config' });
  await expect(serveRun(hub, join(root, 'nowhere'))).rejects.toThrow(/expected the path of an existing folder/);
  await expect(serveRun(hub, root, { roles: 'alice' as never })).rejects.toThrow(/roles: expected/);
});

it('[GW2] waits with a reason until an unknown role holder has registered', async () => {
  const [root, hub] = [project(), await openHub()];
  await createRunner().initRun(root, CONFIG);
  const served = await serveRun(hub, root, { roles: { captain: 'alice' } });
  onTestFinished(() => served.close());
  const early = await createRunner().assignTurn(root, CONFIG, 'captain');
  expect(early).toMatchObject({ ok: false, error: expect.stringContaining('alice') });
  await hub.agent('alice');
  expect(await createRunner().assignTurn(root, CONFIG, 'captain')).toMatchObject({ ok: true });
});

it('[GW2] stages no result of a stranger, and ignores a session with a copied label', async () => {
  const [root, hub] = [project(), await openHub()];
  const alice = await hub.agent('alice');
  const served = await serveRun(hub, root, { roles: { mate: 'alice' } });
  onTestFinished(() => served.close());
  const runner = createRunner();
  const begun = await runner.initRun(root, CONFIG);
  if (!begun.ok) throw new Error(begun.error);
  const assigned = await runner.assignTurn(root, CONFIG, 'captain', { turnId: 'turn_captain' });
  if (!assigned.ok) throw new Error(assigned.error);
  await runner.writeDispatchBundle(root, null, CONFIG);
  const mallory = await hub.agent('mallory');
  const talk = await mallory.open('conversation', [served.runner]);
  const forged = JSON.parse(JSON.stringify(resultOf(assigned.state, 'turn_captain')));
  await talk.send({ event_type: 'turn.result', event_data: { turn_id: 'turn_captain', attempt: 1, result: forged } });
  const [own] = await sessionsOf(hub);
  const { session } = await alice.session(own?.session_id ?? '').info();
  const { knobs, labels } = session;
  const copied = await alice.open('governed', { participants: [served.runner], knobs, labels, wait: 'created' });
  expect(copied.id).not.toBe(own?.session_id);
  const accepted = await runner.acceptTurn(root, CONFIG, { turnId: 'turn_captain' });
  expect(accepted).toMatchObject({ ok: false, error_code: 'not_staged' });
  expect(await runner.loadState(root, CONFIG)).toMatchObject({ run_id: begun.state.run_id, status: 'active' });
});

it('[GW2] stages results that were submitted while the project was not served, or lost from disk', async () => {
  const [root, hub] = [project(), await openHub()];
  const alice = await hub.agent('alice');
  const roles = { captain: 'alice' };
  const first = await serveRun(hub, root, { roles, data: 'one' });
  const runner = createRunner();
  await runner.initRun(root, CONFIG);
  const assigned = await runner.assignTurn(root, CONFIG, 'captain', { turnId: 'turn_captain' });
  if (!assigned.ok) throw new Error(assigned.error);
  await runner.writeDispatchBundle(root, null, CONFIG);
  const [session] = await sessionsOf(hub);
  await first.close();
  const result = JSON.parse(JSON.stringify(resultOf(assigned.state, 'turn_captain')));
  await alice
    .session(session?.session_id ?? '')
    .send({ event_type: 'turn.result', event_data: { turn_id: 'turn_captain', attempt: 1, result } });
  for (const _ of ['not seen yet', 'lost']) {
    rmSync(join(root, getTurnStagingResultPath('turn_captain')), { force: true });
    const again = await serveRun(hub, root, { roles, data: 'one' });
    expect(await readStagedResult(root, 'turn_captain')).toMatchObject({ kind: 'ready', result });
    await again.close();
  }
  const last = await serveRun(hub, root, { roles, data: 'one' });
  onTestFinished(() => last.close());
  expect(await runner.acceptTurn(root, CONFIG)).toMatchObject({ ok: true });
});

it('[GR15] reads the state of a served run from the log, whatever the file says', async () => {
  const [root, hub] = [project(), await openHub()];
  const served = await serveRun(hub, root);
  onTestFinished(() => served.close());
  const runner = createRunner();
  await runner.initRun(root, CONFIG);
  const file = join(root, '.agentxchain/state.json');
  const forged = { ...JSON.parse(readFileSync(file, 'utf8')), status: 'completed', phase: 'implementation' };
  for (const text of [JSON.stringify(forged), '{ half', '']) {
    writeFileSync(file, text);
    expect(await runner.loadState(root, CONFIG)).toMatchObject({ status: 'active', phase: 'planning' });
  }
  rmSync(file);
  expect(await runner.loadState(root, CONFIG)).toMatchObject({ status: 'active', phase: 'planning' });
});

it('[GR15] reads the state during an operation without waiting', async () => {
  const [root, hub] = [project(), await openHub()];
  const seen: unknown[] = [];
  let isAsked = false;
  const reached = async (step: string): Promise<void> => {
    if (step !== 'posted' || isAsked) return;
    isAsked = true;
    seen.push(await createRunner().loadState(root, CONFIG));
  };
  const served = await serveRun(hub, root, { ports: { reached } });
  onTestFinished(() => served.close());
  await createRunner().initRun(root, CONFIG);
  await turnDone(root, 'captain');
  expect(seen).toMatchObject([{ accepted_sequence: 1 }]);
});
