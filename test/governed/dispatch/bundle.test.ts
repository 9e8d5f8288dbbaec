// The dispatch bundle of a turn: content, seal and evidence.

import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import {
  assignTurn,
  EMPTY_STATE,
  type GovernedConfig,
  initialiseRun,
  type RunState,
  rejectTurn,
} from 'parley-hub/governed/engine';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/lib/sha256.ts';
import { writeBundle } from '../../../src/governed/dispatch/bundle.ts';
import {
  cleanUpTurn,
  sealDispatchBundle,
  stageResult,
  verifyManifest,
  writeRuntimeFile,
} from '../../../src/governed/index.ts';
import { CONFIG } from '../engine/lighthouse.ts';
import { ALLOW, Project, shell } from '../hooks/project.ts';

const NOW = '2030-01-02T03:04:05.000Z';
const BUNDLE = '.agentxchain/dispatch/turns/turn_wick';
const LOCAL: GovernedConfig = {
  ...CONFIG,
  runtimes: { bench: { type: 'local_cli', command: 'make', timeout_ms: 600_000 } },
};

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.remove());

function done<T extends { readonly ok: boolean }>(outcome: T): Extract<T, { readonly ok: true }> {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  return outcome as Extract<T, { readonly ok: true }>;
}

function running(role = 'builder'): RunState {
  const idle = { ...EMPTY_STATE, phase: 'implementation' };
  const begun = done(initialiseRun(idle, LOCAL, { runId: 'run_lamp', now: NOW }));
  return done(assignTurn(begun.state, LOCAL, { roleId: role, turnId: 'turn_wick', now: NOW })).state;
}

it('[GF5] ASSIGNMENT.json has the members of both known forms', async () => {
  const written = done(await writeBundle(project.root, running(), LOCAL, { warnings: ['fog'] }));
  expect(written).toMatchObject({ bundlePath: BUNDLE, files: ['ASSIGNMENT.json', 'CONTEXT.md', 'PROMPT.md'] });
  expect(JSON.parse(project.read(`${BUNDLE}/ASSIGNMENT.json`))).toEqual({
    schema_version: '1.0',
    run_id: 'run_lamp',
    turn_id: 'turn_wick',
    phase: 'implementation',
    role: 'builder',
    runtime_id: 'bench',
    adapter: 'local_cli',
    adapter_config: { command: 'make', timeout_ms: 600_000 },
    timeout_ms: 600_000,
    context_ref: './CONTEXT.md',
    prompt_ref: './PROMPT.md',
    write_authority: 'authoritative',
    accepted_integration_ref: null,
    staging_result_path: '.agentxchain/staging/turn_wick/turn-result.json',
    reserved_paths: ['.agentxchain/'],
    allowed_next_roles: ['lead', 'builder', 'critic', 'human'],
    attempt: 1,
    deadline_at: '2030-01-02T05:04:05.000Z',
    assigned_sequence: 1,
    budget_reservation_usd: null,
    active_siblings: [],
    advisory_warnings: ['fog'],
  });
});

it('[GF5] PROMPT.md has the interpolated role text, the rules, the last rejection and the result path', async () => {
  project.write('.agentxchain/prompts/builder.md', 'Build {{turn_id}} in {{phase}}, mind the {{moon}}.');
  const rejection = { turnId: 'turn_wick', reason: 'It leaks', stage: 'artifact', errors: ['oil'], now: NOW };
  const rejected = done(rejectTurn(running(), LOCAL, rejection));
  const written = done(await writeBundle(project.root, rejected.state, LOCAL));
  const prompt = project.read(`${BUNDLE}/PROMPT.md`);
  for (const part of [
    'Build turn_wick in implementation, mind the {{moon}}.',
    'You may change files of the project.',
    'What was wrong with attempt 1 at artifact\n\nIt leaks\n- oil',
    'a person approves',
    '.agentxchain/staging/turn_wick/turn-result.json',
  ]) {
    expect(prompt).toContain(part);
  }
  expect(prompt).not.toContain('Raise at least one objection');
  expect(written.warnings).toEqual(['the prompt of builder names {{moon}}, which there is not']);
});

it('[GF5] tells a reviewer to object, previews the last changes and escapes agent text', async () => {
  project.write('src/a.ts', Array.from({ length: 200 }, (_, n) => `line ${n}`).join('\n'));
  project.write(
    '.agentxchain/history.jsonl',
    `${JSON.stringify({ turn_id: 'turn_a', role: 'builder', summary: 'Lit\n# it', files_changed: ['src/a.ts', '/etc/passwd'] })}\n{"torn`,
  );
  project.write(
    '.agentxchain/decision-ledger.jsonl',
    `${JSON.stringify({ id: 'DEC-1', role: 'lead', category: 'scope', statement: 'a | b' })}\n`,
  );
  done(await writeBundle(project.root, running('critic'), LOCAL));
  expect(project.read(`${BUNDLE}/PROMPT.md`)).toContain('Raise at least one objection');
  const context = project.read(`${BUNDLE}/CONTEXT.md`);
  expect(context).toContain('Lit # it');
  expect(context).toContain('| DEC-1 | lead | scope | a \\| b |');
  expect(context).toContain('line 119\n');
  expect(context).not.toContain('line 120');
  expect(context).not.toContain('### /etc/passwd');
});

it('[GF5, GF11] a rewritten bundle replaces the old one completely and leaves no draft', async () => {
  const state = running();
  done(await writeBundle(project.root, state, LOCAL));
  project.write(`${BUNDLE}/OLD.md`, 'old');
  done(await writeBundle(project.root, state, LOCAL));
  expect(readdirSync(join(project.root, BUNDLE)).sort()).toEqual(['ASSIGNMENT.json', 'CONTEXT.md', 'PROMPT.md']);
  expect(readdirSync(join(project.root, '.agentxchain/dispatch/turns'))).toEqual(['turn_wick']);
  expect(readdirSync(join(project.root, '.agentxchain/dispatch')).sort()).toEqual(['index.json', 'turns']);
});

it('[GF6] the dispatch index lists active turns and their paths', async () => {
  done(await writeBundle(project.root, running(), LOCAL));
  expect(JSON.parse(project.read('.agentxchain/dispatch/index.json'))).toMatchObject({
    run_id: 'run_lamp',
    active_turns: { turn_wick: { role: 'builder', bundle_path: BUNDLE, attempt: 1 } },
  });
});

it('[GF5] an inactive turn gets no bundle', async () => {
  const outcome = await writeBundle(project.root, running(), LOCAL, { turnId: 'turn_other' });
  expect(outcome).toMatchObject({ ok: false, error_code: 'turn_not_active' });
});

it('[GF9] writes nothing through a linked run folder', async () => {
  mkdirSync(join(project.root, 'outside'));
  symlinkSync(join(project.root, 'outside'), join(project.root, '.agentxchain/dispatch'));
  expect(await writeBundle(project.root, running(), LOCAL)).toMatchObject({
    ok: false,
    error_code: 'unsafe_path',
  });
  symlinkSync(join(project.root, 'outside'), join(project.root, '.agentxchain/staging'));
  expect(await stageResult(project.root, 'turn_wick', {})).toMatchObject({ ok: false, error_code: 'unsafe_path' });
  expect(readdirSync(join(project.root, 'outside'))).toEqual([]);
});

it('[GF6] seals after the hooks, so their files are in the manifest', async () => {
  const state = running();
  done(await writeBundle(project.root, state, LOCAL));
  const config = { ...LOCAL, hooks: { after_dispatch: [shell(`echo hint > ${BUNDLE}/HINT.md; ${ALLOW}`)] } };
  const sealed = done(await sealDispatchBundle(project.root, state, config, { now: NOW }));
  const identified = { run_id: 'run_lamp', turn_id: 'turn_wick', role: 'builder', finalized_at: NOW };
  expect(sealed.manifest).toMatchObject(identified);
  const names = sealed.manifest.files.map(({ path }) => path);
  expect(names).toEqual(['ASSIGNMENT.json', 'CONTEXT.md', 'HINT.md', 'PROMPT.md']);
  const { manifest: identity, digest } = sealed;
  expect(await verifyManifest(project.root, { turnId: 'turn_wick', identity, digest })).toMatchObject({ ok: true });
});

it.each([
  ['blocks', `printf '{"verdict":"block","message":"Fog"}'`, 'hook_blocked'],
  ['changes a file of the turn', `echo x > ${BUNDLE}/PROMPT.md; ${ALLOW}`, 'hook_bundle_tamper'],
])('[GF6] a hook that %s leaves the bundle unsealed and unchanged', async (_, script, error_code) => {
  const state = running();
  done(await writeBundle(project.root, state, LOCAL));
  const prompt = project.read(`${BUNDLE}/PROMPT.md`);
  const config = { ...LOCAL, hooks: { after_dispatch: [shell(script)] } };
  expect(await sealDispatchBundle(project.root, state, config, { now: NOW })).toMatchObject({ ok: false, error_code });
  expect(project.read(`${BUNDLE}/PROMPT.md`)).toBe(prompt);
  expect(existsSync(join(project.root, BUNDLE, 'MANIFEST.json'))).toBe(false);
});

it('[GF6] runtime files stay outside the bundle, so the seal holds for a second dispatch', async () => {
  const state = running();
  done(await writeBundle(project.root, state, LOCAL));
  const { digest } = done(await sealDispatchBundle(project.root, state, LOCAL, { now: NOW }));
  const { path } = done(await writeRuntimeFile(project.root, 'turn_wick', 'API_REQUEST.json', '{}'));
  expect(path).toBe('.agentxchain/dispatch/runtime/turn_wick/API_REQUEST.json');
  expect(await verifyManifest(project.root, { turnId: 'turn_wick', digest })).toMatchObject({ ok: true });
  expect(await writeRuntimeFile(project.root, 'turn_wick', '../../turns/turn_wick/X', '')).toMatchObject({
    error_code: 'unsafe_path',
  });
});

it('[GF10] acceptance removes the files of a turn and keeps each content once, by digest', async () => {
  const state = running();
  done(await writeBundle(project.root, state, LOCAL));
  done(await sealDispatchBundle(project.root, state, LOCAL, { now: NOW }));
  done(await writeRuntimeFile(project.root, 'turn_wick', 'stdout.log', 'twice'));
  done(await writeRuntimeFile(project.root, 'turn_wick', 'stderr.log', 'twice'));
  done(await stageResult(project.root, 'turn_wick', { status: 'completed' }));
  const { evidence } = done(await cleanUpTurn(project.root, { ...state, active_turns: {} }, 'turn_wick'));
  expect(evidence.map(({ path }) => path.replace('.agentxchain/', ''))).toEqual([
    ...['ASSIGNMENT.json', 'CONTEXT.md', 'MANIFEST.json', 'PROMPT.md'].map(
      (name) => `dispatch/turns/turn_wick/${name}`,
    ),
    'dispatch/runtime/turn_wick/stderr.log',
    'dispatch/runtime/turn_wick/stdout.log',
    'staging/turn_wick/turn-result.json',
  ]);
  const kept = readdirSync(join(project.root, '.agentxchain/evidence'));
  expect(kept).toHaveLength(6);
  for (const name of kept) {
    expect(sha256(project.read(`.agentxchain/evidence/${name}`))).toBe(name);
  }
  for (const folder of ['dispatch/turns', 'dispatch/runtime', 'staging']) {
    expect(readdirSync(join(project.root, '.agentxchain', folder))).toEqual([]);
  }
  expect(JSON.parse(project.read('.agentxchain/dispatch/index.json')).active_turns).toEqual({});
  expect(await cleanUpTurn(project.root, { ...state, active_turns: {} }, 'turn_wick')).toEqual({
    ok: true,
    evidence: [],
  });
});

it('[GF10] removes a link of a turn but neither removes nor keeps its target', async () => {
  const state = running();
  done(await writeBundle(project.root, state, LOCAL));
  project.write('precious/a', 'a');
  symlinkSync(join(project.root, 'precious'), join(project.root, BUNDLE, 'link'));
  const { evidence } = done(await cleanUpTurn(project.root, { ...state, active_turns: {} }, 'turn_wick'));
  expect(evidence).toHaveLength(3);
  expect(project.read('precious/a')).toBe('a');
});
