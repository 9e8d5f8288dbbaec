// kill -9 during an acceptance leaves the turn accepted once, or acceptable.

import { existsSync, writeFileSync } from 'node:fs';
import { RUNNER_STEPS, type RunnerStep } from 'parley-hub/governed';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type BuiltScript, builtScript } from '../../support/built-script.ts';
import { some } from '../../support/size.ts';
import { Child } from './children.ts';
import { bookFaults, CONFIG, decision, done, Project } from './project.ts';

let script: BuiltScript;
beforeAll(async () => {
  script = await builtScript('test/governed/runner/child.ts');
}, 60_000);
afterAll(() => script.remove());

const told = { name: 'told', type: 'process', timeout_ms: 5000, mode: 'advisory' } as const;
const HOOKED = {
  ...CONFIG,
  hooks: {
    after_acceptance: [{ ...told, command: ['sh', '-c', `echo told >> told.log; printf '{"verdict":"allow"}'`] }],
  },
};

let project: Project;
beforeEach(() => {
  project = new Project(HOOKED as never);
  return () => project.remove();
});

/** Steps that run both before and after the post. */
const TWICE: readonly RunnerStep[] = RUNNER_STEPS.filter((step) => /^(projected|cleaned)/.test(step));
const AFTER = RUNNER_STEPS.slice(RUNNER_STEPS.indexOf('posted'));
const cases = [
  ...RUNNER_STEPS.filter((step) => !AFTER.includes(step)).map((step) => ({ step, isAfterPost: false })),
  ...TWICE.map((step) => ({ step, isAfterPost: false })),
  ...AFTER.map((step) => ({ step, isAfterPost: true })),
];

it.each(some(cases, 5))(
  '[GR3] killed at $step (after the post: $isAfterPost)',
  async ({ step, isAfterPost }) => {
    await project.init();
    await project.turn('pm', { decisions: [decision('DEC-001')] });
    const turn = await project.assign('pm', 'turn_k');
    const more = { decisions: [decision('DEC-002', { durability: 'repo' })], phase_transition_request: 'checking' };
    await project.stage(turn, more);
    const before = project.book('history').length;
    const child = await Child.ready(script.path);
    child.tell({ root: project.root, config: project.config, turnId: 'turn_k', kill: { step, isAfterPost } });
    expect(await child.ended()).toBe('SIGKILL');

    const answer = await project.accept('turn_k');
    if (isAfterPost) expect(answer).toMatchObject({ ok: false, error_code: 'turn_already_accepted' });
    else expect(answer).toMatchObject({ ok: true, accepted: { turn_id: 'turn_k' } });

    expect(bookFaults(project)).toEqual([]);
    expect(project.book('history').length).toBe(before + 1);
    expect(project.book('decision-ledger').map(({ id }) => id)).toEqual(['DEC-001', 'DEC-002']);
    expect(project.book('repo-decisions').map(({ id }) => id)).toEqual(['DEC-002']);
    expect(project.events.slice(-3)).toEqual(['turn_dispatched', 'turn_accepted', 'gate_pending']);
    expect(project.state).toMatchObject({ status: 'paused', active_turns: {}, accepted_sequence: 2 });
    // Follow-ups ran at least once per turn, and no file of the turn is left.
    expect(project.read('told.log').split('told').length - 1).toBeGreaterThanOrEqual(2);
    for (const folder of ['dispatch/turns', 'staging']) {
      expect(existsSync(project.path(`.agentxchain/${folder}/turn_k`))).toBe(false);
    }
    done(await project.runner.approvePhaseGate(project.root, project.config));
  },
  60_000,
);

it('[GR2] takes over the lock of a dead owner immediately', async () => {
  await project.init();
  const turn = await project.assign('pm', 'turn_k');
  await project.stage(turn);
  const child = await Child.ready(script.path);
  const kill = { step: 'validated', isAfterPost: false };
  child.tell({ root: project.root, config: project.config, turnId: 'turn_k', kill });
  await child.ended();
  // Time stands still, so only the owner's process id can show that it is dead.
  const clock = { now: Date.now, monotonic: () => 0, after: () => () => undefined };
  const other = new Project(project.config, { clock });
  try {
    done(await other.runner.acceptTurn(project.root, project.config, { turnId: 'turn_k' }));
  } finally {
    other.remove();
  }
}, 60_000);

it('[GR2] answers lock_timeout while a stopped process holds the log, which can continue afterwards', async () => {
  await project.init();
  const turn = await project.assign('pm', 'turn_k');
  await project.stage(turn);
  const child = await Child.ready(script.path);
  child.tell({ root: project.root, config: project.config, turnId: 'turn_k', stop: 'validated' });
  try {
    await stopped(child);
    expect(await project.accept('turn_k')).toMatchObject({ ok: false, error_code: 'lock_timeout' });
    // Reading does not wait.
    expect(await project.runner.loadState(project.root, project.config)).toMatchObject({ status: 'active' });
    child.process.kill('SIGCONT');
    expect(await child.answer()).toMatchObject({ ok: true });
    expect(await project.accept('turn_k')).toMatchObject({ ok: false, error_code: 'turn_already_accepted' });
    expect(bookFaults(project)).toEqual([]);
  } finally {
    await child.stop();
  }
}, 60_000);

async function stopped({ process: { pid } }: Child): Promise<void> {
  const { readFile } = await import('node:fs/promises');
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    if (/\) T /.test(stat)) return;
    await new Promise((look) => setTimeout(look, 20));
  }
}

it('[GR5] repairs torn, edited and emptied run files from the log', async () => {
  await project.init();
  await project.turn('pm', { decisions: [decision('DEC-001')] });
  const history = project.read('.agentxchain/history.jsonl');
  const ledger = project.read('.agentxchain/decision-ledger.jsonl');
  writeFileSync(project.path('.agentxchain/history.jsonl'), history.slice(0, -9));
  writeFileSync(project.path('.agentxchain/decision-ledger.jsonl'), ledger.replace('it is', 'it is not'));
  writeFileSync(project.path('.agentxchain/state.json'), '{"status":"completed"}');
  writeFileSync(project.path('.agentxchain/events.jsonl'), '');
  expect(await project.runner.loadState(project.root, project.config)).toMatchObject({ status: 'active' });
  expect(project.read('.agentxchain/history.jsonl')).toBe(history);
  expect(project.read('.agentxchain/decision-ledger.jsonl')).toBe(ledger);
  expect(project.state).toMatchObject({ status: 'active' });
  expect(bookFaults(project)).toEqual([]);
});
