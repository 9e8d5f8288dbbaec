/** Data for each part of the console in tests: an honest scene, and one with only hostile texts. */

import { conversation } from 'parley-hub/adapters/conversation';
import { discussion } from 'parley-hub/adapters/discussion';
import { governed } from 'parley-hub/adapters/governed';
import { workflow } from 'parley-hub/adapters/workflow';
import type { JsonObject } from 'parley-hub/core';
import { displayState, rulesOf } from 'parley-hub/governed/session';
import { inspectGraph } from '../../../adapters/graph/inspect-graph.ts';
import { BUILT_IN } from '../../../adapters/graph/vocabulary.ts';
import { TEMPLATES } from '../../../src/console/parts/graph-editor/templates.ts';
import {
  acceptance,
  begun,
  decision,
  out,
  PLAN,
  type Run,
  resultOf,
  said,
} from '../../adapters/governed/governed-scene.ts';
import { allOf, from, says, target, to } from './rules.ts';

export const HOSTILE: readonly string[] = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  "javascript:alert('x')",
  '</title><svg onload=alert(1)>',
  '{{constructor.constructor("alert(1)")()}}',
  '\u202e\u2066gnp.exe\u2069',
  `long ${'x'.repeat(5000)}`,
  '__proto__',
];

export interface Scene {
  readonly name: string;
  readonly given: unknown;
}

/** A session's graph as the hub describes it. */
function workflowScene(): unknown {
  const graph = TEMPLATES[2]?.make(['ag_lead', 'ag_coder', 'ag_critic', 'ag_tester']) ?? {};
  const transitions = [
    ...(graph as { transitions: JsonObject[] }).transitions,
    { when: says('AGAIN'), then: target('stay'), priority: 0 },
    {
      when: allOf(from('ag_critic'), { name: 'context_equals', args: { key: 'verdict', value: 'reject' } }),
      then: to('ag_coder'),
    },
    { when: from('ag_tester'), then: target('stay') },
  ];
  return {
    graph: inspectGraph({ ...graph, transitions } as JsonObject, BUILT_IN),
    current: 'ag_critic',
    path: ['ag_lead', 'ag_coder', 'ag_lead', 'ag_critic', 'ag_coder', 'ag_lead', 'ag_critic'],
    names: { ag_lead: 'lead', ag_coder: 'coder', ag_critic: 'critic', ag_tester: 'tester' },
  };
}

function hostileGraph(): unknown {
  const nodes = HOSTILE.map((label, i) => ({ id: label, label, kind: i === 3 ? 'end' : 'agent', agent: label }));
  const edges = HOSTILE.flatMap((from, i) => [
    { from, to: HOSTILE[(i + 1) % HOSTILE.length], label: HOSTILE[i] },
    { from, to: from, label: HOSTILE[(i + 2) % HOSTILE.length] },
  ]);
  const names = Object.fromEntries(HOSTILE.map((text) => [text, text]));
  return { graph: { nodes, edges, initial: HOSTILE[0] }, current: HOSTILE[1], path: HOSTILE, names };
}

export const SCHEMA: JsonObject = {
  type: 'object',
  required: ['topic'],
  additionalProperties: false,
  properties: {
    topic: { type: 'string', minLength: 3, description: 'what it is about' },
    rounds: { type: 'integer', minimum: 1, maximum: 9 },
    loud: { type: 'boolean', default: false },
    ordering: { type: 'string', enum: ['round_robin', 'moderated'], default: 'round_robin' },
    tags: { type: 'array', items: { type: 'string' } },
    limits: { type: 'object', additionalProperties: false, properties: { usd: { type: 'number', minimum: 0 } } },
    odd: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  },
};

function hostileSchema(): JsonObject {
  const leaf = (text: string) => ({ type: 'string', title: text, description: text, default: text });
  const named = HOSTILE.filter((one) => one !== '__proto__').map((text) => [text, leaf(text)] as const);
  return {
    type: 'object',
    additionalProperties: false,
    properties: { ...Object.fromEntries(named), choice: { enum: [...HOSTILE], title: HOSTILE[0] ?? '' } },
  };
}

/** A run up to a pending gate: with decisions, an objection, and a rejected turn. */
export function runScene(): Run {
  const run = begun();
  const accept = (turnId: string, more: object, files: readonly object[] = []) => {
    const turn = run.state.run.active_turns[turnId];
    if (turn === undefined) throw new Error(`no turn ${turnId}`);
    const raw = resultOf(turn, more);
    const holder = { dev: 'bob', qa: 'carol' }[turn.assigned_role];
    if (holder !== undefined)
      run.say(holder, said('turn.result', { turn_id: turnId, attempt: turn.attempt, result: raw }));
    run.say('alice', acceptance(run.metadata, run.state, turnId, raw, { files }));
  };
  out(run, 'turn_1', 'pm');
  accept('turn_1', { decisions: [decision('DEC-001'), decision('DEC-002', { durability: 'repo' })] });
  out(run, 'turn_2', 'pm');
  run.say(
    'alice',
    said('turn.rejected', { turn_id: 'turn_2', reason: 'no verification', errors: ['verification.status'] }),
  );
  accept('turn_2', { decisions: [decision('DEC-003', { overrides: 'DEC-001' })] });
  out(run, 'turn_3', 'qa');
  accept('turn_3', {});
  out(run, 'turn_4', 'pm');
  accept('turn_4', { phase_transition_request: 'building', summary: 'The plan is ready.\nPlease look.' }, [PLAN]);
  run.say(
    'dave',
    said('gate.refused', { gate_type: 'phase_transition', gate: 'plan_ok', reason: 'the plan has no dates' }),
  );
  return run;
}

export function governedGiven(run: Run): JsonObject {
  const { metadata, state, log } = run;
  const names = Object.fromEntries(metadata.participants.map(({ agent_id, name }) => [agent_id, name]));
  const publicState = displayState(rulesOf(metadata), state);
  return { publicState, config: metadata.knobs.config ?? {}, log: log as unknown as JsonObject[], names };
}

function hostileRun(): unknown {
  const [text = ''] = HOSTILE;
  const entry = (event_type: string, event_data: unknown, seq: number) => ({
    seq,
    created_at: HOSTILE[4],
    sender_id: text,
    event_type,
    event_data,
  });
  const result = {
    role: HOSTILE[1],
    status: HOSTILE[2],
    summary: HOSTILE.join('\n'),
    decisions: HOSTILE.map((id) => ({ id, statement: id, rationale: id, category: id, overrides: HOSTILE[1] })),
    objections: HOSTILE.map((id) => ({ id, severity: id, statement: id, status: id })),
    verification: { status: text, commands: HOSTILE },
    files_changed: HOSTILE,
  };
  const gate = { gate: text, to: text, requested_by_turn: text };
  return {
    publicState: {
      run_id: text,
      status: text,
      phase: text,
      blocked_on: text,
      pending_phase_transition: gate,
      pending_run_completion: gate,
      turns: HOSTILE.map((turn_id) => ({
        turn_id,
        role: turn_id,
        holder: turn_id,
        status: turn_id,
        deadline_at: turn_id,
      })),
      refusal: { gate: text, by: text, reason: text },
      lease: { owner: text },
    },
    config: {
      routing: Object.fromEntries(HOSTILE.map((name) => [name, { exit_gate: name }])),
      gates: Object.fromEntries(HOSTILE.map((name) => [name, { requires_files: HOSTILE }])),
    },
    log: [
      entry('turn.accepted', { turn_id: text, result }, 1),
      entry('gate.refused', { gate: text, reason: text }, 2),
      entry('run.blocked', { blocked_on: text, detail: text, owner: text, recovery_action: text }, 3),
      entry('turn.rejected', { turn_id: text, reason: text, errors: HOSTILE }, 4),
    ],
    names: { [text]: text },
  };
}

const wave = (n: number, height: number) =>
  Array.from({ length: n }, (_, i) => Math.round((Math.sin(i / 5) + 1.2) * height));

const CHARTS = [
  { label: 'Posts', unit: '/s', series: [{ name: 'posts', points: wave(60, 40) }] },
  {
    label: 'Ack',
    unit: ' ms',
    series: [
      { name: 'p50', points: wave(60, 2).map((one, i) => (i > 20 && i < 26 ? null : one)) },
      { name: 'p99', points: wave(60, 7) },
    ],
  },
  { label: 'Refused', unit: '/s', series: [{ name: 'refused', points: [0, 0, 0] }] },
  { label: 'Nothing', unit: '/s', series: [{ name: 'none', points: [] }] },
];

const TYPES = [discussion, workflow, conversation, governed].map(({ manifest }) => ({
  manifest,
  graph: manifest.type === 'workflow' ? {} : null,
}));

const AT = [
  '2027-01-15T08:00:05.000Z',
  '2027-01-15T08:02:05.000Z',
  '2027-01-15T11:00:00.000Z',
  '2027-01-15T07:58:00.000Z',
];

export const SCENES: readonly Scene[] = [
  { name: 'graph', given: workflowScene() },
  { name: 'form', given: { schema: SCHEMA } },
  {
    name: 'editor',
    given: { text: JSON.stringify(TEMPLATES[1]?.make(['ann', 'ben', 'cid']), null, 2), people: ['ann', 'ben', 'cid'] },
  },
  { name: 'create', given: { types: TYPES, agents: ['bob', 'carol'] } },
  { name: 'governed', given: governedGiven(runScene()) },
  { name: 'chart', given: { charts: CHARTS } },
  { name: 'time', given: { times: AT } },
];

export const HOSTILE_SCENES: readonly Scene[] = [
  { name: 'graph', given: hostileGraph() },
  { name: 'form', given: { schema: hostileSchema() } },
  {
    name: 'editor',
    given: {
      text: JSON.stringify({
        initial_speaker: HOSTILE[0],
        transitions: HOSTILE.map((name) => ({ when: { name }, then: { name } })),
      }),
      people: [HOSTILE[0], HOSTILE[1]],
    },
  },
  {
    name: 'create',
    given: { types: TYPES, agents: HOSTILE, refused: HOSTILE.map((message) => ({ field: message, message })) },
  },
  { name: 'governed', given: hostileRun() },
  {
    name: 'chart',
    given: { charts: HOSTILE.map((label) => ({ label, unit: label, series: [{ name: label, points: [1, 2] }] })) },
  },
  { name: 'time', given: { times: HOSTILE } },
];
