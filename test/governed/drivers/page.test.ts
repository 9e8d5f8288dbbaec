// The example configs of the protocol's documentation of adapters.

import { checkConfig, validateTurnResult } from 'parley-hub/governed/engine';
import { expect, it } from 'vitest';
import { createRuntimeDriver } from '../../../src/governed/index.ts';
import { Scene, TURN } from './scene.ts';

const scene = Scene.fresh();

const ROLES = {
  pm: { adapter: 'manual', adapter_config: { poll_interval_ms: 2000, timeout_ms: 1_200_000 } },
  dev: {
    adapter: 'local_cli',
    adapter_config: {
      command: 'claude',
      args: ['--print', '--dangerously-skip-permissions'],
      prompt_transport: 'stdin',
      timeout_ms: 600_000,
      env: { ANTHROPIC_API_KEY: '${ANTHROPIC_API_KEY}' },
    },
  },
  qa: {
    adapter: 'api_proxy',
    adapter_config: {
      provider: 'anthropic',
      model: 'claude-sonnet-4-20250514',
      max_tokens: 8192,
      temperature: 0.2,
      api_key_env: 'ANTHROPIC_API_KEY',
      timeout_ms: 120_000,
      max_retries: 5,
    },
  },
  own: { adapter: 'my_adapter' },
};

it.each([
  ['pm', 'manual', 1_200_000],
  ['dev', 'local_cli', 600_000],
  ['qa', 'api_proxy', 900_000],
  ['own', 'my_adapter', undefined],
])('[GA1] creates the documented role %s with the driver %s', async (role, name, timeoutMs) => {
  scene.project.write(
    'adapters/my-adapter.js',
    'module.exports.MyAdapter = class { async dispatch() {} async wait() {} async collect() {} };',
  );
  const adapters = { my_adapter: { module: './adapters/my-adapter.js' } };
  const routing = { planning: { entry_role: 'pm' } };
  const checked = checkConfig({ schema_version: '1.0', roles: ROLES, routing, gates: {}, adapters });
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
  const created = await createRuntimeDriver(scene.root, checked.config, role, {
    variables: { ANTHROPIC_API_KEY: 'k' },
  });
  expect(created).toMatchObject({ ok: true, adapter: { name } });
  if (created.ok) expect(created.adapter.timeoutMs).toBe(timeoutMs);
});

it('[GA1] returns the documented result, and the run accepts it', async () => {
  await scene.dispatched({
    type: 'local_cli',
    command: 'sh',
    args: ['-c', 'mkdir -p "$(dirname "$AGENTXCHAIN_STAGING_PATH")"; cp page.json "$AGENTXCHAIN_STAGING_PATH"'],
  });
  const page = {
    ...{
      schema_version: '1.0',
      run_id: 'run_lamp',
      turn_id: TURN,
      role: 'builder',
      runtime_id: 'bench',
      status: 'completed',
    },
    summary: 'Implemented the authentication module...',
    decisions: [{ id: 'DEC-005', category: 'implementation', statement: 'Use bcrypt', rationale: 'Industry standard' }],
    objections: [
      { id: 'OBJ-003', severity: 'low', against_turn_id: 'turn_prev', statement: 'No limit', status: 'raised' },
    ],
    files_changed: [
      { path: 'src/auth.ts', action: 'created' },
      { path: 'src/auth.test.ts', action: 'created' },
    ],
    verification: {
      status: 'passed',
      commands: ['npm test', 'npm run lint'],
      evidence_summary: 'All 14 tests pass. No lint errors.',
      machine_evidence: [{ command: 'npm test', exit_code: 0, stdout_tail: '14 passing (1.2s)' }],
    },
    artifact: { type: 'code', ref: 'src/auth.ts' },
    ...{ proposed_next_role: 'critic', phase_transition_request: null, run_completion_request: null },
  };
  scene.project.write('page.json', JSON.stringify(page));
  const outcome = await scene.run();
  if (!outcome.ok) throw new Error(outcome.detail);
  const { state, config } = scene;
  expect(validateTurnResult({ state, config, turnId: TURN, result: outcome.turnResult })).toMatchObject({ ok: true });
});
