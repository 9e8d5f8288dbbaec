// Hooks that are programs: what they get, how they are ended, and what they may not touch.

import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runHooks } from '../../../src/governed/index.ts';
import { ALLOW, Project, shell } from './project.ts';

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.remove());

/** Whoever lives and has this among its arguments. */
function living(mark: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  });
}

it('[GH5] a hook that ignores SIGTERM, and what it started, is gone when its phase ends: it hangs nobody', async () => {
  const script = `trap '' TERM HUP INT; (trap '' TERM; sleep 77001) & sleep 77001; sleep 77001`;
  const ran = await runHooks(project.root, { before_gate: [shell(script, { timeout_ms: 100 })] }, 'before_gate', {});
  expect(ran).toMatchObject({
    ok: false,
    blocked: true,
    blocker: { orchestrator_action: 'blocked_timeout', timed_out: true },
  });
  expect(living('77001')).toEqual([]);
});

it('[GH5] what a hook leaves behind when it ends well is ended too', async () => {
  const ran = await runHooks(
    project.root,
    { before_gate: [shell(`sleep 77002 >/dev/null 2>&1 & ${ALLOW}`)] },
    'before_gate',
    {},
  );
  expect(ran.ok).toBe(true);
  expect(living('77002')).toEqual([]);
});

it('[GH5] a hook that runs does not stop the process: others have their turn meanwhile', async () => {
  const running = runHooks(
    project.root,
    { before_gate: [shell(`while [ ! -e go ]; do sleep 0.01; done; ${ALLOW}`)] },
    'before_gate',
    {},
  );
  // It ends only if this line is reached while it runs.
  project.write('go', '');
  expect((await running).ok).toBe(true);
});

it('[GH5, GH7] a secret reaches a hook by its environment and the payload by its stdin; neither is among its arguments, and the secret is not written down', async () => {
  const script = `tr '\\0' ' ' < /proc/$$/cmdline > args; cat > got; printf '{"verdict":"warn","message":"%s","annotations":[{"key":"k","value":"%s"}]}' "$KEY" "$KEY"; echo "$KEY" >&2`;
  const hooks = { before_gate: [shell(script, { env: { KEY: '${' + 'LAMP_KEY}' } })] };
  const options = { variables: { LAMP_KEY: 'hush-hush-1' }, run_id: 'run_lamp' };
  await runHooks(
    project.root,
    hooks,
    'before_gate',
    { gate_type: 'phase_transition', words: 'payload-words' },
    options,
  );
  expect(project.read('args')).not.toMatch(/hush|payload-words/);
  expect(JSON.parse(project.read('got'))).toEqual({
    hook_phase: 'before_gate',
    hook_name: 'watch',
    run_id: 'run_lamp',
    project_root: project.root,
    timestamp: expect.any(String),
    payload: { gate_type: 'phase_transition', words: 'payload-words' },
  });
  expect(project.read('.agentxchain/hook-audit.jsonl')).not.toContain('hush');
  expect(project.lines('.agentxchain/hook-audit.jsonl')).toMatchObject([
    { message: '[secret]', stderr_excerpt: '[secret]\n' },
  ]);
});

it('[GH5] other variables of ours do not reach a hook', async () => {
  process.env.PARLEY_TEST_UNASKED = 'unasked';
  try {
    await runHooks(project.root, { before_gate: [shell(`env > got; ${ALLOW}`)] }, 'before_gate', {});
  } finally {
    delete process.env.PARLEY_TEST_UNASKED;
  }
  expect(project.read('got')).toContain('AGENTXCHAIN_HOOK_NAME=watch');
  expect(project.read('got')).not.toContain('unasked');
});

it('[GH5] a hook that writes without end is ended, and has failed', async () => {
  const ran = await runHooks(project.root, { before_gate: [shell('yes')] }, 'before_gate', {});
  expect(ran.blocker).toMatchObject({ orchestrator_action: 'blocked_failure', exit_code: null });
  expect(project.read('.agentxchain/hook-audit.jsonl').length).toBeLessThan(10_000);
});

it('[GH5] cancelling ends a hook; it has failed', async () => {
  const cancel = new AbortController();
  const hooks = { before_gate: [shell('touch begun; sleep 77003')] };
  const running = runHooks(project.root, hooks, 'before_gate', {}, { signal: cancel.signal });
  cancel.abort();
  expect((await running).blocker).toMatchObject({ orchestrator_action: 'blocked_failure' });
  expect(living('77003')).toEqual([]);
});

it.each([
  ['overwritten', 'echo x > .agentxchain/state.json', 'hook_state_tamper'],
  ['removed', 'rm .agentxchain/history.jsonl', 'hook_history_tamper'],
  [
    'replaced by a folder',
    'rm .agentxchain/decision-ledger.jsonl; mkdir -p .agentxchain/decision-ledger.jsonl/x',
    'hook_ledger_tamper',
  ],
  ['made readable to all', 'chmod 777 .agentxchain/state.json', 'hook_state_tamper'],
  ['moved behind a link', 'mv .agentxchain away; ln -s away .agentxchain', 'hook_state_tamper'],
])('[GH4] a book that is %s is put back, and the phase ends without a verdict', async (_, script, code) => {
  const books = ['state.json', 'history.jsonl', 'decision-ledger.jsonl'].map((name) => `.agentxchain/${name}`);
  const before = books.map((path) => project.read(path));
  const ran = await runHooks(project.root, { before_gate: [shell(`${script}; ${ALLOW}`)] }, 'before_gate', {});
  expect(ran).toMatchObject({ ok: false, blocked: false, error_code: code, tamper: { hook_name: 'watch' } });
  expect(ran.results).toMatchObject([{ verdict: null, orchestrator_action: 'aborted_tamper' }]);
  expect(books.map((path) => project.read(path))).toEqual(before);
  expect(project.lines('.agentxchain/hook-audit.jsonl')).toHaveLength(1);
});

it('[GH4] a book that was not there is not there afterwards', async () => {
  const made = `echo '{}' > .agentxchain/hook-annotations.jsonl; ${ALLOW}`;
  const ran = await runHooks(project.root, { before_gate: [shell(made)] }, 'before_gate', {});
  expect(ran.error_code).toBe('hook_audit_tamper');
  expect(readdirSync(join(project.root, '.agentxchain'))).not.toContain('hook-annotations.jsonl');
});

it('[GH4] what a caller protects is put back as well; in a folder, what was in it', async () => {
  project.write('lib/deep/a.ts', 'a');
  const hooks = { before_gate: [shell(`rm -r lib; mkdir lib; echo b > lib/new.ts; ${ALLOW}`)] };
  const ran = await runHooks(project.root, hooks, 'before_gate', {}, { protectedPaths: ['lib'] });
  expect(ran.tamper).toEqual({ hook_name: 'watch', error_code: 'hook_protected_tamper', paths: ['lib/deep/a.ts'] });
  expect(project.read('lib/deep/a.ts')).toBe('a');
});

it('[GH8] phases of one project wait for each other: nobody answers for what another hook did', async () => {
  const [bad, good] = await Promise.all([
    runHooks(project.root, { before_gate: [shell(`echo x > .agentxchain/state.json; ${ALLOW}`)] }, 'before_gate', {}),
    runHooks(project.root, { before_validation: [shell(ALLOW, { name: 'other' })] }, 'before_validation', {}),
  ]);
  expect([bad.error_code, good.ok]).toEqual(['hook_state_tamper', true]);
  expect(project.lines('.agentxchain/hook-audit.jsonl').map(({ hook_name }) => hook_name)).toEqual(['watch', 'other']);
});

it('[GH7] a line that was torn is ended, not continued; a link is not written through', async () => {
  project.write('.agentxchain/hook-audit.jsonl', '{"hook_name":"torn');
  await runHooks(project.root, { before_gate: [shell(ALLOW)] }, 'before_gate', { turn_id: 'turn_a' });
  const [torn = '', whole = ''] = project.read('.agentxchain/hook-audit.jsonl').split('\n');
  expect(torn).toBe('{"hook_name":"torn');
  expect(JSON.parse(whole)).toMatchObject({ hook_name: 'watch', turn_id: 'turn_a', orchestrator_action: 'continued' });

  const other = new Project();
  other.write('outside', '');
  symlinkSync(join(other.root, 'outside'), join(other.root, '.agentxchain/hook-audit.jsonl'));
  const ran = await runHooks(other.root, { before_gate: [shell(ALLOW)] }, 'before_gate', {});
  expect(ran).toMatchObject({ ok: false, blocked: false, error_code: 'hook_failed' });
  expect(other.read('outside')).toBe('');
  other.remove();
});
