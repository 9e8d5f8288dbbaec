// A slow or stopped process keeps its lock on the run.

import { readFileSync } from 'node:fs';
import { createRunner, type RunnerPorts } from 'parley-hub/governed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../participants/processes/programs.ts';
import { type BuiltScript, builtScript } from '../../support/built-script.ts';
import { Child } from './children.ts';
import { bookFaults, decision, Project, refused } from './project.ts';

let script: BuiltScript;
beforeAll(async () => {
  script = await builtScript('test/governed/runner/child.ts');
}, 60_000);
afterAll(() => script.remove());

const FASTER = 20;

/** A faster clock, so that the test waits less than half a minute. */
const hurried: RunnerPorts['clock'] = {
  now: () => Date.now(),
  monotonic: () => performance.now() * FASTER,
  after(ms, run) {
    const timer = setTimeout(run, ms / FASTER);
    return () => clearTimeout(timer);
  },
};

function isStopped({ process: { pid } }: Child): boolean {
  return /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

it('[GR2] keeps the lock of a live owner for more than 31 s, even while it is stopped', async () => {
  const project = new Project();
  await project.init();
  await project.stage(await project.assign('pm', 'turn_k'), { decisions: [decision('DEC-001')] });
  const child = await Child.ready(script.path);
  try {
    child.tell({ root: project.root, config: project.config, turnId: 'turn_k', stop: 'validated' });
    await eventually(
      () => isStopped(child),
      (isSo) => isSo,
    );
    const other = createRunner({ clock: hurried });
    const begun = hurried.monotonic();
    while (hurried.monotonic() - begun < 60_000) {
      const failure = refused(await other.acceptTurn(project.root, project.config, { turnId: 'turn_k' }));
      expect(failure).toMatchObject({ error_code: 'lock_timeout' });
    }
    child.process.kill('SIGCONT');
    expect(await child.answer()).toMatchObject({ ok: true });
    expect(await project.accept('turn_k')).toMatchObject({ ok: false, error_code: 'turn_already_accepted' });
    expect(project.book('history')).toHaveLength(1);
    expect(project.book('decision-ledger')).toHaveLength(1);
    expect(bookFaults(project)).toEqual([]);
  } finally {
    await child.stop();
    project.remove();
  }
}, 60_000);
