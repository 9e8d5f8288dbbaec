// Valid results that cannot be accepted yet, and turns that another loop took over.

import { join } from 'node:path';
import { createHub } from 'parley-hub';
import { createRunner, nextRole, type Runner, readStagedResult, serveRun } from 'parley-hub/governed';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { takeLock } from '../../../src/governed/files/lock.ts';
import { createRunLoop } from '../../../src/governed/loop/run-loop.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { itDeep } from '../../support/size.ts';
import { accepted, Scene, SOLO } from './scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
  return () => scene.remove();
});

describe('a valid result that cannot be accepted yet', () => {
  itDeep.each([
    'lock_timeout',
    'io_error',
    'unavailable',
    'timeout',
    'fenced_out',
    'outcome_unknown',
    'hub_not_running',
    'hub_not_answering',
    'log_damaged',
    'tree_unreadable',
  ])(
    '[GL18] because of %s ends the loop without a rejection, and is accepted by the next loop',
    async (code) => {
      const own = createRunner();
      const away: Runner = { ...own, acceptTurn: async () => ({ ok: false, error: 'not now', error_code: code }) };
      const events: string[] = [];
      const result = await createRunLoop({ runner: away, clock: systemClock })(scene.root, SOLO, {
        selectRole: nextRole,
        dispatch: accepted,
        approveGate: () => true,
        onEvent: ({ type }) => void events.push(type),
      });
      expect(result).toMatchObject({ ok: false, stop_reason: 'dispatch_error', errors: [{ code }], turn_history: [] });
      expect(events).toEqual(['turn_assigned']);
      const [turn] = Object.values(result.state?.active_turns ?? {});
      expect(turn).toMatchObject({ attempt: 1 });
      expect(turn?.last_rejection).toBeUndefined();
      expect(await readStagedResult(scene.root, turn?.turn_id ?? '')).toMatchObject({ kind: 'ready' });
      expect(await scene.run({}, {}, SOLO)).toMatchObject({ ok: true, stop_reason: 'completed', turns_executed: 0 });
      expect(scene.out).toEqual([]);
    },
    30_000,
  );

  it('[GL18] because its hub stopped during the turn waits for the hub', async () => {
    const hub = await createHub();
    onTestFinished(() => hub.stop());
    const served = await serveRun(hub, scene.root);
    const result = await scene.run(
      {
        dispatch: async (context) => {
          await served.close();
          return accepted(context);
        },
      },
      {},
      SOLO,
    );
    expect(result).toMatchObject({ stop_reason: 'dispatch_error', turn_history: [] });
    expect(result.errors.map(({ code }) => code)).toEqual(['hub_not_running']);
    const again = await serveRun(hub, scene.root);
    onTestFinished(() => again.close());
    expect(await scene.run({}, {}, SOLO)).toMatchObject({ stop_reason: 'completed', turns_executed: 0 });
    expect(scene.out).toEqual(['qa 1']);
  }, 30_000);
});

/** A clock for which every lock heartbeat is stale. */
function impatient() {
  let now = 0;
  const monotonic = () => {
    now += 60_000;
    return now;
  };
  return { ...systemClock, monotonic };
}

it.each([
  ['a rejection', () => ({ accept: false as const, reason: 'late words' })],
  ['a blocker', () => ({ accept: false as const, blocked: true as const, reason: 'late words' })],
  ['a result', accepted],
])(
  '[GL3] a loop that was taken over ignores %s',
  async (_, answer) => {
    const result = await scene.run(
      {
        dispatch: async (context) => {
          const folder = join(scene.root, '.agentxchain/locks/loop');
          const taken = await takeLock(folder, { owner: 'another loop', clock: impatient() });
          if (!taken.ok) throw new Error(taken.error);
          onTestFinished(() => taken.lock.release());
          return answer(context);
        },
      },
      {},
      SOLO,
    );
    expect(result).toMatchObject({ ok: false, stop_reason: 'dispatch_error', errors: [{ code: 'loop_taken_over' }] });
    const state = await scene.state();
    expect(state).toMatchObject({ status: 'active', accepted_sequence: 0 });
    const [turn] = Object.values(state?.active_turns ?? {});
    expect(turn).toMatchObject({ attempt: 1 });
    expect(turn?.last_rejection).toBeUndefined();
    expect(await readStagedResult(scene.root, turn?.turn_id ?? '')).toEqual({ kind: 'absent' });
  },
  30_000,
);

it('[GL16] does not dispatch a turn of another loop that it cannot mark as stalled', async () => {
  const own = createRunner();
  await own.initRun(scene.root, SOLO);
  const assigned = await own.assignTurn(scene.root, SOLO, 'qa');
  if (!assigned.ok) throw new Error(assigned.error);
  await own.writeDispatchBundle(scene.root, null, SOLO);
  const busy: Runner = {
    ...own,
    transitionActiveTurnLifecycle: async (root, turnId, step, details) =>
      step === 'stalled'
        ? { ok: false, error: 'not now', error_code: 'lock_timeout' }
        : own.transitionActiveTurnLifecycle(root, turnId, step, details),
  };
  const out: string[] = [];
  const result = await createRunLoop({ runner: busy, clock: systemClock })(scene.root, SOLO, {
    selectRole: nextRole,
    dispatch: (context) => {
      out.push(context.turn.turn_id);
      return accepted(context);
    },
    approveGate: () => true,
  });
  expect(result).toMatchObject({ stop_reason: 'dispatch_error', errors: [{ code: 'lock_timeout' }] });
  expect(out).toEqual([]);
}, 30_000);
