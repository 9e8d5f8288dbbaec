/** A custom runner for one turn: assign, dispatch, stage and accept with the runner interface only. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  acceptTurn,
  assignTurn,
  getActiveTurnCount,
  getTurnStagingResultPath,
  initRun,
  loadContext,
  loadState,
  RUNNER_INTERFACE_VERSION,
  stageResult,
  writeDispatchBundle,
} from 'parley-hub/governed';

assert.equal(RUNNER_INTERFACE_VERSION, '0.2');
const root = await mkdtemp(join(tmpdir(), 'parley-governed-'));
const project = {
  schema_version: '1.0',
  project: { id: 'one-turn' },
  roles: { dev: { mandate: 'Build it.', write_authority: 'authoritative', runtime: 'ci' } },
  runtimes: { ci: { type: 'manual' } },
  routing: { implementation: { entry_role: 'dev' } },
};
await writeFile(join(root, 'agentxchain.json'), JSON.stringify(project));

const context = await loadContext(root);
assert.ok(context);
const { config } = context;
const begun = await initRun(root, config);
assert.ok(begun.ok);
const assigned = await assignTurn(root, config, 'dev');
assert.ok(assigned.ok);
const { turn } = assigned;
const sent = await writeDispatchBundle(root, assigned.state, config, { turnId: turn.turn_id });
assert.ok(sent.ok);
console.log('handed out:', sent.files.join(', '));

// A runner decides who does the work; this one does it itself.
await writeFile(join(root, 'lamp.mjs'), 'export const isLit = true;\n');
const staged = await stageResult(root, turn.turn_id, {
  schema_version: '1.0',
  run_id: begun.state.run_id,
  turn_id: turn.turn_id,
  role: 'dev',
  runtime_id: turn.runtime_id,
  status: 'completed',
  summary: 'The lamp is lit.',
  decisions: [{ id: 'DEC-001', category: 'scope', statement: 'One lamp.', rationale: 'It is a small room.' }],
  objections: [],
  files_changed: ['lamp.mjs'],
  verification: { status: 'pass', machine_evidence: [{ command: 'node lamp.mjs', exit_code: 0 }] },
  artifact: { type: 'workspace' },
  proposed_next_role: 'human',
  run_completion_request: true,
});
assert.deepEqual(staged, { ok: true, path: getTurnStagingResultPath(turn.turn_id) });
const accepted = await acceptTurn(root, config, { turnId: turn.turn_id });
assert.ok(accepted.ok);
assert.equal(accepted.accepted.summary, 'The lamp is lit.');

// A turn is accepted once; its files are removed and kept as evidence.
const again = await acceptTurn(root, config, { turnId: turn.turn_id });
assert.ok(!again.ok);
assert.equal(again.error_code, 'turn_already_accepted');
const state = await loadState(root, config);
assert.equal(state?.status, 'completed');
assert.equal(state && getActiveTurnCount(state), 0);
assert.ok(!existsSync(join(root, sent.bundlePath)));
assert.ok(existsSync(join(root, '.agentxchain/evidence')));
const history = (await readFile(join(root, '.agentxchain/history.jsonl'), 'utf8')).trimEnd().split('\n');
assert.equal(history.length, 1);
console.log(`accepted: ${accepted.accepted.turn_id}; the run is ${state?.status}`);
await rm(root, { recursive: true });
