// The next steps of a run served by a hub consider who holds a role, and whether the hub is running.

import { createHub } from 'parley-hub';
import { createRunner, serveRun, stageResult } from 'parley-hub/governed';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { CONFIG, project, resultOf } from '../../governed/serving/project.ts';
import { CommandLine, linesOf } from '../../support/command-line.ts';

let line: CommandLine;
beforeAll(async () => {
  line = await CommandLine.open();
}, 60_000);
afterAll(() => line.close());

it('[CM20] suggests waiting for the holder of a role, and starting a hub that is not running', async () => {
  const root = project();
  const run = (...args: readonly string[]) => line.here(['run', ...args, '--root', root]);
  const hub = await createHub();
  onTestFinished(() => hub.stop());
  await hub.agent('alice');
  const served = await serveRun(hub, root, { roles: { captain: 'alice' }, data: 'the-hub' });
  await run('init');
  const assigned = await run('assign', 'captain', '--json');
  const [{ turn } = {}] = linesOf(assigned.out) as { turn?: { turn_id: string } }[];
  const id = turn?.turn_id ?? '';
  const wait = `wait for alice, who has ${id} in the hub, then: parley run accept ${id}`;
  const status = async () => linesOf((await run('status', '--json')).out)[0];
  expect(await status()).toMatchObject({
    served: { data: 'the-hub', is_there: true, roles: { captain: 'alice' } },
    next: [wait],
  });
  const shown = await run('status');
  expect(shown.out).toContain('a hub serves it; captain is held by alice');
  expect(shown.out).toContain(`Next: ${wait}\n`);
  const state = await createRunner().loadState(root, CONFIG);
  if (state === null) throw new Error('there is a run');
  await stageResult(root, id, resultOf(state, id));
  expect(await status()).toMatchObject({ next: [`parley run accept ${id}`] });
  await served.close();
  const start = `parley up --data the-hub --run ${root}`;
  expect(await status()).toMatchObject({ served: { is_there: false }, next: [start, 'parley run take-back'] });
  expect((await run('status')).out).toContain('the hub that serves it is not running');
  const refused = await run('accept');
  expect(refused).toMatchObject({ code: 3, err: expect.stringContaining(`Next: ${start}; or parley run take-back`) });
}, 60_000);
