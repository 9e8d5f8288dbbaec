// The run loop over the real runner on a real disk: what goes wrong first, then how a run comes to its end.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  assignTurn,
  type DispatchContext,
  getTurnStagingResultPath,
  initRun,
  type LoopCallbacks,
  loadState,
  markRunBlocked,
  reactivateRun,
  runLoop,
  stageResult,
  verifyManifest,
  writeDispatchBundle,
} from 'parley-hub/governed';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { accepted, CONFIG, doneWell, put, Scene, SOLO } from './scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => scene.remove());

const onlyOnce = { ...CONFIG, rules: { max_turn_retries: 1 } };

describe('what it is given', () => {
  it.each([
    ['a root that is not there', ['/nowhere/at/all', CONFIG, {}], 'bad_root'],
    ['a config that does not hold', [null, { ...CONFIG, schema_version: '9' }, {}], 'invalid_config'],
    ['no config', [null, undefined, {}], 'invalid_config'],
    ['too many turns that are none', [null, CONFIG, { maxTurns: Number.NaN }], 'bad_options'],
    ['a time that is none', [null, CONFIG, { turnTimeoutMs: 'long' }], 'bad_options'],
  ])('[GL1] %s is told, and nothing is thrown or begun', async (_, [root, config, options], code) => {
    const callbacks: LoopCallbacks = { selectRole: () => null, dispatch: accepted, approveGate: () => true };
    const result = await runLoop((root ?? scene.root) as string, config, callbacks, options as object);
    expect(result).toMatchObject({ ok: false, stop_reason: 'init_failed', state: null, errors: [{ code }] });
    expect(existsSync(join(scene.root, '.agentxchain/log'))).toBe(false);
  });

  it('[GL1] a callback that is missing is told', async () => {
    const result = await runLoop(scene.root, CONFIG, { selectRole: () => null } as unknown as LoopCallbacks);
    expect(result).toMatchObject({ stop_reason: 'init_failed', errors: [{ code: 'bad_callbacks' }] });
  });

  it.each([
    [
      'a product file of reviewers alone',
      { plan: { requires_files: ['src/lamp.ts'] } },
      ['qa'],
      'file_without_producer',
    ],
    [
      'a file of the run itself',
      { plan: { requires_files: ['.agentxchain/state.json'] } },
      ['pm'],
      'file_without_producer',
    ],
    ['a file outside', { plan: { requires_files: ['../other/file'] } }, ['pm'], 'file_without_producer'],
  ])('[GL2] a gate that asks for %s can never open, and the run is not begun', async (_, gates, allowed, code) => {
    const planning = { entry_role: allowed[0] ?? '', allowed_next_roles: [...allowed, 'human'], exit_gate: 'plan' };
    const config = { ...CONFIG, routing: { planning }, gates };
    const result = await scene.run({}, {}, config);
    expect(result).toMatchObject({ ok: false, stop_reason: 'admission_rejected', turns_executed: 0 });
    expect(result.errors).toMatchObject([{ code, message: expect.stringContaining('planning') }]);
    expect(await scene.state()).toBeNull();
  });

  it('[GL2] a required file whose owner has no turns in the phase is told; what is there already needs no producer', async () => {
    const artifacts = [{ path: '.planning/PLAN.md', owned_by: 'ops' }];
    const planning = { entry_role: 'qa', allowed_next_roles: ['qa', 'human'], exit_gate: 'plan' };
    const config = { ...CONFIG, routing: { planning }, gates: { plan: { requires_files: ['src/lamp.ts'] } } };
    put(scene.root, 'src/lamp.ts', 'light');
    const owned = await scene.run({}, {}, { ...config, workflow_kit: { phases: { planning: { artifacts } } } });
    expect(owned.errors).toMatchObject([{ code: 'owner_not_routed' }]);
    const there = await scene.run(
      { dispatch: (context) => accepted(context, { run_completion_request: true }) },
      {},
      config,
    );
    expect(there).toMatchObject({ ok: true, stop_reason: 'completed' });
  });

  it('[GL3] one loop works on a project at a time; the second is told', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((done) => {
      release = done;
    });
    let isOut: () => void = () => undefined;
    const out = new Promise<void>((done) => {
      isOut = done;
    });
    const first = scene.run({
      dispatch: async (context) => {
        isOut();
        await gate;
        return accepted(context);
      },
    });
    await out;
    const second = await scene.run();
    release();
    expect(second).toMatchObject({ ok: false, stop_reason: 'init_failed', errors: [{ code: 'loop_running' }] });
    expect(await first).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(scene.out).toEqual(['pm 1', 'dev 1', 'qa 1']);
  }, 30_000);
});

describe('a dispatch that fails', () => {
  it.each([
    ['returns nothing', () => undefined, 'dispatch_unusable'],
    ['returns a text', () => 'done', 'dispatch_unusable'],
    ['returns an array', () => [], 'dispatch_unusable'],
    ['says neither yes nor no', () => ({ accept: 'yes' }), 'dispatch_unusable'],
    [
      'throws',
      () => {
        throw new Error('no network');
      },
      'dispatch_threw',
    ],
    ['rejects with a text', () => Promise.reject('no network'), 'dispatch_threw'],
  ])(
    '[GL4] that %s is a typed error; the turn stays out and goes out again',
    async (_, dispatch, code) => {
      const result = await scene.run({ dispatch: dispatch as unknown as LoopCallbacks['dispatch'] }, {}, SOLO);
      expect(result).toMatchObject({ ok: false, stop_reason: 'dispatch_error', turns_executed: 1 });
      const [turn_id = ''] = Object.keys(result.state?.active_turns ?? {});
      expect(result.errors).toEqual([{ code, message: expect.any(String), turn_id }]);
      expect(result.state?.active_turns[turn_id]).toMatchObject({ status: 'stalled', attempt: 1 });
      const again = await scene.run({}, {}, SOLO);
      expect(again).toMatchObject({ ok: true, stop_reason: 'completed' });
      expect(again.turn_history[0]).toMatchObject({ turn_id, attempt: 1, accepted: true });
    },
    30_000,
  );

  it('[GL5] a payload that is no result is sent back and never staged', async () => {
    const answers: unknown[] = [{ status: 'completed' }, 'text', [], { schema_version: '1.0', turn_id: 'x' }];
    const config = { ...CONFIG, rules: { max_turn_retries: answers.length } };
    const seen: boolean[] = [];
    const result = await scene.run(
      {
        dispatch: ({ root, stagingPath, turn }) => {
          seen.push(existsSync(join(root, stagingPath)));
          return { accept: true, turnResult: answers[turn.attempt - 1] };
        },
      },
      {},
      config,
    );
    expect(result).toMatchObject({ ok: false, stop_reason: 'reject_exhausted', turns_executed: 4 });
    expect(result.turn_history.map(({ reason }) => reason)).toEqual(
      Array.from(answers, () => expect.stringMatching(/^turnResult: expected an object with schema_version/)),
    );
    expect(seen).toEqual([false, false, false, false]);
  }, 30_000);

  it('[GL5] a result that was said to be staged and is not is sent back', async () => {
    const result = await scene.run({ dispatch: () => ({ accept: true }) }, {}, onlyOnce);
    expect(result).toMatchObject({ ok: false, stop_reason: 'reject_exhausted' });
    expect(result.state).toMatchObject({ status: 'blocked', blocked_on: 'escalation:retries-exhausted:pm' });
  });

  it('[GL6] a turn that is sent back is tried again under its id, with the reason in its prompt, until its tries are used up', async () => {
    const turns: string[] = [];
    const prompts: boolean[] = [];
    const result = await scene.run({
      dispatch: (context) => {
        turns.push(context.turn.turn_id);
        prompts.push(
          readFileSync(join(context.root, context.bundlePath, 'PROMPT.md'), 'utf8').includes('the well is dry'),
        );
        return { accept: false, reason: 'the well is dry' };
      },
    });
    expect(result).toMatchObject({ ok: false, stop_reason: 'reject_exhausted', turns_executed: 2 });
    expect(new Set(turns).size).toBe(1);
    expect(prompts).toEqual([false, true]);
    expect(scene.out).toEqual(['pm 1', 'pm 2']);
    expect(scene.types()).toEqual(['turn_assigned', 'turn_rejected', 'turn_rejected', 'blocked']);
    expect(result.state).toMatchObject({ status: 'blocked', blocked_on: 'escalation:retries-exhausted:pm' });
    expect(result.errors).toMatchObject([{ code: 'reject_exhausted', message: 'the well is dry' }]);
  });

  it('[GL6] what does not pass the stages is sent back, and the next try can do better', async () => {
    const result = await scene.run({
      dispatch: (context) => accepted(context, context.turn.attempt === 1 ? { summary: '' } : {}),
    });
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed', turns_executed: 6 });
    expect(scene.out).toEqual(['pm 1', 'pm 2', 'dev 1', 'dev 2', 'qa 1', 'qa 2']);
    expect(scene.lines('history.jsonl').map(({ attempt }) => attempt)).toEqual([2, 2, 2]);
  }, 30_000);

  it('[GL7] one that cannot be helped blocks the run with its own words, and the turn is kept', async () => {
    const result = await scene.run({
      dispatch: () => ({
        accept: false,
        blocked: true,
        reason: 'no key',
        blockedOn: 'dispatch:auth',
        recovery: 'Set it.',
      }),
    });
    expect(result).toMatchObject({ ok: false, stop_reason: 'blocked', turns_executed: 1 });
    expect(result.state).toMatchObject({
      status: 'blocked',
      blocked_on: 'dispatch:auth',
      blocked_reason: { recovery: { recovery_action: 'Set it.', detail: 'no key', turn_retained: true } },
    });
    expect((await scene.run()).stop_reason).toBe('blocked');
    await reactivateRun(scene.root, null, { note: 'it is set' });
    expect(await scene.run({}, { maxTurns: 1 })).toMatchObject({ ok: true, stop_reason: 'max_turns_reached' });
    expect(scene.out).toEqual(['pm 1', 'pm 1']);
  }, 30_000);
});

describe('time', () => {
  it('[GL8] is over for a dispatch that does not end: it is told, the turn is tried again, and what comes late is ignored', async () => {
    const late: (() => void)[] = [];
    const told: { timeoutMs: number; deadline: string; reason: string }[] = [];
    const dispatch = (context: DispatchContext) => {
      if (context.turn.assigned_role !== 'pm' || context.turn.attempt > 1) return accepted(context);
      const { dispatchAbortSignal: signal, dispatchTimeoutMs: timeoutMs, dispatchDeadlineAt: deadline } = context;
      return new Promise<ReturnType<typeof accepted>>((resolve) => {
        signal.addEventListener('abort', () => told.push({ timeoutMs, deadline, reason: String(signal.reason) }));
        late.push(() => resolve(accepted(context, { summary: 'too late' })));
      });
    };
    const result = await scene.run(
      { dispatch, onEvent: (event) => void (event.type === 'turn_rejected' && late[0]?.()) },
      { turnTimeoutMs: 100, abortGraceMs: 50 },
    );
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(told).toEqual([
      { timeoutMs: 100, deadline: expect.stringMatching(/^\d{4}-.*Z$/), reason: expect.stringContaining('100 ms') },
    ]);
    expect(result.turn_history[0]).toMatchObject({
      attempt: 1,
      accepted: false,
      reason: expect.stringMatching(/^timeout/),
    });
    expect(scene.lines('history.jsonl').map(({ summary }) => summary)).not.toContain('too late');
    expect(scene.lines('history.jsonl')).toHaveLength(3);
  }, 30_000);

  it('[GL8] also for one that ends in time to say so, and its tries can be used up by it', async () => {
    const result = await scene.run(
      {
        dispatch: (context) =>
          new Promise((resolve) => {
            const end = (): void => resolve(accepted(context));
            context.dispatchAbortSignal.addEventListener('abort', end);
          }),
      },
      { turnTimeoutMs: 50 },
    );
    expect(result).toMatchObject({ ok: false, stop_reason: 'reject_exhausted', turns_executed: 2 });
    expect(existsSync(join(scene.root, '.agentxchain/history.jsonl')) ? scene.lines('history.jsonl') : []).toEqual([]);
  });

  it('[GL8] is what the runtime or the project says, unless the caller does', async () => {
    const seen: number[] = [];
    const dispatch = (context: DispatchContext) => {
      seen.push(context.dispatchTimeoutMs);
      return { accept: false as const, blocked: true as const, reason: 'enough' };
    };
    await scene.run({ dispatch });
    const other = new Scene();
    await other.run({ dispatch }, {}, { ...CONFIG, timeouts: { per_turn_minutes: 3 } });
    const third = new Scene();
    await third.run({ dispatch }, {}, { ...CONFIG, runtimes: { bench: { type: 'local_cli', timeout_ms: 5_000 } } });
    other.remove();
    third.remove();
    expect(seen).toEqual([7_200_000, 180_000, 5_000]);
  }, 30_000);
});

describe('a loop that is told to stop', () => {
  it('[GL9] before it begins does nothing but begin the run', async () => {
    const result = await scene.run({}, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ ok: false, stop_reason: 'aborted', turns_executed: 0, state: { status: 'active' } });
    expect(scene.out).toEqual([]);
  });

  it('[GL9] while a turn is out tells it, ends, and the next loop gives the same turn out again', async () => {
    const stop = new AbortController();
    const first = await scene.run(
      {
        dispatch: ({ dispatchAbortSignal: signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve({ accept: false, reason: 'told to stop' }));
            stop.abort();
          }),
      },
      { signal: stop.signal },
    );
    expect(first).toMatchObject({ ok: false, stop_reason: 'aborted' });
    const [turn] = Object.values(first.state?.active_turns ?? {});
    expect(turn).toMatchObject({ assigned_role: 'pm', attempt: 1, status: 'running' });
    const second = await scene.run({}, { maxTurns: 1 });
    expect(second).toMatchObject({ ok: true, stop_reason: 'max_turns_reached' });
    expect(second.turn_history[0]).toMatchObject({ turn_id: turn?.turn_id, attempt: 1, accepted: true });
  }, 30_000);

  it('[GL9] keeps a result that came all the same: the next loop takes it, and nobody works twice', async () => {
    const stop = new AbortController();
    const dispatch = (context: DispatchContext) => {
      stop.abort();
      return accepted(context);
    };
    const first = await scene.run({ dispatch }, { signal: stop.signal });
    expect(first).toMatchObject({ stop_reason: 'aborted', turn_history: [] });
    expect(await scene.run()).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(scene.out).toEqual(['pm 1', 'dev 1', 'qa 1']);
  }, 30_000);

  it('[GL9] does not wait for ever for callbacks that do not listen', async () => {
    const stop = new AbortController();
    const forever = (): Promise<never> => {
      stop.abort();
      return new Promise(() => undefined);
    };
    const options = { signal: stop.signal, abortGraceMs: 20 };
    expect(await scene.run({ dispatch: forever }, options)).toMatchObject({ stop_reason: 'aborted' });
    expect(await scene.run({ onEvent: forever }, options)).toMatchObject({ stop_reason: 'aborted' });
  }, 30_000);
});

describe('callbacks', () => {
  it('[GL10] are told everything in order, one after the other, however long each takes', async () => {
    const heard: string[] = [];
    const result = await scene.run({
      async onEvent({ type }) {
        heard.push(`+${type}`);
        for (let n = 0; n < 20; n++) await null;
        heard.push(`-${type}`);
      },
    });
    expect(result.ok).toBe(true);
    const begun = heard.filter((word) => word.startsWith('+'));
    expect(heard).toEqual(begun.flatMap((word) => [word, word.replace('+', '-')]));
    expect(begun.map((word) => word.slice(1))).toEqual([
      'turn_assigned',
      'turn_accepted',
      'gate_paused',
      'gate_approved',
      'turn_assigned',
      'turn_accepted',
      'turn_assigned',
      'turn_accepted',
      'gate_paused',
      'gate_approved',
      'completed',
    ]);
  }, 30_000);

  it('[GL10] that throw are among the errors; onEvent stops nothing', async () => {
    const result = await scene.run({
      onEvent: ({ type }) => {
        if (type === 'turn_accepted') throw new Error('full disk');
      },
    });
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(result.errors).toEqual(
      Array.from({ length: 3 }, () => ({
        code: 'callback_threw',
        message: 'onEvent(turn_accepted): full disk',
        turn_id: null,
      })),
    );
  }, 30_000);

  it.each([
    [
      'throws',
      () => {
        throw new Error('no idea');
      },
      false,
      'callback_threw',
    ],
    ['names no role', () => 7, false, 'bad_role'],
    ['names nobody', () => null, true, null],
  ])('[GL10] a selectRole that %s ends the loop', async (_, selectRole, ok, code) => {
    const result = await scene.run({ selectRole: selectRole as unknown as LoopCallbacks['selectRole'] });
    expect(result).toMatchObject({ ok, stop_reason: 'caller_stopped', turns_executed: 0, state: { status: 'active' } });
    expect(result.errors.map((one) => one.code)).toEqual(code === null ? [] : [code]);
  });

  it('[GL10] a role that is not declared is refused by the runner, and told', async () => {
    const result = await scene.run({ selectRole: () => 'ghost' });
    expect(result).toMatchObject({ ok: false, stop_reason: 'dispatch_error', errors: [{ code: 'unknown_role' }] });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('not pushed');
      },
    ],
    ['says no', () => ({ ok: false, error: 'not pushed' })],
  ])(
    '[GL10] an afterAccept that %s ends the loop behind the turn that was accepted',
    async (_, afterAccept) => {
      const result = await scene.run({ afterAccept });
      expect(result).toMatchObject({ ok: false, stop_reason: 'caller_stopped', turns_executed: 1 });
      expect(result.errors).toMatchObject([{ message: 'afterAccept: not pushed' }]);
      expect(scene.lines('history.jsonl')).toHaveLength(1);
      expect((await scene.run({}, { maxTurns: 1 })).stop_reason).toBe('max_turns_reached');
      expect(scene.out).toEqual(['pm 1', 'dev 1']);
    },
    30_000,
  );
});

describe('gates', () => {
  it.each([
    ['no', () => false, true],
    ['something that is not true', () => 'yes', true],
    ['nothing', () => undefined, true],
    [
      'an error',
      () => {
        throw new Error('nobody there');
      },
      false,
    ],
  ])(
    '[GL11] %s holds the gate; the next loop asks again',
    async (_, approveGate, ok) => {
      const held = await scene.run({ approveGate: approveGate as unknown as LoopCallbacks['approveGate'] }, {}, SOLO);
      expect(held).toMatchObject({ ok, stop_reason: 'gate_held', gates_approved: 0, state: { status: 'paused' } });
      expect(scene.types().slice(-2)).toEqual(['gate_paused', 'gate_held']);
      expect(await scene.run({}, {}, SOLO)).toMatchObject({ stop_reason: 'completed', gates_approved: 1 });
      expect(scene.out).toEqual(['qa 1']);
    },
    30_000,
  );

  it('[GL11] asks with the kind of gate and the state; one that does not open by its files is tried again by the phase', async () => {
    const asked: unknown[] = [];
    const result = await scene.run({
      approveGate: (type, { phase, status }) => asked.push([type, phase, status]) > 0,
      dispatch: (context) => {
        const isFirst =
          context.turn.assigned_role === 'dev' && !scene.out.slice(0, -1).some((one) => one.startsWith('dev'));
        return accepted(context, isFirst ? { verification: { status: 'fail' } } : {});
      },
    });
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed', gates_approved: 2 });
    expect(asked).toEqual([
      ['phase_transition', 'planning', 'paused'],
      ['run_completion', 'qa', 'paused'],
    ]);
    expect(scene.out).toEqual(['pm 1', 'dev 1', 'dev 1', 'qa 1']);
  }, 30_000);
});

describe('how far it goes', () => {
  it('[GL12] counts every try, by the caller, the config or 50', async () => {
    expect(await scene.run({}, { maxTurns: 0 })).toMatchObject({
      ok: true,
      stop_reason: 'max_turns_reached',
      turns_executed: 0,
    });
    expect(await scene.run({}, { maxTurns: 1 })).toMatchObject({
      ok: true,
      stop_reason: 'max_turns_reached',
      turns_executed: 1,
    });
    const config = { ...CONFIG, run_loop: { max_turns: 1 } };
    expect(await scene.run({}, {}, config)).toMatchObject({ stop_reason: 'max_turns_reached', turns_executed: 1 });
    expect(await scene.run()).toMatchObject({ stop_reason: 'completed', turns_executed: 1 });
  }, 30_000);

  it('[GL12] of a run that is over does nothing, and begins another only if told', async () => {
    await scene.run();
    const again = await scene.run();
    expect(again).toMatchObject({ ok: true, stop_reason: 'completed', turns_executed: 0 });
    const anew = await scene.run({}, { startNewRunFromCompleted: true });
    expect(anew).toMatchObject({ ok: true, stop_reason: 'completed', turns_executed: 3 });
    expect(anew.state?.run_id).not.toBe(again.state?.run_id);
    await scene.run({ dispatch: () => ({ accept: false, blocked: true }) }, { startNewRunFromCompleted: true });
    const blocked = await scene.state();
    expect(blocked?.status).toBe('blocked');
    const third = await scene.run({}, { startNewRunFromBlocked: true });
    expect(third).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(third.state?.run_id).not.toBe(blocked?.run_id);
  }, 60_000);

  it('[GL12] remembers where a run comes from', async () => {
    const { state } = await scene.run(
      { selectRole: () => null },
      { provenance: { trigger: 'ci' }, inheritedContext: { from: 'run_0' } },
    );
    expect(state).toMatchObject({ provenance: { trigger: 'ci' }, inherited_context: { from: 'run_0' } });
  });
});

describe('a turn', () => {
  it('[GL13] goes out with a bundle that is sealed, and its digest', async () => {
    const seen: unknown[] = [];
    await scene.run(
      {
        dispatch: async (context) => {
          const { root, turn, state, bundlePath, stagingPath, bundleDigest: digest } = context;
          const { ok } = await verifyManifest(root, { turnId: turn.turn_id, digest });
          seen.push([ok, bundlePath, stagingPath, turn.status, state.active_turns[turn.turn_id]?.status]);
          return accepted(context);
        },
      },
      { maxTurns: 1 },
    );
    const id = scene.lines('history.jsonl')[0]?.turn_id;
    const staging = getTurnStagingResultPath(String(id));
    expect(seen).toEqual([[true, `.agentxchain/dispatch/turns/${id}`, staging, 'running', 'running']]);
  });

  it('[GL13] a hook that stops the dispatch blocks the run before anybody is called', async () => {
    const no = [process.execPath, '-e', 'console.log(JSON.stringify({verdict:"block",message:"not today"}))'];
    const after_dispatch = [{ name: 'guard', type: 'process', command: no, timeout_ms: 20_000, mode: 'blocking' }];
    const result = await scene.run({}, {}, { ...CONFIG, hooks: { after_dispatch } });
    expect(result).toMatchObject({
      ok: false,
      stop_reason: 'blocked',
      turns_executed: 0,
      state: { status: 'blocked' },
    });
    expect(scene.out).toEqual([]);
  }, 30_000);

  it('[GL13] that needs a person is accepted and stops the loop', async () => {
    const over = { status: 'needs_human', needs_human_reason: 'which colour?', phase_transition_request: null };
    const result = await scene.run({ dispatch: (context) => accepted(context, over) });
    expect(result).toMatchObject({ ok: false, stop_reason: 'blocked', turns_executed: 1 });
    expect(result.state).toMatchObject({ status: 'blocked', blocked_reason: { category: 'needs_human' } });
  });
});

describe('turns at the same time', () => {
  const both = (state: { phase: string | null; active_turns: object }): string | null => {
    const roles = Object.values(state.active_turns as Record<string, { assigned_role: string }>).map(
      (turn) => turn.assigned_role,
    );
    if (state.phase !== 'implementation') return state.phase === 'planning' ? 'pm' : 'qa';
    return ['dev', 'ops'].find((role) => !roles.includes(role)) ?? null;
  };

  it('[GL14] are out together as far as the phase allows, and come in one by one', async () => {
    let arrive: () => void = () => undefined;
    const together = new Promise<void>((done) => {
      arrive = done;
    });
    let count = 0;
    const result = await scene.run({
      selectRole: both,
      dispatch: async (context) => {
        if (context.state.phase === 'implementation') {
          count += 1;
          if (count === 2) arrive();
          // Both are out before either comes back.
          await together;
        }
        return accepted(context, context.turn.assigned_role === 'ops' ? { phase_transition_request: null } : {});
      },
    });
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(scene.types().filter((type) => type === 'parallel_dispatch')).toHaveLength(1);
    expect(scene.lines('history.jsonl').map(({ role }) => role)).toHaveLength(4);
  }, 30_000);

  it('[GL14] one is sent back while the other goes on, and is tried again beside it', async () => {
    const result = await scene.run({
      selectRole: both,
      dispatch: (context) => {
        const { assigned_role, attempt } = context.turn;
        if (assigned_role === 'ops' && attempt === 1) return { accept: false, reason: 'once more' };
        return accepted(context, assigned_role === 'ops' ? { phase_transition_request: null } : {});
      },
    });
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(scene.out).toContain('ops 2');
  }, 30_000);

  it('[GL15] that change the same file clash: the later one is tried again, and the tries end in conflict_loop', async () => {
    const same = { files_changed: ['src/lamp.ts'], phase_transition_request: null };
    let clashes = 0;
    const result = await scene.run(
      {
        selectRole: both,
        dispatch: (context) => {
          put(context.root, 'src/lamp.ts', 'light');
          return accepted(context, context.state.phase === 'implementation' ? same : {});
        },
        onEvent: ({ type }) => void (type === 'turn_conflicted' && ++clashes),
      },
      {},
      onlyOnce,
    );
    expect(result).toMatchObject({ ok: false, stop_reason: 'conflict_loop', state: { status: 'blocked' } });
    expect(clashes).toBe(1);
    expect(result.errors).toMatchObject([{ code: 'conflict_loop', message: expect.stringContaining('src/lamp.ts') }]);
  }, 30_000);

  it('[GL15] a clash is no clash any more when the turn was done anew', async () => {
    const types: string[] = [];
    let rounds = 0;
    const result = await scene.run({
      selectRole: (state) => (state.phase === 'implementation' && rounds > 1 ? null : both(state)),
      dispatch: (context) => {
        const { assigned_role, attempt } = context.turn;
        if (context.state.phase === 'implementation') rounds += 1;
        const isPlain = context.state.phase !== 'implementation';
        const request = attempt > 1 ? {} : { phase_transition_request: null };
        put(context.root, 'src/lamp.ts', `${assigned_role} ${attempt}`);
        return accepted(
          context,
          isPlain
            ? {}
            : { files_changed: ['src/lamp.ts'], ...(attempt > 1 ? { phase_transition_request: 'qa' } : request) },
        );
      },
      onEvent: ({ type }) => void types.push(type),
    });
    expect(types.filter((type) => type === 'turn_conflicted')).toHaveLength(1);
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
  }, 30_000);

  it('[GL14] results that come when the run was stopped wait, and the next loop takes them', async () => {
    const result = await scene.run({
      selectRole: both,
      dispatch: async (context) => {
        if (context.turn.assigned_role === 'dev') return { accept: false, blocked: true, reason: 'stuck' };
        if (context.turn.assigned_role === 'ops')
          while ((await loadState(context.root, CONFIG))?.status !== 'blocked') await null;
        return accepted(context, context.turn.assigned_role === 'ops' ? { phase_transition_request: null } : {});
      },
    });
    expect(result).toMatchObject({ ok: false, stop_reason: 'blocked' });
    await reactivateRun(scene.root, null, {});
    const before = scene.out.length;
    expect(
      await scene.run({
        selectRole: both,
        dispatch: (context) =>
          accepted(context, context.turn.assigned_role === 'ops' ? { phase_transition_request: null } : {}),
      }),
    ).toMatchObject({ stop_reason: 'completed' });
    expect(scene.out.slice(before)).not.toContain('ops 2');
    expect(scene.lines('history.jsonl').filter(({ role }) => role === 'ops').length).toBeGreaterThan(0);
  }, 30_000);
});

describe('a run that another process has left', () => {
  async function turnOut(): Promise<string> {
    await initRun(scene.root, CONFIG);
    const assigned = await assignTurn(scene.root, CONFIG, 'pm');
    if (!assigned.ok) throw new Error(assigned.error);
    return assigned.turn.turn_id;
  }
  const firstOf = (result: { turn_history: readonly { turn_id: string }[] }) => result.turn_history[0]?.turn_id;

  it('[GL16] assigned and not dispatched goes out', async () => {
    const id = await turnOut();
    const result = await scene.run();
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(firstOf(result)).toBe(id);
  }, 30_000);

  it('[GL16] dispatched and not handed in is told to have stalled, and goes out again as the same try', async () => {
    const id = await turnOut();
    await writeDispatchBundle(scene.root, null, CONFIG, { turnId: id });
    const result = await scene.run();
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(firstOf(result)).toBe(id);
    expect(
      scene
        .lines('events.jsonl')
        .map(({ event_type }) => event_type)
        .slice(0, 6),
    ).toEqual(['run_started', 'phase_entered', 'turn_dispatched', 'turn_stalled', 'turn_dispatched', 'turn_accepted']);
  }, 30_000);

  it('[GL16] handed in and not accepted is accepted, and nobody is called for it', async () => {
    const id = await turnOut();
    const state = await scene.state();
    const turn = state?.active_turns[id];
    if (state === null || turn === undefined) throw new Error('not out');
    const context = { turn, state, root: scene.root } as unknown as DispatchContext;
    await stageResult(scene.root, id, doneWell(context));
    const result = await scene.run();
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed', turns_executed: 2 });
    expect(scene.out).toEqual(['dev 1', 'qa 1']);
  }, 30_000);

  it('[GL16] handed in and wrong is sent back, and tried again', async () => {
    const id = await turnOut();
    await stageResult(scene.root, id, { schema_version: '1.0', turn_id: id, status: 'completed' });
    const result = await scene.run();
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(scene.out).toEqual(['pm 2', 'dev 1', 'qa 1']);
  }, 30_000);

  it('[GL16] blocked stays blocked', async () => {
    await turnOut();
    await markRunBlocked(scene.root, { blockedOn: 'human:holiday', category: 'operator' });
    expect(await scene.run()).toMatchObject({ ok: false, stop_reason: 'blocked', turns_executed: 0 });
    expect(scene.types()).toEqual(['blocked']);
  });
});
