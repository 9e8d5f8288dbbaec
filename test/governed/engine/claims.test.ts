// Untrusted input may be any JSON: it is judged stage by stage and never breaks the engine.

import fc from 'fast-check';
import {
  buildAcceptanceIndex,
  checkConfig,
  completeConfig,
  eventFaults,
  orderFaults,
  validateTurnResult,
} from 'parley-hub/governed/engine';
import { describe, expect, it } from 'vitest';
import { itDeep } from '../../support/size.ts';
import { CONFIG, Lighthouse, resultFor } from './lighthouse.ts';

const STAGES = ['schema', 'assignment', 'artifact', 'verification', 'protocol'] as const;

const DEFECTS: Readonly<Record<(typeof STAGES)[number], object>> = {
  schema: { summary: '' },
  assignment: { runtime_id: 'elsewhere' },
  artifact: { files_changed: ['.agentxchain/state.json'] },
  verification: { verification: { status: 'pass', machine_evidence: [{ command: 'make', exit_code: 2 }] } },
  protocol: { phase_transition_request: 'checking', run_completion_request: true },
};

function judged(over: object) {
  const run = Lighthouse.at('implementation');
  const turn = run.out('builder');
  return validateTurnResult({ state: run.state, config: run.config, result: resultFor(run.state, turn, over) });
}

describe('a turn result', () => {
  it('[GV4] with several defects is refused at the first defective stage', () => {
    fc.assert(
      fc.property(fc.subarray([...STAGES]), (chosen) => {
        const validation = judged(Object.assign({}, ...chosen.map((stage) => DEFECTS[stage])));
        const first = STAGES.find((stage) => chosen.includes(stage));
        const stages_passed = first === undefined ? STAGES : STAGES.slice(0, STAGES.indexOf(first));
        const refused = first === undefined ? { ok: true } : { ok: false, failed_stage: first };
        expect(validation).toMatchObject({ ...refused, stages_passed });
      }),
      { numRuns: 200 },
    );
  });

  it('[GV4] may be any JSON: a refusal lists its errors', () => {
    const run = Lighthouse.at('implementation');
    const turn = run.out('builder');
    const good = resultFor(run.state, turn);
    const optional = ['delegations', 'proposed_changes', 'cost', 'artifacts_created', '__proto__'];
    const field = fc.constantFrom(...Object.keys(good), ...optional);
    fc.assert(
      fc.property(fc.dictionary(field, fc.jsonValue(), { maxKeys: 4 }), (over) => {
        const validation = validateTurnResult({ state: run.state, config: run.config, result: { ...good, ...over } });
        if (!validation.ok) expect(validation.errors.length).toBeGreaterThan(0);
        else expect(validation.result.turn_id).toBe(turn);
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.jsonValue(), (result) => {
        expect(validateTurnResult({ state: run.state, config: run.config, result })).toMatchObject({ ok: false });
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['a status in other words', { status: 'done' }],
    ['a verdict from exit codes alone', { verification: { machine_evidence: [{ command: 'make', exit_code: 0 }] } }],
    ['a category nobody knows', { decisions: [{ id: 'DEC-1', category: 'misc', statement: 'a', rationale: 'b' }] }],
    ['a statement under another name', { decisions: [{ id: 'DEC-1', category: 'scope', title: 'a', rationale: 'b' }] }],
    ['an objection without an id', { objections: [{ severity: 'low', statement: 'a' }] }],
    ['files under another name', { files_changed: undefined, files_modified: ['src/a.ts'] }],
  ])('[GV5] is refused without guessing: %s', (_, over) => {
    expect(judged(over)).toMatchObject({ ok: false, failed_stage: 'schema', normalisations: [] });
  });

  it('[GV5] stays a failure, or a question, as submitted', () => {
    const failing = { status: 'pass', machine_evidence: [{ command: 'make', exit_code: 1 }] };
    expect(judged({ verification: failing })).toMatchObject({ ok: false, failed_stage: 'verification' });
    const asking = { status: 'needs_human', needs_human_reason: 'Need a human to approve the release' };
    const validation = judged(asking);
    expect(validation).toMatchObject({ ok: true, normalisations: [] });
    expect(validation.ok && validation.result.run_completion_request).toBeUndefined();
  });
});

describe('a config', () => {
  it('[GV16] may be any JSON: a fault names its field', () => {
    const value = fc.jsonValue();
    const groups = { roles: value, runtimes: value, routing: value, gates: value, rules: value, adapters: value };
    fc.assert(
      fc.property(fc.record(groups, { requiredKeys: [] }), (over) => {
        const checked = checkConfig({ ...CONFIG, ...over });
        if (!checked.ok)
          expect(checked.faults[0]).toMatchObject({ error_field: expect.any(String), message: expect.any(String) });
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['rules.max_turn_retries', { rules: { max_turn_retries: 0 } }],
    ['rules.challenge', { rules: { challenge: 'some' } }],
    ['rules.challenge_required', { rules: { challenge_required: 'yes' } }],
    ['timeouts.per_turn_minutes', { timeouts: { per_turn_minutes: -1 } }],
    ['budget.per_run_max_usd', { budget: { per_run_max_usd: '1' } }],
    ['gates.look.requires_files', { gates: { look: { requires_files: 'a.md' }, ship: {} } }],
    ['gates.look.credentialed', { gates: { look: { credentialed: 1 }, ship: {} } }],
    ['runtimes.bench.type', { runtimes: { bench: { type: 'steam' } } }],
    ['roles.Lead', { roles: { ...CONFIG.roles, Lead: {} } }],
    ['roles.lead.decision_authority', { roles: { ...CONFIG.roles, lead: { decision_authority: 100 } } }],
  ])('[GV16] is refused with a wrong %s', (error_field, over) => {
    expect(checkConfig({ ...CONFIG, ...over })).toMatchObject({
      ok: false,
      faults: [{ error_type: 'invalid_config', error_field }],
    });
  });

  it('[GV16] may declare custom adapters and give a role its adapter', () => {
    const own = { ...CONFIG, adapters: { steam: { module: './steam.js' } }, runtimes: { bench: { type: 'steam' } } };
    expect(checkConfig(own)).toMatchObject({ ok: true });
    const roles = {
      lead: { adapter: 'local_cli', adapter_config: { command: 'make' } },
      other: { adapter: 'manual', runtime: 'bench' },
    };
    const runtimes = { 'local_cli-lead': { type: 'mcp' } };
    const { config, normalisations } = completeConfig({ ...CONFIG, roles, runtimes });
    expect(config).toMatchObject({
      roles: { lead: { runtime: 'local_cli-lead-2' }, other: { runtime: 'bench' } },
      runtimes: { 'local_cli-lead': { type: 'mcp' }, 'local_cli-lead-2': { type: 'local_cli', command: 'make' } },
    });
    expect(normalisations).toMatchObject([{ rule: 'adapter_to_runtime', after: 'local_cli-lead-2' }]);
  });
});

itDeep(
  '[GV9, GV15] events, history and ledger may be any JSON',
  () => {
    const { state } = Lighthouse.at('implementation');
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.array(fc.dictionary(fc.constantFrom('id', 'turn_id', 'run_id', 'files_changed'), fc.jsonValue())),
        (events, entries) => {
          for (const event of events) expect(eventFaults(event).length).toBeGreaterThan(0);
          if (events.length > 0) expect(orderFaults(events).length).toBeGreaterThan(0);
          buildAcceptanceIndex(state, entries, entries);
        },
      ),
      { numRuns: 1000 },
    );
  },
  120_000,
);
