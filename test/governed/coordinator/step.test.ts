// The next step of the coordinator.

import {
  blockByProjection,
  blockSuperRun,
  type CoordinatorChange,
  coordinatorContext,
  coordinatorContextText,
  dispatchEntry,
  nextCoordinatorStep,
  resolveSuperRun,
} from 'parley-hub/governed/engine';
import { describe, expect, it } from 'vitest';
import { type Given, harbour, having, NOW, repo, viewOf } from './harbour.ts';

const turn = { turn_id: 'turn_1', summary: 'Done', files_changed: ['a.ts'] };
const busy = { active_turns: { t: {} as never } };

it.each([
  ['begins with the entry repo', {}, { action: 'dispatch', workstream_id: 'berths', repo_id: 'quay' }],
  ['waits while the entry repo is busy', { repos: { quay: repo('quay', busy) } }, { action: 'wait' }],
  [
    'waits while the entry repo is blocked',
    { repos: { quay: repo('quay', { status: 'blocked' }) } },
    { action: 'wait' },
  ],
  [
    'waits while a gate of the entry repo is pending',
    { repos: { quay: repo('quay', { pending_phase_transition: { gate: null, from: null, to: 'qa' } }) } },
    { action: 'wait' },
  ],
  [
    'refuses when the super run is completed',
    { state: { status: 'completed' } },
    { action: 'refuse', code: 'super_run_completed' },
  ],
  [
    'blocks when a run is not the linked one',
    { repos: { buoy: repo('buoy', { run_id: 'other' }) } },
    { action: 'block', blockers: [{ code: 'repo_run_id_mismatch' }] },
  ],
  [
    'blocks when a repo cannot be read',
    { repos: { buoy: { state: null, accepted: [] } } },
    { action: 'block', blockers: [{ code: 'repo_state_missing' }] },
  ],
  [
    'takes over the phase a repo is in',
    { repos: { buoy: repo('buoy', { phase: 'qa' }) } },
    { action: 'resync', repo_runs: { buoy: { phase: 'qa', run_id: 'run_buoy' } } },
  ],
  [
    'projects what a repo has accepted',
    { repos: { quay: repo('quay', {}, [turn]) } },
    { action: 'project', repo_id: 'quay', workstream_id: 'berths', turn },
  ],
  [
    'leaves a failed turn to its repo',
    { repos: { quay: repo('quay', {}, [{ ...turn, status: 'failed' }]) } },
    { action: 'dispatch' },
  ],
  [
    'leaves a turn of another run alone',
    { repos: { quay: repo('quay', {}, [{ ...turn, run_id: 'run_before' }]) } },
    { action: 'dispatch' },
  ],
] satisfies readonly (readonly [string, Given, object])[])('[GC8] it %s', (_, given, step) => {
  expect(nextCoordinatorStep(viewOf(given))).toMatchObject(step);
});

it('[GC8] it works through repos and dependencies, then requests a gate', () => {
  const view = viewOf();
  const one = having(view, ['quay', 'berths']);
  expect(nextCoordinatorStep(one)).toMatchObject({ action: 'dispatch', workstream_id: 'berths', repo_id: 'crane' });
  const two = having(one, ['crane', 'berths']);
  expect(nextCoordinatorStep(two)).toMatchObject({ action: 'dispatch', workstream_id: 'lights', repo_id: 'buoy' });
  const three = having(two, ['buoy', 'lights']);
  expect(nextCoordinatorStep(three)).toMatchObject({ action: 'request_gate', gate: { to: 'qa' } });
  expect(nextCoordinatorStep({ ...three, state: { ...three.state, phase: 'qa' }, repos: view.repos })).toMatchObject({
    action: 'wait',
    blockers: [{ code: 'repo_not_completion_ready' }, { code: 'repo_not_completion_ready' }],
  });
});

it('[GC8] a pending gate stops it, unless no person is required', () => {
  const gate = {
    gate_type: 'phase_transition',
    gate: 'g',
    from: 'planning',
    to: 'qa',
    required_repos: [],
    human_barriers: [],
    requires_human_approval: true,
    requested_at: NOW,
  } as const;
  const pending = (one: object) => viewOf({ state: { status: 'paused', pending_gate: { ...gate, ...one } } });
  expect(nextCoordinatorStep(pending({}))).toEqual({ action: 'refuse', code: 'gate_pending', gate: 'g' });
  expect(nextCoordinatorStep(pending({ requires_human_approval: false }))).toEqual({
    action: 'approve_gate',
    gate: 'g',
  });
  expect(nextCoordinatorStep(pending({ requires_human_approval: false, human_barriers: ['b'] }))).toMatchObject({
    action: 'refuse',
  });
});

it('[GC8] routing names the first workstream', () => {
  const config = harbour({ depends_on: [] }, { routing: { planning: { entry_workstream: 'lights' }, qa: {} } });
  const { lights, berths } = config.workstreams;
  const free = {
    ...config,
    workstreams: { berths: { ...berths }, lights: { ...lights, depends_on: [] } },
  } as typeof config;
  expect(nextCoordinatorStep(viewOf({ config: free }))).toMatchObject({ action: 'dispatch', workstream_id: 'lights' });
});

describe('[GC5] in an ordered sequence', () => {
  const config = harbour({ repos: ['crane', 'quay', 'buoy'], completion_barrier: 'ordered_repo_sequence' });

  it('each repo waits for the previous one, and dependents for the last', () => {
    const one = having(viewOf({ config }), ['quay', 'berths']);
    expect(one.barriers.berths_completion).toMatchObject({ status: 'satisfied' });
    expect(nextCoordinatorStep(one)).toMatchObject({ action: 'dispatch', workstream_id: 'berths', repo_id: 'crane' });
    expect(nextCoordinatorStep({ ...one, repos: { ...one.repos, crane: repo('crane', busy) } })).toMatchObject({
      action: 'wait',
    });
    const two = having(one, ['crane', 'berths']);
    expect(nextCoordinatorStep(two)).toMatchObject({ workstream_id: 'berths', repo_id: 'buoy' });
    expect(nextCoordinatorStep(having(two, ['buoy', 'berths']))).toMatchObject({ workstream_id: 'lights' });
  });

  it('without an order the other repos do not wait for each other after the entry repo', () => {
    const one = having(
      viewOf({
        config: {
          ...config,
          workstreams: {
            ...config.workstreams,
            berths: { ...config.workstreams.berths, completion_barrier: 'all_repos_accepted' } as never,
          },
        },
      }),
      ['quay', 'berths'],
    );
    expect(nextCoordinatorStep({ ...one, repos: { ...one.repos, crane: repo('crane', busy) } })).toMatchObject({
      repo_id: 'buoy',
    });
  });
});

it('[GC8] a repo with missing decisions gets another turn', () => {
  const ids = { decision_ids_by_repo: { quay: ['DEC-1'], crane: ['DEC-2'] } };
  const view = viewOf({ config: harbour({ completion_barrier: 'named_decisions', named_decisions: ids }) });
  const one = having(view, ['quay', 'berths']);
  expect(nextCoordinatorStep(one)).toMatchObject({ action: 'dispatch', repo_id: 'quay' });
  expect(coordinatorContext(one, { workstream_id: 'berths', repo_id: 'quay' }).required_decision_ids).toEqual([
    'DEC-1',
  ]);
  expect(nextCoordinatorStep(having(one, ['quay', 'berths', 'DEC-1']))).toMatchObject({
    action: 'dispatch',
    repo_id: 'crane',
  });
});

it('[GC8] a turn belongs to its dispatched workstream; an undispatched one counts only if unambiguous', () => {
  const config = harbour({ repos: ['quay', 'crane', 'buoy'] });
  const repos = { buoy: repo('buoy', {}, [turn]) };
  expect(nextCoordinatorStep(viewOf({ config, repos }))).toMatchObject({ action: 'dispatch' });
  const view = viewOf({ config, repos });
  const sent = dispatchEntry(view.state, {
    workstream_id: 'lights',
    repo_id: 'buoy',
    turnId: 'turn_1',
    contextRef: 'c',
    now: NOW,
  });
  expect(nextCoordinatorStep({ ...view, history: [...view.history, sent] })).toMatchObject({
    action: 'project',
    workstream_id: 'lights',
  });
});

it('[GC8] a blocked super run escalates and continues only after an explicit resolution', () => {
  const view = viewOf({ repos: { quay: repo('quay', { run_id: 'run_new' }) } });
  const blocked = blockSuperRun(view, { code: 'repo_run_id_mismatch', detail: 'd', now: NOW }) as CoordinatorChange;
  const stopped = { ...view, state: blocked.state };
  expect(nextCoordinatorStep(stopped)).toEqual({ action: 'escalate', code: 'repo_run_id_mismatch', detail: 'd' });
  expect(resolveSuperRun(view, { by: 'ada', resolution: 'ok', now: NOW })).toMatchObject({ error_code: 'not_blocked' });
  const resolved = resolveSuperRun(stopped, {
    by: 'ada',
    resolution: 'ok',
    now: NOW,
    relink: ['quay'],
  }) as CoordinatorChange;
  expect(resolved.state).toMatchObject({
    status: 'active',
    repo_runs: { quay: { run_id: 'run_new' } },
    blocked_reason: null,
  });
  expect(nextCoordinatorStep({ ...view, state: resolved.state })).toMatchObject({ action: 'dispatch' });
});

it('[GC8] reports a refused turn once, then its repo gets another', () => {
  const view = viewOf({ repos: { quay: repo('quay', {}, [turn]) } });
  const refused = { repo_id: 'quay', repo_turn_id: 'turn_1', code: 'path_outside_repo', detail: 'd' };
  const blocked = blockByProjection(view, refused, NOW) as CoordinatorChange;
  expect(blocked.state.status).toBe('blocked');
  const later = { ...view, history: [...view.history, ...blocked.history] };
  expect(nextCoordinatorStep(later)).toMatchObject({ action: 'dispatch', repo_id: 'quay' });
});

it('[GC6] equal contexts have equal references and list accepted work', () => {
  const at = { workstream_id: 'berths', repo_id: 'crane' };
  const one = having(viewOf(), ['quay', 'berths']);
  expect(coordinatorContext(one, at)).toEqual(coordinatorContext({ ...one }, at));
  expect(coordinatorContext(one, at).context_ref).not.toBe(coordinatorContext(viewOf(), at).context_ref);
  expect(coordinatorContextText(coordinatorContext(one, at))).toContain('- quay (berths): Done');
});
