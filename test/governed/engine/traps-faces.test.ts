// Seven ways to look conformant without being so, tried over stdio and over HTTP.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT_OF, type Status } from '../../../src/governed/conformance/fixture.ts';
import { HttpHub } from '../../server/http/http-hub.ts';
import { type BuiltScript, builtScript } from '../../support/built-script.ts';

const token = 'a-token-of-its-own';
let adapter: BuiltScript;
let hub: HttpHub;
beforeAll(async () => {
  [adapter, hub] = await Promise.all([
    builtScript('src/governed/conformance/adapter/main.ts'),
    HttpHub.keep({ conformance: { token } }),
  ]);
}, 120_000);
afterAll(async () => {
  await adapter.remove();
  await hub.close();
});

interface Outcome {
  readonly status: Status;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at, not used
  readonly actual: any;
  readonly message?: string;
}

/** Checks that the exit code matches. */
async function overStdio(fixture: object): Promise<Outcome> {
  const child = spawn(process.execPath, [adapter.path], { stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (part) => {
    text += part;
  });
  child.stdin.end(`${JSON.stringify(fixture)}\n`);
  const [code] = await once(child, 'close');
  const outcome = JSON.parse(text) as Outcome;
  expect(code).toBe(EXIT_OF[outcome.status]);
  return outcome;
}

async function overHttp(fixture: object): Promise<Outcome> {
  const headers = { 'content-type': 'application/json' };
  const { status, body } = await hub.send('POST', '/conform/execute', JSON.stringify(fixture), { token, headers });
  expect(status).toBe(200);
  return body;
}

const config = {
  schema_version: '1.0',
  roles: { builder: {}, critic: { write_authority: 'review_only' } },
  routing: {
    implementation: { allowed_next_roles: ['builder', 'critic'], exit_gate: 'lamp' },
    checking: { allowed_next_roles: ['critic'] },
  },
  gates: { lamp: { requires_human_approval: true } },
};
const active_turns = { turn_a: { role: 'builder' } };
const state = { status: 'active', phase: 'implementation', run_id: 'run_a', active_turns, accepted_sequence: 3 };
const turn_result = {
  schema_version: '1.0',
  run_id: 'run_a',
  turn_id: 'turn_a',
  role: 'builder',
  runtime_id: 'manual',
  status: 'completed',
  summary: 'A lamp was built',
  decisions: [],
  objections: [],
  files_changed: ['src/lamp.ts'],
  verification: { status: 'pass' },
  artifact: { type: 'workspace' },
  proposed_next_role: 'critic',
};
const past = [{ turn_id: 'turn_0', run_id: 'run_a', role: 'builder', status: 'completed', accepted_sequence: 3 }];
const decided = [{ id: 'DEC-001', category: 'scope', statement: 'One lamp', rationale: 'Oil' }];

/** `expected`: what an implementation in the trap would answer. */
function fixture(operation: string, args: object, setup: object, expected: object = { result: 'success' }): object {
  const about = { fixture_id: 'trap', tier: 1, surface: 'history', description: 'a trap', type: 'reject' };
  return { ...about, setup: { state, config, ...setup }, input: { operation, args }, expected };
}

describe.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
] as const)('over %s', (_, ask) => {
  it('[GV9, GX3] trap 1: a result is not accepted once its turn is no longer active', async () => {
    const late = fixture('accept_turn', { turn_id: 'turn_0' }, { turn_result, history: past });
    expect(await ask(late)).toMatchObject({
      status: 'fail',
      actual: { error_type: 'turn_already_accepted', state_unchanged: true, history_length: 1 },
    });
    const never = fixture('accept_turn', { turn_id: 'turn_x' }, { turn_result, history: past });
    expect(await ask(never)).toMatchObject({
      status: 'fail',
      actual: { error_type: 'turn_not_active', state_unchanged: true, history_length: 1 },
    });
  });

  it('[GV7, GV11, GX3] trap 2: a request alone does not enter a phase', async () => {
    const asking = { ...turn_result, phase_transition_request: 'checking' };
    const advanced = { result: 'success', state: { phase: 'checking' } };
    const outcome = await ask(fixture('accept_turn', { turn_id: 'turn_a' }, { turn_result: asking }, advanced));
    expect(outcome).toMatchObject({
      status: 'fail',
      actual: { result: 'success', state: { phase: 'implementation', status: 'paused' } },
    });
    const gate = fixture('evaluate_phase_exit', { requested_phase: 'checking' }, {}, { action: 'advance' });
    expect(await ask(gate)).toMatchObject({ status: 'fail', actual: { action: 'awaiting_human_approval' } });
  });

  it('[GV8, GV9, GX3] trap 3: history and ledger are never rewritten', async () => {
    const entry = { ...decided[0], statement: 'Two lamps' };
    const outcome = await ask(fixture('append_decision', { entry }, { ledger: decided }));
    expect(outcome).toMatchObject({
      status: 'fail',
      actual: { error_type: 'duplicate_decision_id', ledger_length: 1, ledger_last_entry: decided[0] },
    });
    const again = { ...turn_result, decisions: [entry] };
    const accepted = await ask(
      fixture('accept_turn', { turn_id: 'turn_a' }, { turn_result: again, history: past, ledger: decided }),
    );
    expect(accepted).toMatchObject({
      status: 'fail',
      actual: {
        error_type: 'duplicate_decision_id',
        state_unchanged: true,
        history_last_entry: past[0],
        ledger_last_entry: decided[0],
      },
    });
  });

  it('[GV10, GX3] trap 4: needs_human is no error', async () => {
    const asking = { ...turn_result, status: 'needs_human', needs_human_reason: 'Which oil?' };
    const outcome = await ask(
      fixture('accept_turn', { turn_id: 'turn_a' }, { turn_result: asking }, { result: 'error' }),
    );
    expect(outcome).toMatchObject({
      status: 'fail',
      actual: { result: 'success', state: { status: 'blocked' }, history_last_entry: { status: 'needs_human' } },
    });
  });

  it('[GV15, GX3] trap 5: the end alone is not a valid event list', async () => {
    const at = '2030-01-01T00:00:00Z';
    const ended = { event_id: 'evt_1', event_type: 'run_completed', timestamp: at, run_id: 'run_a' };
    const outcome = await ask(fixture('validate_event_ordering', { events: [ended] }, {}));
    expect(outcome).toMatchObject({ status: 'fail', actual: { error_type: 'ordering_violation' } });
    const accepted = await ask(fixture('accept_turn', { turn_id: 'turn_a' }, { turn_result }));
    expect(accepted).toMatchObject({ status: 'pass', actual: { events: [{ event_type: 'turn_accepted' }] } });
  });

  it('[GV18, GX3] trap 6: a setup with unknown members does not pass', async () => {
    const outcome = await ask(fixture('accept_turn', { turn_id: 'turn_a' }, { turn_result, moon: 'full' }));
    expect(outcome).toMatchObject({ status: 'error', actual: null, message: expect.stringContaining('setup.moon') });
  });

  it('[GV18, GX3] trap 7: fail, error and not_implemented are distinct', async () => {
    const good = fixture('accept_turn', { turn_id: 'turn_a' }, { turn_result });
    const four = [
      good,
      { ...good, expected: { result: 'nothing' } },
      { ...good, setup: null },
      { ...good, input: { operation: 'fly', args: {} } },
    ];
    const statuses: Status[] = [];
    for (const one of four) statuses.push((await ask(one)).status);
    expect(statuses).toEqual(['pass', 'fail', 'error', 'not_implemented']);
  });
});
