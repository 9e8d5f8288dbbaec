import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  foldOutcomes,
  median,
  NO_OBSERVATIONS,
  type TaskOutcome,
  taskOutcomeFrom,
  toTrackRecords,
  uncountedOutcomes,
} from '../../../src/core/records/identity/resume.ts';
import { type Envelope, PLAIN } from '../../../src/core/records/session/envelope.ts';
import { findTask, foldTasks, NO_TASKS, type Tasks } from '../../../src/core/records/work/tasks.ts';
import { foldHead } from '../../../src/core/state/fold-head.ts';
import { openSession, SESSION_ID } from '../session.ts';

function envelope(event_type: string, event_data: Envelope['event_data'] = {}, more: Partial<Envelope> = {}): Envelope {
  return {
    ...PLAIN,
    session_id: SESSION_ID,
    sender_id: 'id-alice',
    audience: null,
    event_type,
    event_data,
    task_id: 't1',
    envelope_id: '0'.repeat(32),
    seq: 9,
    depth: 0,
    created_at: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}

const START = { requester_id: 'id-bob', title: 'look', capability: null, ttl_ms: 1000 };

function fold(...envelopes: readonly Envelope[]): Tasks {
  return envelopes.reduce(foldTasks, NO_TASKS);
}

describe('the fold of tasks', () => {
  it.each([
    ['task.progress', { progress: 0.5 }, { state: 'running', progress: 0.5 }],
    ['task.progress', { progress: null }, { state: 'running', progress: null }],
    ['task.checkpoint', { data: {}, bytes: 2 }, { state: 'running', checkpoint: { seq: 12, bytes: 2 } }],
    ['task.resumed', {}, { state: 'running' }],
    [
      'task.cancel_request',
      { reason: 'no' },
      { state: 'open', cancel_requested: { by: 'id-alice', reason: 'no', at: '2026-01-01T00:00:07.000Z' } },
    ],
    ['task.cancel_request', {}, { state: 'open', cancel_requested: { reason: null } }],
    ['task.unheard_of', {}, { state: 'open' }],
    [
      'task.completed',
      { result: {}, result_bytes: 2 },
      { state: 'done', result: { seq: 12, bytes: 2 }, ended_seq: 12 },
    ],
    ['task.completed', {}, { state: 'done', result: null, reason: null }],
    ['task.failed', { reason: 'no' }, { state: 'failed', reason: 'no', ended_at: '2026-01-01T00:00:07.000Z' }],
    ['task.cancelled', {}, { state: 'cancelled' }],
    ['task.expired', { reason: 'ttl' }, { state: 'expired', reason: 'ttl' }],
  ])('[TK1] %s %j', (type, data, expected) => {
    const later = { seq: 12, created_at: '2026-01-01T00:00:07.000Z' };
    const tasks = fold(envelope('task.started', START), envelope(type, data, later));
    expect(findTask(tasks, 't1')).toMatchObject({ owner_id: 'id-alice', requester_id: 'id-bob', ...expected });
    expect([tasks.live.length, tasks.ended.length]).toEqual(
      expected.state === 'open' || expected.state === 'running' ? [1, 0] : [0, 1],
    );
  });

  it('[TK1] returns the same state for envelopes of no or unknown tasks', () => {
    const tasks = fold(envelope('task.started', START));
    for (const other of [
      envelope('task.failed', {}, { task_id: null }),
      envelope('task.progress', {}, { task_id: null }),
      envelope('msg.text', { text: 'x' }),
      envelope('task.completed', {}, { task_id: 'another' }),
    ]) {
      expect(foldTasks(tasks, other)).toBe(tasks);
      expect(foldTasks(NO_TASKS, { ...other, event_type: 'msg.text' })).toBe(NO_TASKS);
    }
    const ended = foldTasks(tasks, envelope('task.completed'));
    expect(foldTasks(ended, envelope('task.failed'))).toBe(ended);
  });

  it('[TK9] keeps the earliest expiry of the live tasks', () => {
    const two = { task_id: 't2' };
    const tasks = fold(envelope('task.started', START), envelope('task.started', { ...START, ttl_ms: 500 }, two));
    const start = Date.parse('2026-01-01T00:00:00.000Z');
    expect(tasks.due_at).toBe(start + 500);
    const one = foldTasks(tasks, envelope('task.completed', {}, two));
    expect(one.due_at).toBe(start + 1000);
    expect(foldTasks(one, envelope('task.cancelled')).due_at).toBeNull();
    expect(fold(envelope('task.started', { ...START, ttl_ms: 0 })).due_at).toBeNull();
  });

  it('[TK11] counts live tasks by owner in the head, which omits an empty count', () => {
    const { head: before } = openSession().state;
    const take = (...envelopes: readonly Envelope[]) =>
      envelopes.reduce((head, one) => foldHead(head, { envelope: one, turn: null }), before);
    const one = envelope('task.started', START);
    const two = envelope('task.started', START, { task_id: 't2', sender_id: 'id-bob' });
    const three = envelope('task.started', START, { task_id: 't3' });
    const text = envelope('msg.text', {}, { task_id: null });
    const end = (task_id: string, owner_id: string, type = 'task.completed') =>
      envelope(type, { owner_id }, { task_id });
    expect(take(one, two, three, text).tasks).toEqual({ 'id-alice': 2, 'id-bob': 1 });
    expect(take(one, two, three, end('t2', 'id-bob', 'task.expired'), text).tasks).toEqual({ 'id-alice': 2 });
    expect(take(one, three, end('t1', 'id-alice'), envelope('task.progress')).tasks).toEqual({ 'id-alice': 1 });
    expect(take(one, end('t1', 'id-alice', 'task.cancelled'), text)).not.toHaveProperty('tasks');
    expect(take(text, envelope('task.failed', {}, { task_id: null }))).not.toHaveProperty('tasks');
  });
});

describe('observations', () => {
  const outcome = (task_id: string, latency_ms: number, more: Partial<TaskOutcome> = {}): TaskOutcome => ({
    task_id,
    capability: 'review',
    state: 'done',
    latency_ms,
    ...more,
  });

  it('[TK12] come only from envelopes that end a task with a capability', () => {
    const data = { owner_id: 'id-alice', started_at: '2025-12-31T23:59:59.000Z', capability: 'Review' };
    expect(taskOutcomeFrom(envelope('task.expired', data, { sender_id: 'hub' }))).toEqual({
      owner_id: 'id-alice',
      outcome: outcome('t1', 1000, { state: 'expired' }),
    });
    expect(taskOutcomeFrom(envelope('task.completed', { ...data, capability: null }))).toBeNull();
    expect(taskOutcomeFrom(envelope('task.progress', data))).toBeNull();
    expect(taskOutcomeFrom(envelope('task.failed', data, { task_id: null }))).toBeNull();
  });

  it('[TK12] compute the median in any order', () => {
    expect([median([]), median([7]), median([9, 1]), median([9, 1, 2])]).toEqual([null, 7, 5, 2]);
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1 }), (values) => {
        const middle = median(values) ?? -1;
        const [below, above] = [values.filter((v) => v < middle), values.filter((v) => v > middle)];
        expect(Math.max(below.length, above.length)).toBeLessThanOrEqual(values.length / 2);
      }),
      { numRuns: 1000 },
    );
  });

  it('[TK12] take the median of the last 100 outcomes and count none of them twice', () => {
    const all = Array.from({ length: 150 }, (_, i) => outcome(`t${i}`, i));
    const seen = foldOutcomes(NO_OBSERVATIONS, all);
    expect(toTrackRecords(seen)).toEqual({
      review: { n: 150, completed: 150, failed: 0, expired: 0, p50_latency_ms: 99.5 },
    });
    expect(
      uncountedOutcomes(seen, [outcome('t149', 1), outcome('t50', 1), outcome('new', 1)]).map(({ task_id }) => task_id),
    ).toEqual(['new']);
  });

  it('[TK12] accept any capability name, and count at most 64 per agent', () => {
    const odd = ['__proto__', 'constructor', 'toString'].map((capability) => outcome('t1', 1, { capability }));
    expect(uncountedOutcomes(NO_OBSERVATIONS, odd)).toHaveLength(3);
    expect(Object.keys(toTrackRecords(foldOutcomes(NO_OBSERVATIONS, odd))).sort()).toEqual([
      '__proto__',
      'constructor',
      'toString',
    ]);
    const many = Array.from({ length: 70 }, (_, i) => outcome(`t${i}`, 1, { capability: `c${i}` }));
    const seen = foldOutcomes(foldOutcomes(NO_OBSERVATIONS, many), [outcome('again', 1, { capability: 'c0' })]);
    expect(seen.size).toBe(64);
    expect(seen.get('c0')?.n).toBe(2);
  });
});
