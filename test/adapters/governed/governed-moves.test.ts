// Every envelope type in every stage of a run, from valid and other senders. Rejected envelopes change nothing.

import { governed } from 'parley-hub/adapters/governed';
import type { RoundDraft } from 'parley-hub/core';
import { GOVERNED_TYPES } from 'parley-hub/governed/session';
import { describe, expect, it } from 'vitest';
import { refusal } from '../refusal.ts';
import {
  APPROVE_PLAN,
  APPROVE_SHIP,
  acceptance,
  claim,
  type Run,
  resultOf,
  STAGES,
  type Stage,
  said,
} from './governed-scene.ts';

interface Row {
  readonly by: string;
  readonly draft: (run: Run) => RoundDraft;
  /** The stages that accept it, and the error code elsewhere. */
  readonly taken: readonly Stage[];
  /** Logged without changing the state. */
  readonly isAudit?: true;
  readonly else: string | Partial<Record<Stage, string>>;
}

const accept = (run: Run): RoundDraft => {
  const turn = run.state.run.active_turns.turn_d;
  const raw = turn === undefined ? {} : resultOf(turn);
  return acceptance(run.metadata, run.state, 'turn_d', raw);
};
const WITH_TURN: readonly Stage[] = ['out', 'claimed'];
const notOut = { blocked: 'turn_not_active', paused: 'turn_not_active' };

const ROWS: Readonly<Record<string, Row>> = {
  'governed.imported': {
    by: 'alice',
    draft: () => said('governed.imported', { state: { status: 'active', run_id: 'run_9' } }),
    taken: ['idle'],
    else: 'run_has_begun',
  },
  'run.initialized': {
    by: 'alice',
    draft: () => said('run.initialized', { run_id: 'run_2' }),
    taken: ['idle'],
    else: 'wrong_status',
  },
  'run.blocked': {
    by: 'alice',
    draft: () => said('run.blocked', { blocked_on: 'x', category: 'y' }),
    taken: ['active', 'out', 'claimed'],
    else: 'wrong_status',
  },
  'run.escalated': {
    by: 'alice',
    draft: () => said('run.escalated', { reason: 'no way on' }),
    taken: ['active', 'out', 'claimed'],
    else: 'wrong_status',
  },
  'run.resolved': { by: 'alice', draft: () => said('run.resolved'), taken: ['blocked'], else: 'not_blocked' },
  'run.answered': {
    by: 'dave',
    draft: () => said('run.answered', { note: 'the key is in the safe' }),
    taken: ['blocked'],
    else: 'not_blocked',
  },
  'turn.assigned': {
    by: 'alice',
    draft: () => said('turn.assigned', { turn_id: 'turn_new', role: 'pm' }),
    taken: ['active', 'out', 'claimed'],
    else: 'wrong_status',
  },
  'turn.dispatched': {
    by: 'alice',
    draft: () => said('turn.dispatched', { turn_id: 'turn_d' }),
    taken: [],
    else: { out: 'wrong_turn_status', claimed: 'wrong_turn_status' },
  },
  'turn.progress': {
    by: 'alice',
    draft: () => said('turn.progress', { turn_id: 'turn_d', step: 'running' }),
    taken: WITH_TURN,
    else: notOut,
  },
  'turn.result': {
    by: 'bob',
    draft: (run) => claim(run, 'turn_d'),
    taken: ['out'],
    else: { claimed: 'already_claimed' },
  },
  'turn.accepted': { by: 'alice', draft: accept, taken: ['claimed'], else: { out: 'no_claim' } },
  'turn.rejected': {
    by: 'alice',
    draft: () => said('turn.rejected', { turn_id: 'turn_d', reason: 'not good' }),
    taken: WITH_TURN,
    else: {},
  },
  'turn.reissued': {
    by: 'alice',
    draft: () => said('turn.reissued', { turn_id: 'turn_d', reason: 'lost' }),
    taken: WITH_TURN,
    else: {},
  },
  'turn.rebased': {
    by: 'alice',
    draft: () => said('turn.rebased', { turn_id: 'turn_d', baseline: { kind: 'git' } }),
    taken: WITH_TURN,
    else: {},
  },
  'gate.approved': {
    by: 'dave',
    draft: () => APPROVE_PLAN,
    taken: ['paused'],
    else: { shipping: 'no_pending_phase_transition' },
  },
  'gate.refused': {
    by: 'dave',
    draft: () => said('gate.refused', { gate_type: 'phase_transition', gate: 'plan_ok', reason: 'not yet' }),
    taken: ['paused'],
    else: 'no_pending_phase_transition',
  },
  'hook.results': {
    by: 'alice',
    draft: () => said('hook.results', { phase: 'before_assignment', entries: [{ hook_name: 'x' }] }),
    isAudit: true,
    taken: Object.keys(STAGES) as Stage[],
    else: {},
  },
  'lease.taken': {
    by: 'alice',
    draft: () => said('lease.taken', { owner: 'process 1', seconds: 30 }),
    taken: Object.keys(STAGES) as Stage[],
    else: {},
  },
  'lease.released': { by: 'alice', draft: () => said('lease.released'), taken: [], else: 'no_lease' },
};

/** Default codes: for turns that are not dispatched and gates that are not pending. */
const USUAL: Readonly<Record<string, string>> = {
  'turn.dispatched': 'turn_not_active',
  'turn.progress': 'turn_not_active',
  'turn.result': 'turn_not_active',
  'turn.accepted': 'turn_not_active',
  'turn.rejected': 'turn_not_active',
  'turn.reissued': 'turn_not_active',
  'turn.rebased': 'turn_not_active',
  'gate.approved': 'wrong_status',
};

const stages = Object.keys(STAGES) as Stage[];
const cells = Object.entries(ROWS).flatMap(([type, row]) => stages.map((stage) => ({ type, stage, row })));

function codeOf({ type, stage, row }: (typeof cells)[number]): string | null {
  if (row.taken.includes(stage)) return null;
  const own = typeof row.else === 'string' ? row.else : row.else[stage];
  return own ?? USUAL[type] ?? 'no code is expected';
}

it('[GS3] has every type in the table', () => {
  expect(Object.keys(ROWS).sort()).toEqual([...GOVERNED_TYPES].sort());
});

it.each(cells)('[GS3] handles $type in a run that is $stage', (cell) => {
  const { stage, row } = cell;
  const run = STAGES[stage]();
  const before = run.state;
  const draft = row.draft(run);
  const code = codeOf(cell);
  if (code === null) {
    run.say(row.by, draft);
    if (row.isAudit) expect(run.state).toEqual(before);
    else expect(run.state).not.toEqual(before);
    return;
  }
  expect(refusal(() => run.say(row.by, draft)).details).toMatchObject({ error_code: code });
  expect(run.state).toBe(before);
});

const ANYONE = ['gate.approved', 'gate.refused', 'run.answered'];
const exclusive = Object.entries(ROWS).filter(([type]) => !ANYONE.includes(type));

it.each(exclusive)('[GS2] rejects %s from other senders', (type, row) => {
  const run = STAGES[row.taken[0] ?? 'out']();
  const draft = row.draft(run);
  for (const name of ['alice', 'bob', 'carol', 'dave'].filter((one) => one !== row.by)) {
    const { code, details, message } = refusal(() => run.say(name, draft));
    expect(code, type).toBe('not_your_turn');
    expect(details?.expected).toBe(`id-${row.by}`);
    expect(message).toContain(`expected '${row.by}', got '${name}'`);
  }
});

it('[GS2] rejects whispers in a run', () => {
  const run = STAGES.active();
  const whispered = { ...said('turn.assigned', { turn_id: 'turn_1', role: 'dev' }), audience: ['id-bob'] };
  expect(refusal(() => run.say('alice', whispered)).details).toEqual({ field: 'audience' });
});

it.each(['run.paused', 'turn.took', 'gate.opened', 'hook.x', 'lease.lost', 'governed.x'])(
  '[GS2] rejects the unknown type %s',
  (type) => {
    const { message } = refusal(() => STAGES.active().say('alice', said(type)));
    expect(message).toBe(`there is no "${type}" in a governed session`);
  },
);

it('[GS2] accepts texts at any time without changing the run', () => {
  for (const stage of stages) {
    const run = STAGES[stage]();
    const before = run.state;
    run.say('dave', 'how does it go?');
    expect(run.state).toBe(before);
  }
});

describe('[GS3] validates each field', () => {
  const bad: readonly (readonly [Stage, string, RoundDraft, string])[] = [
    ['idle', 'alice', said('run.initialized', {}), 'run_id'],
    ['idle', 'alice', said('run.initialized', { run_id: ' ' }), 'run_id'],
    ['idle', 'alice', said('run.initialized', { run_id: 'r', provenance: [] }), 'provenance'],
    ['active', 'alice', said('turn.assigned', { turn_id: 7, role: 'pm' }), 'turn_id'],
    ['active', 'alice', said('turn.assigned', { turn_id: 't', role: 'pm', git: { is_clean: 'yes' } }), 'git.is_clean'],
    ['active', 'alice', said('turn.assigned', { turn_id: 't', role: 'pm', hooks: ['x'] }), 'hooks.0'],
    ['active', 'alice', said('run.blocked', { blocked_on: 'x' }), 'category'],
    ['active', 'alice', said('lease.taken', { owner: 'x', seconds: 0 }), 'seconds'],
    ['active', 'alice', said('lease.taken', { owner: 'x', seconds: 1.5 }), 'seconds'],
    ['out', 'alice', said('turn.progress', { turn_id: 'turn_d', step: 'dispatched' }), 'step'],
    ['out', 'bob', said('turn.result', { turn_id: 'turn_d', attempt: -1, result: {} }), 'attempt'],
    ['out', 'bob', said('turn.result', { turn_id: 'turn_d' }), 'result'],
    ['out', 'bob', said('turn.result', {}), 'turn_id'],
    ['out', 'alice', said('turn.rejected', { turn_id: 'turn_d' }), 'reason'],
    ['out', 'alice', said('turn.rejected', { turn_id: 'turn_d', reason: 'x', errors: 'y' }), 'errors'],
    ['blocked', 'dave', said('run.answered'), 'note'],
    ['blocked', 'dave', said('run.answered', { note: ' ' }), 'note'],
    ['paused', 'dave', said('gate.approved', { gate_type: 'door', gate: 'plan_ok' }), 'gate_type'],
    ['paused', 'dave', said('gate.refused', { gate_type: 'phase_transition', gate: 'plan_ok' }), 'reason'],
  ];

  it.each(bad)('%s %s %j', (stage, name, draft, field) => {
    const { details } = refusal(() => STAGES[stage]().say(name, draft));
    expect(details?.field).toBe(field);
  });
});

it('[GS8] requires the pending gate in an approval', () => {
  const run = STAGES.paused();
  const other = said('gate.approved', { gate_type: 'phase_transition', gate: 'ship_ok' });
  expect(refusal(() => run.say('dave', other)).details).toMatchObject({ error_code: 'other_gate', gate: 'plan_ok' });
  const wrong = refusal(() => run.say('dave', APPROVE_SHIP));
  expect(wrong.details).toMatchObject({ error_code: 'no_pending_run_completion' });
  expect(run.say('dave', APPROVE_PLAN)).toEqual({});
  expect(run.state.run).toMatchObject({ status: 'active', phase: 'building', pending_phase_transition: null });
});

it('[GS16] resumes a blocked run with an answer of an approver, whatever the lease, and renders the note', () => {
  const run = STAGES.blocked();
  run.say('alice', said('lease.taken', { owner: 'process 1', seconds: 30 }));
  const other = refusal(() => run.say('dave', said('run.answered', { note: 'no', action: 'abandon' })));
  expect(other.details).toMatchObject({ error_code: 'unknown_action' });
  run.say('dave', said('run.answered', { note: 'the key is in the safe' }));
  expect(run.state.run).toMatchObject({ status: 'active', blocked_on: null, escalation: null });
  const last = run.log.at(-1);
  expect(last === undefined ? null : governed.render?.(last)).toBe('answered: the key is in the safe');
});
