import { governed } from 'parley-hub/adapters/governed';
import { completeAdapter, type Envelope, type JsonObject } from 'parley-hub/core';
import { readRun } from 'parley-hub/governed/session';
import { createdMetadata, describeAdapter, idOf } from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import { readGolden } from '../read-golden.ts';
import { refusal } from '../refusal.ts';
import { governedDrafts } from './governed-drafts.ts';
import {
  APPROVE_PLAN,
  APPROVE_SHIP,
  acceptance,
  aRun,
  begun,
  CONFIG,
  claim,
  decision,
  file,
  handedIn,
  inQa,
  knobs,
  out,
  PLAN,
  type Run,
  resultOf,
  STAGES,
  said,
  taken,
} from './governed-scene.ts';

const wrong = (change: JsonObject): JsonObject => ({ ...knobs(), ...change });

describeAdapter(governed, {
  participants: 4,
  knobs: knobs(),
  drafts: governedDrafts,
  folds: ['run.initialized'],
  goodCreates: [
    { participants: 1, knobs: { config: CONFIG } },
    { participants: 2, knobs: { config: CONFIG, runner: idOf('bob'), roles: { pm: idOf('bob'), dev: idOf('bob') } } },
  ],
  badCreates: [
    { knobs: {} },
    { knobs: wrong({ config: { ...CONFIG, schema_version: '2' } }) },
    { knobs: wrong({ config: { ...CONFIG, gates: {} } }) },
    { knobs: wrong({ runner: 'id-mallory' }) },
    { knobs: wrong({ runner: 7 }) },
    { knobs: wrong({ roles: { boss: idOf('bob') } }) },
    { knobs: wrong({ roles: { dev: idOf('mallory') } }) },
    { knobs: wrong({ roles: [] }) },
  ],
  golden: readGolden('governed-1'),
});

const config = (more: object): JsonObject => ({ ...CONFIG, ...more }) as JsonObject;
const codeOf = (call: () => unknown): unknown => refusal(call).details?.error_code;
const read = (run: Run) => readRun(run.metadata, run.log);
const acceptNow = (run: Run, turnId: string, raw: JsonObject, more: object = {}) =>
  run.say('alice', acceptance(run.metadata, run.state, turnId, raw, { more }));

/** A run with a submitted turn of dev. */
function handed(run: Run = begun()): { run: Run; raw: JsonObject } {
  out(run, 'turn_d', 'dev');
  const said = claim(run, 'turn_d');
  run.say('bob', said);
  return { run, raw: said.event_data.result as JsonObject };
}

it('[GS1] lasts 90 days, shows 40 named lines, and warns when a result takes two hours', () => {
  const { manifest } = governed;
  expect(manifest.ttl_seconds).toBe(90 * 86_400);
  expect(manifest.default_view).toEqual({ name: 'windowed_summary', params: { recent_n: 40, named: true } });
  expect(manifest.expectations).toEqual([{ name: 'turn_within', on_violation: 'warn', params: { seconds: 7200 } }]);
  expect(manifest.participants.min).toBe(1);
});

it('[GS1] resolves names in the knobs, and makes the creator the default runner', () => {
  const { resolveKnobs } = completeAdapter(governed);
  const given = { knobs: { config: CONFIG, roles: { dev: 'bob', qa: idOf('carol') } } };
  expect(resolveKnobs(createdMetadata(governed, given))).toEqual({
    config: CONFIG,
    runner: idOf('alice'),
    roles: { dev: idOf('bob'), qa: idOf('carol') },
  });
});

it('[GS4] derives history, ledger, events, gate and phase from one acceptance', () => {
  const run = begun();
  out(run, 'turn_p', 'pm');
  const before = read(run);
  const asks = { phase_transition_request: 'building', decisions: [decision('DEC-001'), decision('DEC-002')] };
  handedIn(run, 'turn_p', asks, { files: [PLAN] });
  const { state, history, ledger, events } = read(run);
  expect(run.log.length - 1).toBe(run.log.findIndex(({ event_type }) => event_type === 'turn.accepted'));
  expect(history).toMatchObject([{ turn_id: 'turn_p', role: 'pm', accepted_sequence: 1 }]);
  expect(ledger.map(({ id }) => id)).toEqual(['DEC-001', 'DEC-002']);
  expect(events.slice(before.events.length).map(({ event_type }) => event_type)).toEqual([
    'turn_accepted',
    'gate_pending',
  ]);
  expect(state.run).toMatchObject({ status: 'paused', pending_phase_transition: { gate: 'plan_ok', to: 'building' } });
  expect(state).toEqual(run.state);
});

it('[GS4] fails a gate whose files are missing, without moving the run', () => {
  const run = begun();
  taken(run, 'turn_p', 'pm', { phase_transition_request: 'building' });
  expect(run.state.run).toMatchObject({
    status: 'active',
    phase: 'planning',
    last_gate_failure: { gate: 'plan_ok', reasons: [{ code: 'files_missing' }] },
  });
});

it('[GS5] accepts a turn once and assigns its id once', () => {
  const run = begun();
  taken(run, 'turn_d', 'dev');
  const again = said('turn.assigned', { turn_id: 'turn_d', role: 'dev' });
  expect(codeOf(() => run.say('alice', again))).toBe('turn_id_taken');
  expect(codeOf(() => acceptNow(run, 'turn_d', {}))).toBe('turn_already_accepted');
});

it('[GS5] keeps decisions unique, including imported ones', () => {
  const run = aRun();
  const ledger = [{ id: 'DEC-003', run_id: 'run_1' }];
  run.say(
    'alice',
    said('governed.imported', { state: { status: 'active', run_id: 'run_1', phase: 'planning' }, ledger }),
  );
  taken(run, 'turn_1', 'dev', { decisions: [decision('DEC-001')] });
  for (const id of ['DEC-001', 'DEC-003']) {
    const turn = `turn_${id}`;
    out(run, turn, 'pm');
    expect(codeOf(() => handedIn(run, turn, { decisions: [decision(id)] }))).toBe('duplicate_decision_id');
    run.say('alice', said('run.blocked', { blocked_on: 'x', category: 'x' }));
    run.say('alice', said('run.resolved'));
    handedIn(run, turn, { decisions: [{ ...decision('x') }] });
  }
  expect(read(run).ledger.map(({ id }) => id)).toEqual(['DEC-003', 'DEC-001', 'DEC-002', 'DEC-004']);
});

describe('[GS6] the submitted result', () => {
  it('does not change the run, and is submitted once per attempt', () => {
    const run = begun();
    out(run, 'turn_d', 'dev');
    const before = run.state.run;
    run.say('bob', claim(run, 'turn_d'));
    expect(run.state.run).toBe(before);
    expect(codeOf(() => run.say('bob', claim(run, 'turn_d')))).toBe('already_claimed');
    run.say('alice', said('turn.rejected', { turn_id: 'turn_d', reason: 'no tests' }));
    const old = said('turn.result', { turn_id: 'turn_d', attempt: 1, result: {} });
    expect(codeOf(() => run.say('bob', old))).toBe('wrong_attempt');
    run.say('bob', claim(run, 'turn_d'));
    expect(run.state.claims.turn_d).toMatchObject({ attempt: 2 });
  });

  it('must equal the accepted result', () => {
    const { run, raw } = handed();
    const other = { ...raw, summary: 'as I see it' };
    expect(codeOf(() => acceptNow(run, 'turn_d', other))).toBe('claim_mismatch');
    expect(acceptNow(run, 'turn_d', raw)).toEqual({});
    expect(run.state.claims).toEqual({});
  });

  it('is required from a present participant, hidden or not', () => {
    const run = begun();
    out(run, 'turn_d', 'dev');
    const raw = resultOf(run.state.run.active_turns.turn_d as never);
    expect(codeOf(() => acceptNow(run, 'turn_d', raw))).toBe('no_claim');
    run.hub('session.participant.hidden', { agent_id: idOf('bob') });
    expect(codeOf(() => acceptNow(run, 'turn_d', raw))).toBe('no_claim');
    run.hub('session.participant.removed', { agent_id: idOf('bob'), reason: 'gone' });
    expect(acceptNow(run, 'turn_d', raw)).toEqual({});
  });

  it('may be invalid until it is accepted', () => {
    const run = begun();
    out(run, 'turn_d', 'dev');
    run.say('bob', said('turn.result', { turn_id: 'turn_d', attempt: 1, result: 'done!' }));
    const { details } = refusal(() =>
      run.say('alice', said('turn.accepted', { ...acceptanceOf(run), raw: 'done!', result: {} })),
    );
    expect(details).toMatchObject({ error_code: 'validation_failed', failed_stage: 'schema' });
  });
});

function acceptanceOf(run: Run): JsonObject {
  return acceptance(run.metadata, run.state, 'turn_d', {}).event_data;
}

describe('[GS7] evidence', () => {
  const bad: readonly (readonly [string, object, string])[] = [
    ['a digest of something else', { ...file('a.md', 'x'), sha256: 'a'.repeat(64) }, 'evidence.files.0.sha256'],
    ['a digest that is none', { ...file('a.md', 'x'), sha256: 'abc' }, 'evidence.files.0.sha256'],
    ['another size', { ...file('a.md', 'x'), size: 2 }, 'evidence.files.0.size'],
    ['a path with a detour', file('a/../b.md', 'x'), 'evidence.files.0.path'],
    ['a path out of the project', file('../b.md', 'x'), 'evidence.files.0.path'],
    ['a path from the root', file('/etc/passwd', 'x'), 'evidence.files.0.path'],
    ['a text that is too long', file('a.md', 'x'.repeat(16 * 1024 + 1)), 'evidence.files.0.text'],
  ];

  it.each(bad)('with %s is rejected', (_what, given, field) => {
    const { run, raw } = handed();
    const evidence = { files: [given] };
    expect(refusal(() => acceptNow(run, 'turn_d', raw, { evidence })).details?.field).toBe(field);
  });

  it('contains each file once', () => {
    const { run, raw } = handed();
    const evidence = { files: [PLAN, PLAN] };
    expect(refusal(() => acceptNow(run, 'turn_d', raw, { evidence })).details?.field).toBe('evidence.files');
  });

  it('of a large file contains its digest and an excerpt', () => {
    const run = begun();
    const large = { ...file('.planning/PLAN.md', 'the beginning'), size: 1e6, sha256: 'b'.repeat(64), excerpt: true };
    taken(run, 'turn_p', 'pm', { phase_transition_request: 'building' }, { files: [large] });
    expect(run.state.run.status).toBe('paused');
  });

  it('older than the last change of the run is rejected; texts are no change', () => {
    const { run, raw } = handed();
    const seen_seq = run.metadata.head_seq;
    run.say('dave', 'how does it go?');
    run.say('alice', said('turn.progress', { turn_id: 'turn_d', step: 'running' }));
    expect(codeOf(() => acceptNow(run, 'turn_d', raw, { seen_seq }))).toBe('stale_evidence');
    const now = run.metadata.head_seq;
    run.say('dave', 'and now?');
    expect(acceptNow(run, 'turn_d', raw, { seen_seq: now })).toEqual({});
  });

  it('must match the result that the engine computes', () => {
    const { run, raw } = handed();
    const { result, normalisations } = acceptance(run.metadata, run.state, 'turn_d', raw).event_data;
    const liar = { result: { ...(result as JsonObject), status: 'failed' } };
    expect(codeOf(() => acceptNow(run, 'turn_d', raw, liar))).toBe('normalisation_mismatch');
    const told = { normalisations: [...(normalisations as object[]), { rule: 'x' }] };
    expect(codeOf(() => acceptNow(run, 'turn_d', raw, told))).toBe('normalisation_mismatch');
  });

  it('of undeclared changes rejects the turn', () => {
    const { run, raw } = handed();
    const evidence = { git: { changed: ['src/turn_d.ts', 'src/secret.ts'] } };
    expect(codeOf(() => acceptNow(run, 'turn_d', raw, { evidence }))).toBe('undeclared_change');
    const seen = { git: { changed: ['src/turn_d.ts'] } };
    expect(acceptNow(run, 'turn_d', raw, { evidence: seen })).toEqual({});
  });

  it.each([
    ['blocked', 'hook_blocked'],
    ['blocked_timeout', 'hook_blocked'],
    ['aborted_tamper', 'hook_tamper'],
  ])('of a hook that ended as %s blocks its operation', (orchestrator_action, code) => {
    const { run, raw } = handed();
    const hooks = [{ hook_name: 'lint', hook_phase: 'before_acceptance', orchestrator_action }];
    expect(codeOf(() => acceptNow(run, 'turn_d', raw, { evidence: { hooks } }))).toBe(code);
    const next = said('turn.assigned', { turn_id: 'turn_n', role: 'pm', hooks });
    expect(codeOf(() => run.say('alice', next))).toBe(code);
    const warned = { hooks: [{ orchestrator_action: 'warned' }] };
    expect(acceptNow(run, 'turn_d', raw, { evidence: warned })).toEqual({});
  });
});

describe('[GS8] a gate', () => {
  it('that is credentialed cannot be approved by a policy', () => {
    const plan = STAGES.paused();
    plan.say('alice', said('gate.approved', { gate_type: 'phase_transition', gate: 'plan_ok', via: 'policy' }));
    expect(plan.state.run.phase).toBe('building');
    const ship = STAGES.shipping();
    const byPolicy = said('gate.approved', { gate_type: 'run_completion', gate: 'ship_ok', via: 'policy' });
    expect(codeOf(() => ship.say('alice', byPolicy))).toBe('credentialed_gate');
    expect(ship.say('dave', APPROVE_SHIP)).toMatchObject({ next_state: 'CLOSING' });
  });

  it('that was refused stays pending with the reason, until a later approval', () => {
    const run = STAGES.paused();
    const given = { gate_type: 'phase_transition', gate: 'plan_ok', reason: 'too vague' };
    run.say('dave', said('gate.refused', given));
    expect(run.state.run.status).toBe('paused');
    expect(run.state.refusal).toMatchObject({ ...given, by: idOf('dave') });
    run.say('dave', APPROVE_PLAN);
    expect(run.state).toMatchObject({ refusal: null, run: { status: 'active', phase: 'building' } });
  });

  it('with before_gate hooks requires their success', () => {
    const run = begun(config({ hooks: { before_gate: [hook('audit', 'blocking')] } }));
    taken(run, 'turn_p', 'pm', { phase_transition_request: 'building' }, { files: [PLAN] });
    const ran = (orchestrator_action: string) =>
      said('hook.results', { phase: 'before_gate', entries: [{ orchestrator_action }] });
    expect(codeOf(() => run.say('dave', APPROVE_PLAN))).toBe('gate_hooks_missing');
    run.say('alice', ran('blocked'));
    expect(codeOf(() => run.say('dave', APPROVE_PLAN))).toBe('gate_hooks_missing');
    run.say('alice', ran('continued'));
    run.say('dave', APPROVE_PLAN);
    expect(run.state).toMatchObject({ gate_hooks_passed: false, run: { phase: 'building' } });
  });
});

describe('[GS9] an imported run', () => {
  const past = { status: 'active', run_id: 'run_1', phase: 'building', accepted_sequence: 2 };
  const take = (data: object) => said('governed.imported', data);

  it('continues with the ids of its history and ledger', () => {
    const run = aRun();
    const turn = { role: 'dev', status: 'dispatched' };
    run.say(
      'alice',
      take({
        state: { ...past, active_turns: { turn_3: turn } },
        history: [{ turn_id: 'turn_1', files_changed: ['src/a.ts'], status: 'completed', phase: 'building' }],
        ledger: [{ id: 'DEC-001', role: 'pm' }],
      }),
    );
    expect(run.state.books).toMatchObject({ turns: ['turn_1'], worked_phases: ['building'] });
    expect(run.state.run.active_turns.turn_3).toMatchObject({ turn_id: 'turn_3', assigned_role: 'dev', attempt: 1 });
    handedIn(run, 'turn_3');
    expect(read(run).history.map(({ turn_id }) => turn_id)).toEqual(['turn_1', 'turn_3']);
  });

  it('may come in parts, without duplicates', () => {
    const run = aRun();
    run.say('alice', take({ state: past, history: [{ turn_id: 'turn_1' }, { turn_id: 'turn_1' }], more: true }));
    run.say('alice', take({ history: [{ turn_id: 'turn_1' }, { turn_id: 'turn_2' }], ledger: [{ id: 'DEC-001' }] }));
    run.say('alice', take({ ledger: [{ id: 'DEC-001' }, { decision: 'a system entry' }] }));
    const { history, ledger } = read(run);
    expect(history).toEqual([{ turn_id: 'turn_1' }, { turn_id: 'turn_2' }]);
    expect(ledger).toEqual([{ id: 'DEC-001' }, { decision: 'a system entry' }]);
    expect(run.state.books).toMatchObject({ turns: ['turn_1', 'turn_2'], decisions: [{ id: 'DEC-001' }] });
    expect(run.state.books.decisions).toHaveLength(1);
    expect(codeOf(() => run.say('alice', take({ state: past })))).toBe('state_given');
  });

  it.each([
    [undefined, 'state'],
    [{ ...past, status: 'failed' }, 'state.status'],
    [{ ...past, run_id: null }, 'state'],
    [{ ...past, status: 'paused' }, 'state'],
    [{ ...past, status: 'blocked' }, 'state'],
    [{ ...past, active_turns: { t: {} } }, 'state.active_turns.t.assigned_role'],
    [{ ...past, accepted_sequence: -1 }, 'state.accepted_sequence'],
    [{ ...past, delegation_queue: [{}] }, 'state.delegation_queue.0.delegation_id'],
    [{ ...past, created_at: 'yesterday' }, 'state.created_at'],
    [{ status: 'idle', active_turns: { t: { role: 'dev' } } }, 'state'],
  ])('is rejected with the state %j', (state, field) => {
    const run = aRun();
    expect(refusal(() => run.say('alice', take({ state }))).details?.field).toBe(field);
  });

  it('that is completed ends its session after its last part', () => {
    const run = aRun();
    const state = { ...past, status: 'completed' };
    expect(run.say('alice', take({ state, more: true }))).toEqual({});
    expect(run.say('alice', take({ history: [] }))).toMatchObject({ close_reason: 'run_completed' });
  });
});

describe('[GS10] a follow-up', () => {
  const hooks = { after_acceptance: [hook('tell', 'advisory')], on_escalation: [hook('page', 'advisory')] };

  it('stays in the state until its results arrive, once', () => {
    const run = begun(config({ hooks }));
    taken(run, 'turn_d', 'dev');
    const [open] = run.state.follow_ups;
    expect(open).toMatchObject({ phase: 'after_acceptance', turn_id: 'turn_d', seq: run.metadata.head_seq });
    const done = said('hook.results', { phase: 'after_acceptance', follow_up: open?.id, entries: [] });
    const astray = said('hook.results', { phase: 'on_escalation', follow_up: open?.id, entries: [] });
    expect(codeOf(() => run.say('alice', astray))).toBe('no_such_follow_up');
    run.say('alice', done);
    expect(run.state.follow_ups).toEqual([]);
    expect(codeOf(() => run.say('alice', done))).toBe('no_such_follow_up');
  });

  it('of a blocked run is an escalation', () => {
    const run = begun(config({ hooks }));
    run.say('alice', said('run.escalated', { reason: 'stuck' }));
    expect(run.state.follow_ups).toMatchObject([{ phase: 'on_escalation' }]);
  });

  it('is a notification if the project has webhooks', () => {
    const run = begun(config({ notifications: { webhooks: ['x'] } }));
    expect(run.state.follow_ups).toMatchObject([{ phase: 'notification' }]);
  });

  it('delays the end of the session', () => {
    const run = inQa(config({ hooks }));
    const finish = () => {
      const [open] = run.state.follow_ups;
      return run.say('alice', said('hook.results', { phase: open?.phase, follow_up: open?.id, entries: [] }));
    };
    expect(finish()).toEqual({});
    expect(finish()).toEqual({});
    taken(run, 'turn_q', 'qa', { run_completion_request: true });
    expect(run.say('dave', APPROVE_SHIP)).toEqual({});
    expect(run.state.run.status).toBe('completed');
    expect(finish()).toEqual({ next_state: 'CLOSING', close_reason: 'run_completed' });
  });
});

describe('[GS11] the lease', () => {
  const lease = (owner: string, takes_over?: number) => said('lease.taken', { owner, seconds: 30, takes_over });

  it('rejects other processes of the runner by its fence', () => {
    const run = begun();
    run.say('alice', lease('a'));
    expect(run.state.lease).toMatchObject({ owner: 'a', fence: 1 });
    const assign = (fence?: number) => said('turn.assigned', { turn_id: 'turn_1', role: 'pm', fence });
    for (const fence of [undefined, 0, 2]) expect(codeOf(() => run.say('alice', assign(fence)))).toBe('fenced_out');
    run.say('alice', assign(1));
  });

  it('can be taken over by its fence, which excludes the old holder; the same owner keeps its fence', () => {
    const run = begun();
    run.say('alice', lease('a'));
    run.say('alice', lease('a', 1));
    expect(run.state.lease?.fence).toBe(1);
    expect(codeOf(() => run.say('alice', lease('b')))).toBe('lease_held');
    run.say('alice', lease('b', 1));
    expect(codeOf(() => run.say('alice', lease('c', 1)))).toBe('lease_held');
    expect(codeOf(() => run.say('alice', said('run.escalated', { reason: 'x', fence: 1 })))).toBe('fenced_out');
    expect(codeOf(() => run.say('alice', said('lease.released', { fence: 1 })))).toBe('fenced_out');
    run.say('alice', said('lease.released', { fence: 2 }));
    expect(codeOf(() => run.say('alice', said('run.escalated', { reason: 'x', fence: 2 })))).toBe('fenced_out');
    run.say('alice', lease('c'));
    expect(run.state.lease?.fence).toBe(3);
  });

  it('applies to the runner only, not to results and approvals', () => {
    const run = STAGES.paused();
    run.say('alice', lease('a'));
    run.say('dave', APPROVE_PLAN);
    expect(run.state.run.phase).toBe('building');
  });
});

it('[GS12] ends the session only when the run is completed', () => {
  const { onAccepted } = governed;
  for (const [stage, make] of Object.entries(STAGES)) {
    const run = make();
    const last = run.log.at(-1) as Envelope;
    const ends = stage === 'completed' ? { next_state: 'CLOSING', close_reason: 'run_completed' } : {};
    expect(onAccepted(run.metadata, last, run.state), stage).toEqual(ends);
  }
});

describe('[GS13] the holder of the turn', () => {
  const turnOf = ({ turn }: Run) => [turn?.agent_id.replace('id-', ''), turn?.since_seq];

  it('is the assignee after the dispatch, then the runner after the submission', () => {
    const run = begun();
    expect(run.turn).toBeNull();
    run.say('alice', said('turn.assigned', { turn_id: 'turn_d', role: 'dev' }));
    expect(run.turn).toBeNull();
    run.say('alice', said('turn.dispatched', { turn_id: 'turn_d' }));
    expect(turnOf(run)).toEqual(['bob', run.metadata.head_seq]);
    run.say('bob', claim(run, 'turn_d'));
    expect(turnOf(run)).toEqual(['alice', run.metadata.head_seq]);
    run.say('alice', said('turn.rejected', { turn_id: 'turn_d', reason: 'x' }));
    expect(run.turn).toBeNull();
  });

  it('is the assignee of the oldest unsubmitted turn', () => {
    const run = begun();
    out(run, 'turn_d', 'dev');
    out(run, 'turn_q', 'qa');
    expect(turnOf(run)[0]).toBe('bob');
    run.say('bob', claim(run, 'turn_d'));
    expect(turnOf(run)).toEqual(['carol', run.metadata.head_seq]);
    run.say('carol', claim(run, 'turn_q'));
    expect(turnOf(run)).toEqual(['alice', run.metadata.head_seq]);
  });

  it('is nobody while the assignee is hidden or the run is blocked', () => {
    const run = STAGES.out();
    run.hub('session.participant.hidden', { agent_id: idOf('bob') });
    expect(run.turn).toBeNull();
    run.hub('session.participant.returned', { agent_id: idOf('bob') });
    expect(turnOf(run)[0]).toBe('bob');
    run.say('alice', said('run.blocked', { blocked_on: 'x', category: 'x' }));
    expect(run.turn).toBeNull();
  });
});

describe('[GS14] to a participant', () => {
  const adapter = completeAdapter(governed);
  const lastOf = (run: Run) => run.log.at(-1) as Envelope;

  it('shows the dispatched prompt and context as turn input', () => {
    expect(adapter.turnInput(lastOf(STAGES.out()))).toBe('do turn_d\n\n---\n\nso far so good');
  });

  it('takes the JSON in an answer as the result, else its text', () => {
    const run = STAGES.out();
    const answer = (text: string) => adapter.buildRound(run.metadata, run.state, { text })[0]?.event_data.result;
    expect(answer('{"a":1}')).toEqual({ a: 1 });
    expect(answer('Here it is:\n```json\n{"a":{"b":2}}\n```\nBye.')).toEqual({ a: { b: 2 } });
    expect(answer('so {"a":1} it is')).toEqual({ a: 1 });
    expect(answer('I could not do it')).toBe('I could not do it');
    const [other] = adapter.buildRound(run.metadata, STAGES.active().state, { text: 'hello' });
    expect(other).toEqual({ event_type: 'msg.text', event_data: { text: 'hello' } });
  });

  it('renders every envelope of a run as a line', () => {
    const lines = STAGES.completed().log.map((envelope) => adapter.render(envelope));
    expect(lines.filter((line) => !line.startsWith('session.'))).toEqual([
      'run run_1 begins',
      'turn turn_p goes to pm',
      'turn turn_p dispatched',
      'turn turn_p accepted (completed): pm has done turn_p',
      'gate plan_ok approved',
      'turn turn_b goes to dev',
      'turn turn_b dispatched',
      'turn turn_b submitted: dev has done turn_b',
      'turn turn_b accepted (completed): dev has done turn_b',
      'turn turn_q goes to qa',
      'turn turn_q dispatched',
      'turn turn_q submitted: qa has done turn_q',
      'turn turn_q accepted (completed): qa has done turn_q\n  OBJ-001 could be better',
      'gate ship_ok approved',
    ]);
  });

  it('shows the status of the run and its active turns', () => {
    const run = STAGES.claimed();
    expect(adapter.publicState(run.metadata, run.state, idOf('bob'))).toMatchObject({
      run_id: 'run_1',
      status: 'active',
      phase: 'planning',
      turns: [{ turn_id: 'turn_d', role: 'dev', holder: idOf('bob'), status: 'dispatched', is_handed_in: true }],
      accepted_turns: 0,
    });
  });

  it('[GS14] shows the phases in order and every gate with its status', () => {
    const shown = (stage: keyof typeof STAGES) => {
      const run = STAGES[stage]();
      return adapter.publicState(run.metadata, run.state, idOf('bob')) as unknown as {
        readonly phases: readonly { readonly phase: string }[];
        readonly gates: readonly {
          readonly gate: string;
          readonly status: string | null;
          readonly waits_for_approval: boolean;
        }[];
      };
    };
    const config = STAGES.claimed().metadata.knobs.config as { routing: object; gates: object };
    const { phases, gates } = shown('claimed');
    expect(phases.map(({ phase }) => phase)).toEqual(Object.keys(config.routing));
    expect(new Set(gates.map(({ gate }) => gate))).toEqual(new Set(Object.keys(config.gates)));
    expect(gates.map(({ waits_for_approval }) => waits_for_approval)).toEqual([false, false]);
    expect(shown('paused').gates).toMatchObject([
      { gate: 'plan_ok', status: 'pending', requires_human_approval: true, waits_for_approval: true },
      { gate: 'ship_ok', waits_for_approval: false },
    ]);
    expect(shown('shipping').gates).toMatchObject([
      { gate: 'plan_ok', status: 'passed', waits_for_approval: false },
      { gate: 'ship_ok', status: 'pending', waits_for_approval: true },
    ]);
  });
});

function hook(name: string, mode: 'blocking' | 'advisory') {
  return { name, type: 'process', command: ['true'], timeout_ms: 1000, mode };
}
