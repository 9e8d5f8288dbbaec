// What a run tells of itself, through everything that can happen to it.

import { expect, it } from 'vitest';

import { bookFaults, CONFIG, decision, done, Project, refused } from './project.ts';

it('[GV15, GR6] a run to which everything happens tells it in known types, in an order that holds', async () => {
  const gates = { plan_ok: { requires_files: ['PLAN.md'], requires_human_approval: true }, ship_ok: {} };
  const project = new Project({ ...CONFIG, gates, budget: { per_run_max_usd: 1 }, rules: { max_turn_retries: 3 } });
  const { runner, root, config } = project;
  try {
    await project.init();
    const first = await project.assign('pm', 'turn_1');
    done(await runner.writeDispatchBundle(root, null, config));
    done(await runner.transitionActiveTurnLifecycle(root, 'turn_1', 'running', { pid: 1 }));
    done(await runner.rejectTurn(root, config, null, 'once more', { turnId: 'turn_1' }));
    done(await runner.reissueTurn(root, config, { turnId: 'turn_1', reason: 'from the start' }));
    const second = await project.assign('dev', 'turn_2');
    await project.stage(first, { files_changed: ['src/same.ts'], decisions: [decision('DEC-001')] });
    done(await project.accept('turn_1'));
    await project.stage(second, { files_changed: ['src/same.ts'] });
    expect(refused(await project.accept('turn_2'))).toMatchObject({ error_code: 'conflict' });
    done(await runner.acceptTurn(root, config, { turnId: 'turn_2', resolutionMode: 'human_merge' }));
    await project.turn('pm', { status: 'needs_human', needs_human_reason: 'Which colour?' });
    done(await runner.reactivateRun(root, null, { via: 'carol', note: 'blue' }));
    done(await runner.escalate(root, config, { reason: 'fog ahead' }));
    done(await runner.reactivateRun(root, null, { via: 'carol' }));
    done(
      await runner.markRunBlocked(root, {
        blockedOn: 'dispatch:auth',
        category: 'dispatch',
        recovery: { detail: 'no key' },
      }),
    );
    done(await runner.reactivateRun(root, null, { via: 'carol' }));
    await project.turn('pm', { phase_transition_request: 'checking' });
    project.write('PLAN.md', 'So be it.');
    await project.turn('pm', { phase_transition_request: 'checking', cost: { usd: 0.9 } });
    done(await runner.approvePhaseGate(root, config));
    await project.turn('qa', { run_completion_request: true, cost: { usd: 0.9 } });

    expect(project.state).toMatchObject({ status: 'completed' });
    // Types are looked at here, too.
    expect(bookFaults(project)).toEqual([]);
    const types = new Set(project.events);
    for (const type of ['turn_rejected', 'turn_reissued', 'run_blocked', 'escalation_resolved', 'gate_failed']) {
      expect(types).toContain(type);
    }
    expect(project.events.at(-1)).toBe('run_completed');
  } finally {
    project.remove();
  }
}, 60_000);

it('[GV15, GR6] assign and accept without a bundle are told in an order that holds too: nothing is accepted that was not dispatched', async () => {
  const project = new Project();
  try {
    await project.init();
    await project.turn('pm');
    await project.turn('dev');
    expect(project.events).toEqual([
      'run_started',
      'phase_entered',
      'turn_dispatched',
      'turn_accepted',
      'turn_dispatched',
      'turn_accepted',
    ]);
    expect(bookFaults(project)).toEqual([]);
  } finally {
    project.remove();
  }
});
