/** A governed run from planning to qa: programs take the turns, with gates between the phases. */

import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dispatchByDriver, loadContext, nextRole, runLoop } from 'parley-hub/governed';

const root = await mkdtemp(join(tmpdir(), 'parley-governed-'));
await cp(fileURLToPath(new URL('scripted-role.mjs', import.meta.url)), join(root, 'role.mjs'));
const project = {
  schema_version: '1.0',
  project: { id: 'greeting', name: 'Greeting' },
  roles: {
    pm: { mandate: 'Decide what is built.', write_authority: 'authoritative', runtime: 'script' },
    dev: { mandate: 'Build it.', write_authority: 'authoritative', runtime: 'script' },
    qa: { mandate: 'Find what is wrong with it.', write_authority: 'review_only', runtime: 'script' },
  },
  runtimes: { script: { type: 'local_cli', command: [process.execPath, 'role.mjs'], timeout_ms: 60_000 } },
  routing: {
    planning: { entry_role: 'pm', exit_gate: 'planning_signoff' },
    implementation: { entry_role: 'dev', exit_gate: 'implementation_complete' },
    qa: { entry_role: 'qa', exit_gate: 'qa_ship_verdict' },
  },
  gates: {
    planning_signoff: {
      requires_files: ['.planning/PM_SIGNOFF.md', '.planning/ROADMAP.md'],
      requires_human_approval: true,
    },
    implementation_complete: {
      requires_files: ['.planning/IMPLEMENTATION_NOTES.md'],
      requires_verification_pass: true,
    },
    qa_ship_verdict: {
      requires_files: ['.planning/acceptance-matrix.md', '.planning/ship-verdict.md'],
      requires_human_approval: true,
    },
  },
};
await writeFile(join(root, 'agentxchain.json'), JSON.stringify(project, null, 2));

const context = await loadContext(root);
assert.ok(context);
const asked: string[] = [];
const result = await runLoop(root, context.config, {
  selectRole: nextRole,
  // Each turn goes to the driver of its runtime, here a program.
  dispatch: dispatchByDriver(),
  // A real runner would ask a person here.
  approveGate: (type, { phase }) => asked.push(`${type} in ${phase}`) > 0,
  onEvent: (event) => console.log(event.type, 'role' in event ? event.role : ''),
});

assert.equal(result.stop_reason, 'completed', JSON.stringify(result.errors));
assert.deepEqual(asked, ['phase_transition in planning', 'run_completion in qa']);
// The dev's first result had no summary, so the turn was tried again.
const tries = result.turn_history.map(
  ({ role, attempt, accepted }) => `${role} ${attempt} ${accepted ? 'in' : 'back'}`,
);
assert.deepEqual(tries, ['pm 1 in', 'dev 1 back', 'dev 2 in', 'qa 1 in']);

const lines = async (name: string) =>
  (await readFile(join(root, '.agentxchain', name), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const history = await lines('history.jsonl');
assert.deepEqual(
  history.map(({ role, phase }) => `${role} in ${phase}`),
  ['pm in planning', 'dev in implementation', 'qa in qa'],
);
assert.equal((await lines('decision-ledger.jsonl')).length, 2);
assert.equal((await lines('events.jsonl')).at(-1).event_type, 'run_completed');

// The built module exists and works.
const { greet } = await import(join(root, 'src/greet.mjs'));
assert.equal(greet('Ada'), 'Hello, Ada');
console.log(`${history.length} turns, ${result.gates_approved} gates; ${greet('Ada')}`);
await rm(root, { recursive: true });
