// The run loop with the real runner on a real disk.

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
import { beforeEach, describe, expect, it } from 'vitest';
import { accepted, CONFIG, doneWell, put, Scene, SOLO } from './scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
  return () => scene.remove();
});

function throwing(message: string): () => never {
  return () => {
    throw new Error(message);
  };
}

const onlyOnce = { ...CONFIG, rules: { max_turn_retries: 1 } };

describe('the arguments', () => {
  it.each([
    ['a missing root', ['/nowhere/at/all', CONFIG, {}], 'bad_root'],
    ['an invalid config', [null, { ...CONFIG, schema_version: '9' }, {}], 'invalid_config'],
    ['no config', [null, undefined, {}], 'invalid_config'],
    ['a maxTurns that is not a number', [null, CONFIG, { maxTurns: Number.NaN }], 'bad_options'],
    ['a timeout that is not a number', [null, CONFIG, { turnTimeoutMs: 'long' }], 'bad_options'],
  ])('[GL1] reports %s without throwing or beginning', async (_, [root, config, options], code) => {
    const callbacks: LoopCallbacks = { selectRole: () => null, dispatch: accepted, approveGate: () => true };
    const result = await runLoop((root ?? scene.root) as string, config, callbacks, options as object);
    expect(result).toMatchObject({ ok: false, stop_reason: 'init_failed', state: null, errors: [{ code }] });
    expect(existsSync(join(scene.root, '.agentxchain/log'))).toBe(false);
  });

  it('[GL1] reports a missing callback', async () => {
    const result = await runLoop(scene.root, CONFIG, { selectRole: () => null } as unknown as LoopCallbacks);
    expect(result).toMatchObject({ stop_reason: 'init_failed', errors: [{ code: 'bad_callbacks' }] });
  });

  it.each([
    ['a product file from reviewers only', 'src/lamp.ts', 'qa'],
    ['a run file', '.agentxchain/state.json', 'pm'],
    ['a file outside the project', '../other/file', 'pm'],
  ])('[GL2] does not begin a run whose gate requires %s', async (_, file, role) => {
    const planning = { entry_role: role, allowed_next_roles: [role, 'human'], exit_gate: 'plan' };
    const config = { ...CONFIG, routing: { planning }, gates: { plan: { requires_files: [file] } } };
    const result = await scene.run({}, {}, config);
    expect(result).toMatchObject({ ok: false, stop_reason: 'admission_rejected', turns_executed: 0 });
    const message = expect.stringContaining('planning');
    expect(result.errors).toMatchObject([{ code: 'file_without_producer', message }]);
    expect(await scene.state()).toBeNull();
  });

  it('[GL2] reports a required file whose owner gets no turns, and needs no producer for existing files', async () => {
    const artifacts = [{ path: '.planning/PLAN.md', owned_by: 'ops' }];
    const planning = { entry_role: 'qa', allowed_next_roles: ['qa', 'human'], exit_gate: 'plan' };
    const config = { ...CONFIG, routing: { planning }, gates: { plan: { requires_files: ['src/lamp.ts'] } } };
    put(scene.root, 'src/lamp.ts', 'light');
    const owned = await scene.run({}, {}, { ...config, workflow_kit: { phases: { planning: { artifacts } } } });
    expect(owned.errors).toMatchObject([{ code: 'owner_not_routed' }]);
    const dispatch = (context: DispatchContext) => accepted(context, { run_completion_request: true });
    const there = await scene.run({ dispatch }, {}, config);
    expect(there).toMatchObject({ ok: true, stop_reason: 'completed' });
  });

  it('[GL3] allows one loop per project and refuses the second', async () => {
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
    ['returns an invalid accept', () => ({ accept: 'yes' }), 'dispatch_unusable'],
    ['throws', throwing('no network'), 'dispatch_threw'],
    ['rejects with a text', () => Promise.reject('no network'), 'dispatch_threw'],
  ])(
    '[GL4] that %s is a typed error; the turn stays active and is dispatched again',
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

  it('[GL5] with an invalid result is rejected and never staged', async () => {
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

  it('[GL5] with a missing staged result is rejected', async () => {
    const result = await scene.run({ dispatch: () => ({ accept: true }) }, {}, onlyOnce);
    expect(result).toMatchObject({ ok: false, stop_reason: 'reject_exhausted' });
    expect(result.state).toMatchObject({ status: 'blocked', blocked_on: 'escalation:retries-exhausted:pm' });
  });

  it('[GL6] is retried under its turn id, with the reason in its prompt, until no attempts are left', async () => {
    const turns: string[] = [];
    const prompts: boolean[] = [];
    const result = await scene.run({
      dispatch: (context) => {
        turns.push(context.turn.turn_id);
        const prompt = readFileSync(join(context.root, context.bundlePath, 'PROMPT.md'), 'utf8');
        prompts.push(prompt.includes('the well is dry'));
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

  it('[GL6] with a result that fails validation is retried and can succeed', async () => {
    const result = await scene.run({
      dispatch: (context) => accepted(context, context.turn.attempt === 1 ? { summary: '' } : {}),
    });
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed', turns_executed: 6 });
    expect(scene.out).toEqual(['pm 1', 'pm 2', 'dev 1', 'dev 2', 'qa 1', 'qa 2']);
    expect(scene.lines('history.jsonl').map(({ attempt }) => attempt)).toEqual([2, 2, 2]);
  }, 30_000);

  it('[GL7] that is permanent blocks the run with its reason and keeps the turn', async () => {
    const blocker = { blockedOn: 'dispatch:auth', recovery: 'Set it.' };
    const result = await scene.run({
      dispatch: () => ({ accept: false, blocked: true, reason: 'no key', ...blocker }),
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

describe('the timeout of a dispatch', () => {
  it('[GL8] aborts the signal, retries the turn, and ignores a late answer', async () => {
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
    const reason = expect.stringMatching(/^timeout/);
    expect(result.turn_history[0]).toMatchObject({ attempt: 1, accepted: false, reason });
    expect(scene.lines('history.jsonl').map(({ summary }) => summary)).not.toContain('too late');
    expect(scene.lines('history.jsonl')).toHaveLength(3);
  }, 30_000);

  it('[GL8] rejects an answer given at the abort, and can use up all attempts', async () => {
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

  it('[GL8] comes from the caller, the runtime or the project', async () => {
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

describe('a loop that is stopped', () => {
  it('[GL9] before it begins only begins the run', async () => {
    const result = await scene.run({}, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ ok: false, stop_reason: 'aborted', turns_executed: 0, state: { status: 'active' } });
    expect(scene.out).toEqual([]);
  });

  it('[GL9] during a turn aborts it, and the next loop dispatches the same turn again', async () => {
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

  it('[GL9] keeps a result that still arrives for the next loop, without repeating work', async () => {
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

  it('[GL9] does not wait forever for callbacks that ignore the signal', async () => {
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
  it('[GL10] receive every event in order, one at a time', async () => {
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

  it('[GL10] that throw are reported, and onEvent does not stop the loop', async () => {
    const result = await scene.run({
      onEvent: ({ type }) => {
        if (type === 'turn_accepted') throw new Error('full disk');
      },
    });
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
    const error = { code: 'callback_threw', message: 'onEvent(turn_accepted): full disk', turn_id: null };
    expect(result.errors).toEqual([error, error, error]);
  }, 30_000);

  it.each([
    ['throws', throwing('no idea'), false, 'callback_threw'],
    ['returns a number', () => 7, false, 'bad_role'],
    ['returns null', () => null, true, null],
  ])('[GL10] a selectRole that %s ends the loop', async (_, selectRole, ok, code) => {
    const result = await scene.run({ selectRole: selectRole as unknown as LoopCallbacks['selectRole'] });
    expect(result).toMatchObject({ ok, stop_reason: 'caller_stopped', turns_executed: 0, state: { status: 'active' } });
    expect(result.errors.map((one) => one.code)).toEqual(code === null ? [] : [code]);
  });

  it('[GL10] with an undeclared role report the refusal of the runner', async () => {
    const result = await scene.run({ selectRole: () => 'ghost' });
    expect(result).toMatchObject({ ok: false, stop_reason: 'dispatch_error', errors: [{ code: 'unknown_role' }] });
  });

  it.each([
    ['throws', throwing('not pushed')],
    ['returns ok: false', () => ({ ok: false, error: 'not pushed' })],
  ])(
    '[GL10] an afterAccept that %s ends the loop after the accepted turn',
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
    ['false', () => false, true],
    ['a text', () => 'yes', true],
    ['undefined', () => undefined, true],
    ['an error', throwing('no answer'), false],
  ])(
    '[GL11] stay closed after %s; the next loop asks again',
    async (_, approveGate, ok) => {
      const held = await scene.run({ approveGate: approveGate as unknown as LoopCallbacks['approveGate'] }, {}, SOLO);
      expect(held).toMatchObject({ ok, stop_reason: 'gate_held', gates_approved: 0, state: { status: 'paused' } });
      expect(scene.types().slice(-2)).toEqual(['gate_paused', 'gate_held']);
      expect(await scene.run({}, {}, SOLO)).toMatchObject({ stop_reason: 'completed', gates_approved: 1 });
      expect(scene.out).toEqual(['qa 1']);
    },
    30_000,
  );

  it('[GL11] pass their type and state to the callback; a gate with unmet requirements keeps the phase', async () => {
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

describe('the limit of turns', () => {
  it('[GL12] counts every attempt, and comes from the caller, the config or the default 50', async () => {
    for (const maxTurns of [0, 1]) {
      const reached = { ok: true, stop_reason: 'max_turns_reached', turns_executed: maxTurns };
      expect(await scene.run({}, { maxTurns })).toMatchObject(reached);
    }
    const config = { ...CONFIG, run_loop: { max_turns: 1 } };
    expect(await scene.run({}, {}, config)).toMatchObject({ stop_reason: 'max_turns_reached', turns_executed: 1 });
    expect(await scene.run()).toMatchObject({ stop_reason: 'completed', turns_executed: 1 });
  }, 30_000);

  it('[GL12] is not needed for a completed run, which restarts only on request', async () => {
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

  it('[GL12] leaves provenance and inherited context in the state', async () => {
    const { state } = await scene.run(
      { selectRole: () => null },
      { provenance: { trigger: 'ci' }, inheritedContext: { from: 'run_0' } },
    );
    expect(state).toMatchObject({ provenance: { trigger: 'ci' }, inherited_context: { from: 'run_0' } });
  });
});

describe('a turn', () => {
  it('[GL13] is dispatched with a sealed bundle and its digest', async () => {
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

  it('[GL13] blocked by a hook at dispatch blocks the run without a callback', async () => {
    const no = [process.execPath, '-e', 'console.log(JSON.stringify({verdict:"block",message:"not today"}))'];
    const after_dispatch = [{ name: 'guard', type: 'process', command: no, timeout_ms: 20_000, mode: 'blocking' }];
    const result = await scene.run({}, {}, { ...CONFIG, hooks: { after_dispatch } });
    const blocked = { ok: false, stop_reason: 'blocked', turns_executed: 0, state: { status: 'blocked' } };
    expect(result).toMatchObject(blocked);
    expect(scene.out).toEqual([]);
  }, 30_000);

  it('[GL13] that needs a person is accepted and stops the loop', async () => {
    const over = { status: 'needs_human', needs_human_reason: 'which colour?', phase_transition_request: null };
    const result = await scene.run({ dispatch: (context) => accepted(context, over) });
    expect(result).toMatchObject({ ok: false, stop_reason: 'blocked', turns_executed: 1 });
    expect(result.state).toMatchObject({ status: 'blocked', blocked_reason: { category: 'needs_human' } });
  });
});

describe('concurrent turns', () => {
  const both = (state: { phase: string | null; active_turns: object }): string | null => {
    const turns = Object.values(state.active_turns as Record<string, { assigned_role: string }>);
    const roles = turns.map((turn) => turn.assigned_role);
    if (state.phase !== 'implementation') return state.phase === 'planning' ? 'pm' : 'qa';
    return ['dev', 'ops'].find((role) => !roles.includes(role)) ?? null;
  };

  it('[GL14] are dispatched up to the limit of the phase, and accepted one at a time', async () => {
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
          // Both are dispatched before either returns.
          await together;
        }
        return accepted(context, context.turn.assigned_role === 'ops' ? { phase_transition_request: null } : {});
      },
    });
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(scene.types().filter((type) => type === 'parallel_dispatch')).toHaveLength(1);
    expect(scene.lines('history.jsonl').map(({ role }) => role)).toHaveLength(4);
  }, 30_000);

  it('[GL14] are retried independently of each other', async () => {
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

  it('[GL15] that change the same file conflict: the later is retried until conflict_loop', async () => {
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

  it('[GL15] no longer conflict after a retry', async () => {
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

  it('[GL14] that end after a stop are accepted by the next loop', async () => {
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
    const dispatch = (context: DispatchContext) =>
      accepted(context, context.turn.assigned_role === 'ops' ? { phase_transition_request: null } : {});
    expect(await scene.run({ selectRole: both, dispatch })).toMatchObject({ stop_reason: 'completed' });
    expect(scene.out.slice(before)).not.toContain('ops 2');
    expect(scene.lines('history.jsonl').filter(({ role }) => role === 'ops').length).toBeGreaterThan(0);
  }, 30_000);
});

describe('a turn of an ended process', () => {
  async function turnOut(): Promise<string> {
    await initRun(scene.root, CONFIG);
    const assigned = await assignTurn(scene.root, CONFIG, 'pm');
    if (!assigned.ok) throw new Error(assigned.error);
    return assigned.turn.turn_id;
  }
  const firstOf = (result: { turn_history: readonly { turn_id: string }[] }) => result.turn_history[0]?.turn_id;

  it('[GL16] is dispatched if it was only assigned', async () => {
    const id = await turnOut();
    const result = await scene.run();
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(firstOf(result)).toBe(id);
  }, 30_000);

  it('[GL16] is marked as stalled and dispatched again as the same attempt', async () => {
    const id = await turnOut();
    await writeDispatchBundle(scene.root, null, CONFIG, { turnId: id });
    const result = await scene.run();
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(firstOf(result)).toBe(id);
    const types = scene.lines('events.jsonl').map(({ event_type }) => event_type);
    const stalled = [
      'run_started',
      'phase_entered',
      'turn_dispatched',
      'turn_stalled',
      'turn_dispatched',
      'turn_accepted',
    ];
    expect(types.slice(0, 6)).toEqual(stalled);
  }, 30_000);

  it('[GL16] is accepted without a dispatch if its result was staged', async () => {
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

  it('[GL16] is rejected and retried if its staged result is invalid', async () => {
    const id = await turnOut();
    await stageResult(scene.root, id, { schema_version: '1.0', turn_id: id, status: 'completed' });
    const result = await scene.run();
    expect(result).toMatchObject({ ok: true, stop_reason: 'completed' });
    expect(scene.out).toEqual(['pm 2', 'dev 1', 'qa 1']);
  }, 30_000);

  it('[GL16] leaves a blocked run blocked', async () => {
    await turnOut();
    await markRunBlocked(scene.root, { blockedOn: 'human:holiday', category: 'operator' });
    expect(await scene.run()).toMatchObject({ ok: false, stop_reason: 'blocked', turns_executed: 0 });
    expect(scene.types()).toEqual(['blocked']);
  });
});
