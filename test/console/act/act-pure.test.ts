// Decisions of the page without a browser: permissions, packets to post, and the field of an error.

import type { Envelope, Participant, SessionMetadata } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { routeChoices } from '../../../src/console/act/compose/routes.ts';
import { silenceText, turnText } from '../../../src/console/act/compose/turn-text.ts';
import { askedAt, askedText, resultTemplate, turnDue } from '../../../src/console/act/governed/turn-due.ts';
import { approvalObstacle, operatorActionsFor, permissionsFor } from '../../../src/console/act/permissions.ts';
import { fieldError } from '../../../src/console/open/create-session.ts';
import { toRunHistory } from '../../../src/console/parts/governed/model/run-history.ts';
import { stopText } from '../../../src/console/parts/governed/model/run-model.ts';
import { WireError } from '../../../src/core/lib/errors.ts';
import type { SessionStateAt, WhoAmI } from '../../../src/core/protocol/operations/console-sessions.ts';
import { CONFIG } from '../../adapters/governed/governed-scene.ts';

const ann = (status: Participant['status']): Participant => ({
  agent_id: 'id-ann',
  name: 'ann',
  role: 'participant',
  order: 1,
  joined_at: null,
  status,
});
const me = (...grants: WhoAmI['grants']): WhoAmI => ({ agent_id: 'id-ann', name: 'ann', kind: 'human', grants });
const session = (more: Partial<SessionMetadata>): SessionMetadata =>
  ({ state: 'ACTIVE', knobs: {}, creator_id: 'id-bob', participants: [ann('active')], ...more }) as SessionMetadata;

const offered = (who: WhoAmI | null, where: SessionMetadata, isReadOnly = false) =>
  Object.entries(permissionsFor(who, where, isReadOnly)).flatMap(([name, may]) => (may === true ? [name] : []));

describe('offered actions', () => {
  it('[UI88] depend on the grants and the participation', () => {
    expect(offered(me(), session({}))).toEqual(['speak', 'close']);
    expect(offered(me('approve', 'operate'), session({}))).toEqual(['speak', 'close', 'operate', 'approve']);
    expect(offered(me('approve'), session({ participants: [] }))).toEqual([]);
    expect(offered(me('operate'), session({ participants: [] }))).toEqual(['close', 'operate']);
    expect(offered(me(), session({ knobs: { close_by: 'creator' } }))).toEqual(['speak']);
    expect(offered(me(), session({ knobs: { close_by: 'creator' }, creator_id: 'id-ann' }))).toContain('close');
    expect(offered(me('approve'), session({ participants: [ann('hidden')] }))).toEqual(['comeBack']);
    expect(offered(me(), session({ participants: [ann('invited')] }))).toEqual([]);
    expect(offered(me(), session({ state: 'INVITED' }))).toEqual(['close']);
  });

  it('[UI88] are none in read-only mode, while signed out, and after the end', () => {
    expect(offered(me('approve', 'operate', 'observe'), session({}), true)).toEqual([]);
    expect(offered(null, session({}))).toEqual([]);
    for (const state of ['CLOSING', 'CLOSED', 'EXPIRED'] as const) {
      expect(offered(me('approve', 'operate'), session({ state }))).toEqual([]);
    }
  });

  it('[UI85] on a participant depend on its status', () => {
    expect(operatorActionsFor('active', 'ACTIVE')).toEqual(['hide', 'remove']);
    expect(operatorActionsFor('hidden', 'ACTIVE')).toEqual(['return', 'remove']);
    expect(operatorActionsFor('removed', 'ACTIVE')).toEqual([]);
  });
});

it('[UI81] texts say whose turn it is and why the person cannot send', () => {
  const names = new Map([['id-bob', 'bob']]);
  const turn = (agent_id: string) => ({ agent_id, since_seq: 1 });
  expect(turnText(turn('id-ann'), 'id-ann', names, null)).toBe('It is your turn.');
  expect(turnText(turn('id-bob'), 'id-ann', names, { code: 'protocol_error', why: 'wait' })).toBe(
    'It is the turn of bob. Not now: wait',
  );
  const isBobs = { code: 'not_your_turn', why: "discussion expects 'bob' to speak, got 'ann'" } as const;
  expect(turnText(turn('id-bob'), 'id-ann', names, isBobs)).toBe('It is the turn of bob.');
  expect(turnText(null, 'id-ann', names, isBobs)).toContain('Not now:');
  expect(turnText(null, 'id-ann', names, null)).toBe('Nobody has the turn.');
  expect(silenceText(ann('hidden'), { state: 'ACTIVE' })).toMatch(/^You are hidden/);
  expect(silenceText(ann('active'), { state: 'CLOSED' })).toMatch(/^This session has ended/);
  expect(silenceText(null, { state: 'ACTIVE' })).toBeNull();
});

it('[UI82] the tools of a turn become routes with their packets; other tools are left out', () => {
  const text = { type: 'string' };
  const tools = [
    { name: 'handoff', description: '', parameters: { properties: { to: { enum: ['bob', 'carol'] }, message: text } } },
    { name: 'finish', description: '', parameters: { properties: { message: text, reason: text } } },
    { name: 'approve', description: 'End it.', parameters: { properties: { message: text } } },
    { name: 'raise_hand', description: '', parameters: { properties: { bid: { type: 'integer' } } } },
    { name: 'odd', description: '', parameters: {} },
  ];
  const choices = routeChoices(tools);
  expect(choices.map(({ id }) => id)).toEqual(['handoff bob', 'handoff carol', 'finish', 'tool approve']);
  expect(choices[0]?.packet('hi').event_data).toEqual({ body: 'hi', routing: { kind: 'handoff', target: 'bob' } });
  expect(choices[2]?.packet('bye', 'all said').event_data).toEqual({
    body: 'bye',
    routing: { kind: 'finish', reason: 'all said' },
  });
  expect(choices[3]?.packet('').event_data).toEqual({ body: null, routing: { kind: 'tool', tool: 'approve' } });
});

it('[UI87] a turn is due for the holder of its role while active; its template has the required fields', () => {
  const turn = { turn_id: 't1', role: 'dev', holder: 'id-ann', status: 'running', attempt: 2, is_handed_in: false };
  const state = (type: string, status: string, more: object = {}) =>
    ({
      session: { manifest: { type } },
      public_state: { run_id: 'r1', status, turns: [{ ...turn, ...more }] },
    }) as unknown as SessionStateAt;
  const due = turnDue(state('governed', 'active'), 'id-ann');
  expect(due).toEqual({ turn_id: 't1', role: 'dev', attempt: 2, run_id: 'r1' });
  expect(due === null ? null : resultTemplate(due, CONFIG)).toMatchObject({ run_id: 'r1', runtime_id: 'manual' });
  for (const none of [
    turnDue(state('governed', 'active'), 'id-bob'),
    turnDue(state('governed', 'blocked'), 'id-ann'),
    turnDue(state('workflow', 'active'), 'id-ann'),
    turnDue(state('governed', 'active', { is_handed_in: true }), 'id-ann'),
    turnDue(state('governed', 'active', { status: 'assigned' }), 'id-ann'),
  ]) {
    expect(none).toBeNull();
  }
});

it('[UI87] the prompt of a turn is its latest dispatch with context, without redacted text', () => {
  const entry = (seq: number, event_type: string, event_data: object) =>
    ({ seq, created_at: '2026-01-01T00:00:00.000Z', sender_id: 'a1', event_type, event_data }) as Envelope;
  const log = [
    entry(1, 'turn.dispatched', { turn_id: 't1', prompt: 'Build it.', context: 'So far: nothing.' }),
    entry(2, 'turn.dispatched', { turn_id: '__proto__', prompt: 'Other.' }),
    entry(3, 'turn.dispatched', { turn_id: 't1' }),
  ];
  const asked = (turnId: string) => {
    const seq = askedAt(toRunHistory(log), turnId);
    return seq === null ? null : askedText(log[seq - 1] as Envelope);
  };
  expect(['t1', '__proto__', 't9'].map(asked)).toEqual(['Build it.\n\nSo far: nothing.', 'Other.', null]);
  log.push(entry(4, 'turn.dispatched', { turn_id: 't1', prompt: 'Again.' }));
  expect(asked('t1')).toBe('Again.');
  log[3] = { ...log[3], redacted: { at: '', by: '', reason: null } } as unknown as Envelope;
  expect(asked('t1')).not.toContain('Again.');
});

it('[UI88] an identity that may approve is told why it cannot answer; others are told nothing', () => {
  const at = (status: Participant['status'] | null, state: SessionMetadata['state'] = 'ACTIVE') => ({
    session: session({ state, participants: status === null ? [] : [ann(status)] }),
  });
  expect(approvalObstacle(me('approve'), at('active'))).toBeNull();
  expect(approvalObstacle(me('observe'), at(null))).toBeNull();
  expect(approvalObstacle(me('approve'), at(null, 'CLOSED'))).toBeNull();
  expect(approvalObstacle(me('approve'), at(null))).toMatch(/only participants can answer\. .* can invite you/);
  expect(approvalObstacle(me('approve'), at('invited'))).toContain('accept the invite first');
  expect(approvalObstacle(me('approve'), at('hidden'))).toContain('come back first');
});

it('[UI50] texts say what stops a run, and do not repeat the question', () => {
  expect(stopText('human:Which colour?', 'Which colour?')).toBe('a question for a person');
  expect(stopText('human:key', 'A key is missing.')).toBe('needs a person: key');
  expect(stopText('turn:turn_1', 'x')).toBe('turn turn_1');
  expect(stopText('escalation:retries-exhausted:dev', 'x')).toBe('escalated: retries exhausted, dev');
  for (const other of ['key', '', 'human:', 'https://x']) expect(stopText(other, 'x')).toBe(other);
});

it('[UI80] an error of the hub appears at its field, any other error at the form', () => {
  const said = new WireError('invalid_create', 'knobs.rounds: expected 1, got 0', { field: 'knobs.rounds' });
  expect(fieldError(said, 'x')).toEqual({ field: 'knobs.rounds', message: 'expected 1, got 0' });
  expect(fieldError(new WireError('rate_limited', 'slow down'), 'The hub refused: slow down')).toEqual({
    field: '',
    message: 'The hub refused: slow down',
  });
});
