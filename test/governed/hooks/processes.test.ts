// Process hooks: input, termination, and protected files.

import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type HookOptions, runHooks } from '../../../src/governed/index.ts';
import { ALLOW, Project, shell } from './project.ts';

let project: Project;
beforeEach(() => {
  project = new Project();
  return () => project.remove();
});

const gate = (script: string, more: Parameters<typeof shell>[1] = {}, payload = {}, options: HookOptions = {}) =>
  runHooks(project.root, { before_gate: [shell(script, more)] }, 'before_gate', payload, options);

/** Ids of processes with this text in their arguments. */
function living(mark: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  });
}

it('[GH5] ends a hook that ignores SIGTERM, and its children, by the end of the phase', async () => {
  const script = `trap '' TERM HUP INT; (trap '' TERM; sleep 77001) & sleep 77001; sleep 77001`;
  const blocker = { orchestrator_action: 'blocked_timeout', timed_out: true };
  expect(await gate(script, { timeout_ms: 100 })).toMatchObject({ ok: false, blocked: true, blocker });
  expect(living('77001')).toEqual([]);
});

it('[GH5] ends processes that a successful hook leaves behind', async () => {
  expect(await gate(`sleep 77002 >/dev/null 2>&1 & ${ALLOW}`)).toMatchObject({ ok: true });
  expect(living('77002')).toEqual([]);
});

it('[GH5] does not block the process while a hook runs', async () => {
  const running = gate(`while [ ! -e go ]; do sleep 0.01; done; ${ALLOW}`);
  // The hook ends only if this line runs meanwhile.
  project.write('go', '');
  expect((await running).ok).toBe(true);
});

it('[GH5, GH7] passes secrets by environment and the payload by stdin, never in arguments, and records no secret', async () => {
  const script = `tr '\\0' ' ' < /proc/$$/cmdline > args; cat > got; printf '{"verdict":"warn","message":"%s","annotations":[{"key":"k","value":"%s"}]}' "$KEY" "$KEY"; echo "$KEY" >&2`;
  const payload = { gate_type: 'phase_transition', words: 'payload-words' };
  const options = { variables: { LAMP_KEY: 'hush-hush-1' }, run_id: 'run_lamp' };
  await gate(script, { env: { KEY: '${' + 'LAMP_KEY}' } }, payload, options);
  expect(project.read('args')).not.toMatch(/hush|payload-words/);
  expect(JSON.parse(project.read('got'))).toEqual({
    hook_phase: 'before_gate',
    hook_name: 'watch',
    run_id: 'run_lamp',
    project_root: project.root,
    timestamp: expect.any(String),
    payload,
  });
  expect(project.read('.agentxchain/hook-audit.jsonl')).not.toContain('hush');
  const audited = project.lines('.agentxchain/hook-audit.jsonl');
  expect(audited).toMatchObject([{ message: '[secret]', stderr_excerpt: '[secret]\n' }]);
});

it('[GH5] does not pass other variables of the runner to a hook', async () => {
  process.env.PARLEY_TEST_UNASKED = 'unasked';
  try {
    await gate(`env > got; ${ALLOW}`);
  } finally {
    delete process.env.PARLEY_TEST_UNASKED;
  }
  expect(project.read('got')).toContain('AGENTXCHAIN_HOOK_NAME=watch');
  expect(project.read('got')).not.toContain('unasked');
});

it('[GH5] ends and fails a hook that writes endlessly', async () => {
  const ran = await gate('yes');
  expect(ran.blocker).toMatchObject({ orchestrator_action: 'blocked_failure', exit_code: null });
  expect(project.read('.agentxchain/hook-audit.jsonl').length).toBeLessThan(10_000);
});

it('[GH5] ends and fails a cancelled hook', async () => {
  const cancel = new AbortController();
  const running = gate('touch begun; sleep 77003', {}, {}, { signal: cancel.signal });
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
])('[GH4] restores a run file that was %s, and ends the phase without a verdict', async (_, script, code) => {
  const files = ['state.json', 'history.jsonl', 'decision-ledger.jsonl'].map((name) => `.agentxchain/${name}`);
  const before = files.map((path) => project.read(path));
  const ran = await gate(`${script}; ${ALLOW}`);
  expect(ran).toMatchObject({ ok: false, blocked: false, error_code: code, tamper: { hook_name: 'watch' } });
  expect(ran.results).toMatchObject([{ verdict: null, orchestrator_action: 'aborted_tamper' }]);
  expect(files.map((path) => project.read(path))).toEqual(before);
  expect(project.lines('.agentxchain/hook-audit.jsonl')).toHaveLength(1);
});

it('[GH4] deletes a run file that a hook created', async () => {
  const ran = await gate(`echo '{}' > .agentxchain/hook-annotations.jsonl; ${ALLOW}`);
  expect(ran.error_code).toBe('hook_audit_tamper');
  expect(readdirSync(join(project.root, '.agentxchain'))).not.toContain('hook-annotations.jsonl');
});

it('[GH4] restores paths that the caller protects, including files in folders', async () => {
  project.write('lib/deep/a.ts', 'a');
  const script = `rm -r lib; mkdir lib; echo b > lib/new.ts; ${ALLOW}`;
  const ran = await gate(script, {}, {}, { protectedPaths: ['lib'] });
  expect(ran.tamper).toEqual({ hook_name: 'watch', error_code: 'hook_protected_tamper', paths: ['lib/deep/a.ts'] });
  expect(project.read('lib/deep/a.ts')).toBe('a');
});

it('[GH8] serialises the phases of a project, so that tampering is attributed to the right hook', async () => {
  const [bad, good] = await Promise.all([
    gate(`echo x > .agentxchain/state.json; ${ALLOW}`),
    runHooks(project.root, { before_validation: [shell(ALLOW, { name: 'other' })] }, 'before_validation', {}),
  ]);
  expect([bad.error_code, good.ok]).toEqual(['hook_state_tamper', true]);
  expect(project.lines('.agentxchain/hook-audit.jsonl').map(({ hook_name }) => hook_name)).toEqual(['watch', 'other']);
});

it('[GH7] ends a torn line before appending, and does not write through a link', async () => {
  project.write('.agentxchain/hook-audit.jsonl', '{"hook_name":"torn');
  await gate(ALLOW, {}, { turn_id: 'turn_a' });
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
