// Calls during the start of serving wait for the hub and run there.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalHub } from 'parley-hub';
import { createRunner, type Runner, type RunnerPorts, type ServedRun, serveRun } from 'parley-hub/governed';
import { expect, it, onTestFinished } from 'vitest';
import { writeServedNote } from '../../../src/governed/runner/served/served-note.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { CONFIG, historyOf, openHub, project, turnDone } from './project.ts';

function signal(): { readonly given: Promise<void>; give(): void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((done) => {
    give = done;
  });
  return { given, give };
}

/** Starts serving, which holds the lock but answers nothing until released. */
async function beginning(hub: LocalHub, root: string): Promise<() => Promise<ServedRun>> {
  const [held, goOn] = [signal(), signal()];
  const reached: RunnerPorts['reached'] = async (step) => {
    if (step !== 'mended') return;
    held.give();
    await goOn.given;
  };
  const serving = serveRun(hub, root, { data: 'one', ports: { reached } });
  onTestFinished(() => serving.then((served) => served.close()));
  await held.given;
  return () => {
    goOn.give();
    return serving;
  };
}

/** A runner that signals when it waits. */
function waitingRunner(): { readonly runner: Runner; readonly waits: Promise<void> } {
  const waits = signal();
  const after: typeof systemClock.after = (ms, run) => {
    waits.give();
    return systemClock.after(ms, run);
  };
  return { runner: createRunner({ clock: { ...systemClock, after } }), waits: waits.given };
}

it('[GW1] runs a call at the start of serving in the hub', async () => {
  const [root, hub] = [project(), await openHub()];
  const letGoOn = await beginning(hub, root);
  const { runner, waits } = waitingRunner();
  const begun = runner.initRun(root, CONFIG);
  await waits;
  await letGoOn();
  expect(await begun).toMatchObject({ ok: true, state: { status: 'active' } });
  expect(existsSync(join(root, '.agentxchain/log'))).toBe(false);
});

it('[GW3] runs a call at a restart of serving in the hub', async () => {
  const [root, hub] = [project(), await openHub()];
  const first = await serveRun(hub, root, { data: 'one' });
  await createRunner().initRun(root, CONFIG);
  await first.close();
  const letGoOn = await beginning(hub, root);
  const { runner, waits } = waitingRunner();
  const assigned = runner.assignTurn(root, CONFIG, 'captain');
  await waits;
  await letGoOn();
  expect(await assigned).toMatchObject({ ok: true });
});

it("[GW3] does not touch the project's own log if a hub took over before the lock", async () => {
  const root = project();
  const note = { served_id: 'a1b2c3d4', socket: join(root, 'nobody.sock'), pid: 1, host: 'x', data: 'one', roles: {} };
  const runner = createRunner({
    reached: async (step) => {
      if (step === 'locked') await writeServedNote(root, note);
    },
  });
  expect(await runner.initRun(root, CONFIG)).toMatchObject({ ok: false, error_code: 'hub_not_running' });
  expect(existsSync(join(root, '.agentxchain/log'))).toBe(false);
});

it('[GW3] reports a hub that started and ended during a call, and bypasses it never', async () => {
  const [root, hub] = [project(), await openHub()];
  await createRunner().initRun(root, CONFIG);
  const done = await turnDone(root, 'captain');
  const letGoOn = await beginning(hub, root);
  const { runner, waits } = waitingRunner();
  const assigned = runner.assignTurn(root, CONFIG, 'captain');
  await waits;
  await (await letGoOn()).close();
  const answer = await assigned;
  expect(answer.ok || ['hub_not_running', 'outcome_unknown'].includes(answer.error_code)).toBe(true);
  expect(historyOf(root)).toEqual([done]);
});
