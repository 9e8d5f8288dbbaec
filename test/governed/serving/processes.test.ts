// `parley up --run` and `parley run` as processes: the run continues after the hub is killed and restarted.

import { join } from 'node:path';
import { createRunner } from 'parley-hub/governed';
import { expect, onTestFinished } from 'vitest';
import { UpProcess } from '../../server/up-process.ts';
import { CommandLine } from '../../support/command-line.ts';
import { itDeep } from '../../support/size.ts';
import { CONFIG, eventTypes, historyOf, project, turnDone } from './project.ts';

itDeep(
  '[GW3] continues the served run after a kill and restart of the hub',
  async () => {
    const root = project();
    const line = await CommandLine.open();
    onTestFinished(() => line.close());
    const start = async (): Promise<UpProcess> => {
      const up = new UpProcess(line.command, '--data', line.data, '--port', '0', '--run', root);
      onTestFinished(() => up.kill('SIGKILL'));
      await up.url();
      return up;
    };
    const first = await start();
    expect(await line.run(['run', 'init', '--root', root])).toMatchObject({ code: 0 });
    const one = await turnDone(root, 'captain');
    first.kill('SIGKILL');
    await first.ended;
    const refused = await line.run(['run', 'assign', 'captain', '--root', root]);
    expect(refused.err).toContain(`parley up --data ${line.data} --run ${root}`);
    expect(await createRunner().loadState(root, CONFIG)).toMatchObject({ status: 'active' });
    const second = await start();
    const two = await turnDone(root, 'captain');
    expect(historyOf(root)).toEqual([one, two]);
    second.kill('SIGTERM');
    await second.ended;
    expect(await line.run(['run', 'take-back', '--root', root])).toMatchObject({ code: 0 });
    const three = await turnDone(root, 'captain');
    expect(historyOf(root)).toEqual([one, two, three]);
  },
  120_000,
);

itDeep(
  '[GW4] refuses invalid --holds options before anything starts',
  async () => {
    const root = project();
    const line = await CommandLine.open();
    onTestFinished(() => line.close());
    const given = ['up', '--data', line.data, '--port', '0', '--run', root];
    expect((await line.run([...given, '--holds', 'captain'])).err).toContain('--holds: expected role=name');
    expect((await line.run([...given, '--run', line.folder, '--holds', 'captain=al'])).err).toContain(
      '--holds requires exactly one --run',
    );
    expect((await line.run([...given, '--run', join(root, 'nowhere')])).err).toContain(
      'expected the path of an existing folder',
    );
  },
  60_000,
);

itDeep(
  '[GW3] answers hub_not_answering for a stopped hub process, without sending the call',
  async () => {
    const root = project();
    const line = await CommandLine.open();
    onTestFinished(() => line.close());
    const up = new UpProcess(line.command, '--data', line.data, '--port', '0', '--run', root);
    onTestFinished(() => up.kill('SIGKILL'));
    await up.url();
    const runner = createRunner();
    await runner.initRun(root, CONFIG);
    up.kill('SIGSTOP');
    const lost = await runner.assignTurn(root, CONFIG, 'captain', { turnId: 'turn_lost' });
    expect(lost).toMatchObject({ ok: false, error_code: 'hub_not_answering' });
    up.kill('SIGCONT');
    const one = await turnDone(root, 'captain');
    expect(historyOf(root)).toEqual([one]);
    expect(eventTypes(root).filter((type) => type === 'turn_dispatched')).toHaveLength(1);
  },
  120_000,
);
