// Events of a run through everything that can happen to it.

import { expect, it } from 'vitest';
import { bookFaults, CONFIG, decision, done, Project, refused } from './project.ts';

it('[GV15, GR6] emits only known event types in a valid order', async () => {
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
    const blocker = { blockedOn: 'dispatch:auth', category: 'dispatch', recovery: { detail: 'no key' } };
    done(await runner.markRunBlocked(root, blocker));
    done(await runner.reactivateRun(root, null, { via: 'carol' }));
    await project.turn('pm', { phase_transition_request: 'checking' });
    project.write('PLAN.md', 'So be it.');
    await project.turn('pm', { phase_transition_request: 'checking', cost: { usd: 0.9 } });
    done(await runner.approvePhaseGate(root, config));
    await project.turn('qa', { run_completion_request: true, cost: { usd: 0.9 } });

    expect(project.state).toMatchObject({ status: 'completed' });
    // Includes a check of the types.
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

it('[GV15, GR6] emits a dispatch before an acceptance even without a bundle', async () => {
  const project = new Project();
  try {
    await project.init();
    await project.turn('pm');
    await project.turn('dev');
    const turn = ['turn_dispatched', 'turn_accepted'];
    expect(project.events).toEqual(['run_started', 'phase_entered', ...turn, ...turn]);
    expect(bookFaults(project)).toEqual([]);
  } finally {
    project.remove();
  }
});
