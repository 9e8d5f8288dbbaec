/** A custom runner for a whole run: two phases, approved gates, and a rejected turn that is tried again with the same id. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  acceptTurn,
  approveCompletionGate,
  approvePhaseGate,
  assignTurn,
  engine,
  type GovernedConfig,
  initRun,
  rejectTurn,
  stageResult,
  type Turn,
  writeDispatchBundle,
} from 'parley-hub/governed';

const root = await mkdtemp(join(tmpdir(), 'parley-governed-'));
const config: GovernedConfig = {
  schema_version: '1.0',
  project: { id: 'two-phases' },
  roles: {
    pm: { mandate: 'Plan.', write_authority: 'authoritative', runtime: 'ci' },
    qa: { mandate: 'Judge.', write_authority: 'review_only', runtime: 'ci' },
  },
  runtimes: { ci: { type: 'manual' } },
  routing: {
    planning: { entry_role: 'pm', exit_gate: 'plan' },
    judging: { entry_role: 'qa', exit_gate: 'ship' },
  },
  gates: {
    plan: { requires_files: ['.planning/PLAN.md'], requires_human_approval: true },
    ship: { requires_human_approval: true },
  },
};
const begun = await initRun(root, config);
assert.ok(begun.ok);

async function handedOut(role: string): Promise<Turn> {
  const assigned = await assignTurn(root, config, role);
  assert.ok(assigned.ok);
  const sent = await writeDispatchBundle(root, null, config, { turnId: assigned.turn.turn_id });
  assert.ok(sent.ok);
  return assigned.turn;
}

async function handIn({ turn_id, runtime_id, assigned_role: role }: Turn, own: object): Promise<void> {
  const usual = { schema_version: '1.0', run_id: 'whichever', status: 'completed', decisions: [], objections: [] };
  const work = { files_changed: [], verification: { status: 'skipped' }, artifact: { type: 'review' } };
  const next = { proposed_next_role: 'human' };
  const staged = await stageResult(root, turn_id, { ...usual, turn_id, role, runtime_id, ...work, ...next, ...own });
  assert.ok(staged.ok);
}

// Planning: the gate checks the file, then waits for a person.
const plan = await handedOut('pm');
await mkdir(dirname(join(root, '.planning/PLAN.md')), { recursive: true });
await writeFile(join(root, '.planning/PLAN.md'), 'Light the lamp.\n');
const planned = { files_changed: ['.planning/PLAN.md'], artifact: { type: 'workspace' } };
await handIn(plan, { summary: 'The plan is written.', ...planned, phase_transition_request: 'judging' });
const first = await acceptTurn(root, config);
assert.ok(first.ok);
assert.equal(first.state.status, 'paused');
assert.ok(!(await assignTurn(root, config, 'qa')).ok, 'nothing goes out while a gate waits');
assert.ok((await approvePhaseGate(root, config)).ok);

// Judging: a review-only role must object. The result is rejected, and the same turn is tried again.
const judge = await handedOut('qa');
await handIn(judge, { summary: 'Fine.', run_completion_request: true });
const refused = await acceptTurn(root, config, { turnId: judge.turn_id });
assert.ok(!refused.ok);
assert.equal(refused.validation?.error_type, 'challenge_requirement_violated');
const rejected = await rejectTurn(root, config, refused.validation, refused.error, { turnId: judge.turn_id });
assert.ok(rejected.ok);
assert.deepEqual([rejected.turn.turn_id, rejected.turn.attempt, rejected.escalated], [judge.turn_id, 2, false]);
const resent = await writeDispatchBundle(root, null, config, { turnId: judge.turn_id });
assert.ok(resent.ok);
assert.match(await readFile(join(root, resent.bundlePath, 'PROMPT.md'), 'utf8'), /objection/);
const objections = [{ id: 'OBJ-001', severity: 'low', statement: 'It flickers.' }];
await handIn(judge, { summary: 'It ships, and flickers.', objections, run_completion_request: true });
const second = await acceptTurn(root, config, { turnId: judge.turn_id });
assert.ok(second.ok, JSON.stringify(second));
const ended = await approveCompletionGate(root, config);
assert.ok(ended.ok);
assert.equal(ended.state.status, 'completed');

const lines = async (name: string) =>
  (await readFile(join(root, '.agentxchain', name), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const history = await lines('history.jsonl');
assert.deepEqual(
  history.map(({ turn_id, attempt }) => [turn_id, attempt]),
  [
    [plan.turn_id, 1],
    [judge.turn_id, 2],
  ],
);
const events = await lines('events.jsonl');
assert.deepEqual(engine.orderFaults(events), []);
console.log(events.map(({ event_type }) => event_type).join(' > '));
await rm(root, { recursive: true });
