// A coordinator whose repos have real runs, driven by the runner.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRepoRuns, createRunner, stageResult, verifyManifest } from 'parley-hub/governed';
import { expect, it } from 'vitest';
import { itDeep } from '../../support/size.ts';
import { CONFIG, resultOf } from '../serving/project.ts';
import { Disk } from './disk.ts';

function harbourOnDisk(repos = ['quay', 'crane', 'buoy']): Disk {
  const disk = new Disk();
  for (const repo of repos) disk.write(`${repo}/agentxchain.json`, CONFIG);
  return disk;
}

itDeep('[GC12] begins runs in all repos and projects an accepted turn', async () => {
  const disk = harbourOnDisk();
  const coordinator = disk.open({ runs: createRepoRuns() });
  expect(await coordinator.begin()).toMatchObject({ ok: true, state: { status: 'active' } });
  expect(disk.state('crane')).toMatchObject({ status: 'active', provenance: { trigger: 'coordinator' } });
  const stepped = await coordinator.step();
  expect(stepped).toMatchObject({ ok: true });
  const root = join(disk.root, 'quay');
  const state = await createRunner().loadState(root, CONFIG);
  const [turnId = ''] = Object.keys(state?.active_turns ?? {});
  const bundle = join(root, '.agentxchain/dispatch/turns', turnId);
  expect(JSON.parse(readFileSync(join(bundle, 'COORDINATOR_CONTEXT.json'), 'utf8'))).toMatchObject({ repo_id: 'quay' });
  expect(await verifyManifest(root, { turnId })).toMatchObject({ ok: true });
  if (state === null) throw new Error('there is a run');
  await stageResult(root, turnId, resultOf(state, turnId));
  expect(await createRunner().acceptTurn(root, CONFIG)).toMatchObject({ ok: true });
  expect(await coordinator.step()).toMatchObject({ ok: true });
  expect(disk.types()).toContain('acceptance_projection');
});

it('[GC12] undoes begun runs when a repo cannot begin, so the next beginning finds all idle', async () => {
  const disk = harbourOnDisk(['quay', 'crane']);
  const coordinator = disk.open({ runs: createRepoRuns() });
  expect(await coordinator.begin()).toMatchObject({
    ok: false,
    error_code: 'init_failed',
    error: expect.stringContaining('expected agentxchain.json'),
    params: { left: [] },
  });
  expect([disk.state('quay').status, disk.state('crane').status]).toEqual(['idle', 'idle']);
  expect(existsSync(join(disk.root, 'buoy/.agentxchain/state.json'))).toBe(false);
  disk.write('buoy/agentxchain.json', CONFIG);
  expect(await coordinator.begin()).toMatchObject({ ok: true });
  expect(disk.state('quay')).toMatchObject({ status: 'active' });
});

it('[GC12] does not undo a run that had turns', async () => {
  const disk = harbourOnDisk();
  const [root, runner] = [join(disk.root, 'quay'), createRunner()];
  const begun = await runner.initRun(root, CONFIG);
  if (!begun.ok) throw new Error(begun.error);
  await runner.assignTurn(root, CONFIG, 'captain');
  expect(await runner.abandonRun(root, begun.state.run_id)).toMatchObject({ ok: false, error_code: 'run_has_turns' });
  expect(await runner.abandonRun(root, 'run_other')).toMatchObject({ ok: true, state: { status: 'active' } });
  expect(await runner.abandonRun(root, 7 as never)).toMatchObject({ ok: false, error_code: 'bad_argument' });
});
