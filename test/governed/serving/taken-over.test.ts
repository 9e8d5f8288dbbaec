// Runs that change hands: active turns go to their holders, and abandoned sessions are closed.

import { createRunner, serveRun, waitForStagedResult, withdrawRun } from 'parley-hub/governed';
import { expect, it, onTestFinished } from 'vitest';
import { itDeep } from '../../support/size.ts';
import { CONFIG, eventTypes, historyOf, joinHolder, openHub, project, turnDone } from './project.ts';

async function turnOut(root: string): Promise<string> {
  const runner = createRunner();
  await runner.initRun(root, CONFIG);
  const assigned = await runner.assignTurn(root, CONFIG, 'captain');
  if (!assigned.ok) throw new Error(assigned.error);
  await runner.writeDispatchBundle(root, null, CONFIG);
  return assigned.turn.turn_id;
}

async function taken(root: string, turnId: string): Promise<void> {
  const waited = await waitForStagedResult(root, turnId, { pollIntervalMs: 20, timeoutMs: 20_000 });
  expect(waited).toMatchObject({ kind: 'ready' });
  expect(await createRunner().acceptTurn(root, CONFIG, { turnId })).toMatchObject({ ok: true });
  expect(historyOf(root)).toEqual([turnId]);
}

itDeep(
  '[GW2] notifies the holder of an active turn once after the hub took over',
  async () => {
    const [root, hub] = [project(), await openHub()];
    const turnId = await turnOut(root);
    const heard = await joinHolder(hub, root, 'alice');
    const roles = { captain: 'alice' };
    const first = await serveRun(hub, root, { roles, data: 'one' });
    await first.close();
    const served = await serveRun(hub, root, { roles, data: 'one' });
    onTestFinished(() => served.close());
    await taken(root, turnId);
    expect(heard).toEqual([expect.stringContaining('captain')]);
    expect(eventTypes(root).filter((type) => type.startsWith('turn_'))).toEqual([
      'turn_dispatched',
      'turn_stalled',
      'turn_dispatched',
      'turn_accepted',
    ]);
  },
  60_000,
);

it('[GW2] also when the holder comes later than the hub: the first call that brings the run there tells it', async () => {
  const [root, hub] = [project(), await openHub()];
  const turnId = await turnOut(root);
  const served = await serveRun(hub, root, { roles: { captain: 'alice' } });
  onTestFinished(() => served.close());
  const heard = await joinHolder(hub, root, 'alice');
  expect(await createRunner().transitionActiveTurnLifecycle(root, turnId, 'running')).toMatchObject({ ok: true });
  await taken(root, turnId);
  expect(heard).toHaveLength(1);
}, 60_000);

it('[GW3] a session whose run was taken back is closed with that reason when its hub serves the project again', async () => {
  const [root, hub] = [project(), await openHub()];
  const first = await serveRun(hub, root, { data: 'one' });
  await createRunner().initRun(root, CONFIG);
  const one = await turnDone(root, 'captain');
  await first.close();
  expect(await withdrawRun(root)).toEqual({ ok: true });
  const two = await turnDone(root, 'captain');
  const again = await serveRun(hub, root, { data: 'one' });
  onTestFinished(() => again.close());
  const watcher = await hub.agent('watcher');
  await hub.grant('watcher', ['observe']);
  const found: unknown[] = [];
  for await (const session of watcher.sessions({ type: 'governed', all: true })) found.push(session);
  // Newest first.
  expect(found).toMatchObject([
    { state: 'ACTIVE' },
    { state: expect.stringMatching(/^CLOS/), close_reason: 'taken_back' },
  ]);
  const three = await turnDone(root, 'captain');
  expect(historyOf(root)).toEqual([one, two, three]);
}, 60_000);
