// Projection of accepted turns into the super run.

import fc from 'fast-check';
import {
  BARRIER_TYPES,
  type CoordinatorView,
  digestOf,
  ownerByPath,
  projectAcceptance,
} from 'parley-hub/governed/engine';
import { describe, expect, it } from 'vitest';
import { isWithin, normalizePath } from '../../../src/governed/engine/lib/project-paths.ts';
import { itDeep } from '../../support/size.ts';
import { harbour, having, NOW, projected, REPOS, viewOf } from './harbour.ts';

const turn = { turn_id: 'turn_1', summary: 'Stones', files_changed: ['src/a.ts'], decisions: ['DEC-1'] };

it('[GC2] projecting the same turn twice appends once, under the same reference', () => {
  const view = viewOf();
  const first = projected(view, 'quay', 'berths', turn);
  const next = { ...view, barriers: first.barriers, history: [...view.history, ...first.history] };
  const second = projected(next, 'quay', 'berths', turn);
  expect(second).toMatchObject({ is_new: false, history: [], barrier_effects: [], barrier_ledger: [] });
  expect(second.projection_ref).toBe(first.projection_ref);
  expect(first.projection_ref).toMatch(/^proj_berths_quay_[0-9a-f]{16}$/);
});

it('[GC2] records the cause of each barrier change', () => {
  const { barrier_ledger, projection_ref } = projected(viewOf(), 'quay', 'berths', turn);
  expect(barrier_ledger).toMatchObject([
    {
      barrier_id: 'berths_completion',
      previous_status: 'pending',
      new_status: 'partially_satisfied',
      causation: { projection_ref, repo_turn_id: 'turn_1' },
    },
  ]);
});

itDeep(
  '[GC2, GC4] in any order and repetition each turn is projected once, and a satisfied barrier stays satisfied',
  () => {
    const named = { decision_ids_by_repo: { quay: ['DEC-1'], crane: ['DEC-2'] } };
    const event = fc.record({
      repo: fc.constantFrom(...REPOS),
      workstream: fc.constantFrom('berths', 'lights'),
      turn: fc.integer({ min: 0, max: 3 }),
      decisions: fc.subarray(['DEC-1', 'DEC-2']),
      file: fc.constantFrom('a.ts', '../crane/a.ts'),
    });
    const check = (
      kind: (typeof BARRIER_TYPES)[number],
      events: readonly { repo: string; workstream: string; turn: number; decisions: string[]; file: string }[],
    ): void => {
      let view: CoordinatorView = viewOf({
        config: harbour({ completion_barrier: kind, interface_alignment: named, named_decisions: named }),
      });
      const satisfied = new Set<string>();
      for (const { repo, workstream, turn: n, decisions, file } of events) {
        const before = digestOf(view);
        const given = { turn_id: `turn_${repo}_${n}`, summary: '', files_changed: [file], decisions };
        const outcome = projectAcceptance({ ...view, repoId: repo, workstreamId: workstream, turn: given, now: NOW });
        expect(digestOf(view)).toBe(before);
        if (!outcome.ok) continue;
        expect(file === 'a.ts' || repo === 'crane').toBe(true);
        view = { ...view, barriers: outcome.barriers, history: [...view.history, ...outcome.history] };
        for (const [id, { status, type }] of Object.entries(view.barriers)) {
          if (satisfied.has(id)) expect(status).toBe('satisfied');
          if (status === 'satisfied') satisfied.add(id);
          if (type === 'shared_human_gate') expect(status).toBe('pending');
        }
      }
      const refs = view.history.slice(1).map((line) => (line as { projection_ref: string }).projection_ref);
      expect(new Set(refs).size).toBe(refs.length);
    };
    fc.assert(fc.property(fc.constantFrom(...BARRIER_TYPES), fc.array(event, { maxLength: 12 }), check), {
      numRuns: 1000,
    });
  },
  120_000,
);

describe('[GC3] the owner of a file', () => {
  const { repos } = harbour();
  const owner = ownerByPath({
    repos: { ...repos, reef: { path: './quay/reef' }, isle: { path: '../isle' }, rock: { path: '/srv/rock' } },
  });

  it.each([
    ['quay', 'src/a.ts', 'quay'],
    ['quay', './src/../b.ts', 'quay'],
    ['quay', '../crane/a.ts', 'crane'],
    ['quay', 'a/../../crane/../buoy/x', 'buoy'],
    ['quay', 'reef/x.ts', 'reef'],
    ['reef', '../x.ts', 'quay'],
    ['quay', '..\\crane\\a.ts', 'crane'],
    ['quay', '../quay-2/a.ts', null],
    ['quay', '/etc/motd', null],
    ['quay', 'C:\\x', null],
    ['quay', '', null],
    ['quay', 'a\0b', null],
    ['isle', 'x.ts', 'isle'],
    ['isle', '../x.ts', null],
    ['isle', '../../isle/x.ts', null],
    ['quay', '../../isle/x.ts', 'isle'],
    ['rock', 'x.ts', 'rock'],
    ['rock', '../../srv/rock/x', 'rock'],
    ['quay', '/srv/rock/x', 'rock'],
  ])('from %s, %j is of %s', (from, path, whose) => {
    expect(owner(from, path)).toBe(whose);
  });

  it('normalises paths, and finds a path inside its parent folders only', () => {
    expect(normalizePath('./a/b', '../c//./d')).toBe('a/c/d');
    expect(normalizePath('/a', '../../../x')).toBe('/x');
    expect(isWithin('..', '../../x')).toBe(false);
    expect(isWithin('', '../x')).toBe(false);
    expect(isWithin('a', 'ab')).toBe(false);
  });
});

it('[GC6] a projection invalidates active turns of its workstream and of its dependents', () => {
  const view = viewOf();
  const sent = (workstream_id: string, repo_id: string) => ({
    type: 'turn_dispatched',
    super_run_id: 'srun_1',
    workstream_id,
    repo_id,
    repo_turn_id: `out_${repo_id}`,
    context_ref: 'c',
  });
  const out = {
    ...view,
    history: [...view.history, sent('berths', 'crane'), sent('lights', 'buoy'), sent('berths', 'quay')],
  };
  const { context_invalidations } = projected(out, 'quay', 'berths', { ...turn, turn_id: 'out_quay' });
  expect(context_invalidations.map(({ repo_turn_id }) => repo_turn_id)).toEqual(['out_crane', 'out_buoy']);
  expect(projected(out, 'buoy', 'lights', { ...turn, turn_id: 'out_buoy' }).context_invalidations).toEqual([]);
});

it('[GC4] a human gate counts accepted repos and stays pending', () => {
  const view = having(
    viewOf({ config: harbour({ completion_barrier: 'shared_human_gate' }) }),
    ['quay', 'berths'],
    ['crane', 'berths'],
  );
  expect(view.barriers.berths_completion).toMatchObject({ status: 'pending', satisfied_repos: ['quay', 'crane'] });
});
