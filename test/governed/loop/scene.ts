/** A project on a real disk with scripted turns, for tests of the run loop. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type DispatchContext,
  type GovernedConfig,
  type LoopAnswer,
  type LoopCallbacks,
  type LoopEvent,
  type LoopOptions,
  type LoopResult,
  loadState,
  nextRole,
  type RunState,
  runLoop,
} from 'parley-hub/governed';

export const CONFIG: GovernedConfig = {
  schema_version: '1.0',
  project: { id: 'lamp' },
  roles: {
    pm: { runtime: 'bench' },
    dev: { runtime: 'bench' },
    ops: { runtime: 'bench' },
    qa: { runtime: 'bench', write_authority: 'review_only' },
  },
  runtimes: { bench: { type: 'local_cli', command: 'true' } },
  routing: {
    planning: { entry_role: 'pm', exit_gate: 'plan' },
    implementation: { entry_role: 'dev', exit_gate: 'built', max_concurrent_turns: 2 },
    qa: { entry_role: 'qa', exit_gate: 'ship' },
  },
  gates: {
    plan: { requires_files: ['.planning/PLAN.md'], requires_human_approval: true },
    built: { requires_verification_pass: true },
    ship: { requires_human_approval: true },
  },
};

/** One role and one gate, for tests with many cases. */
export const SOLO: GovernedConfig = {
  ...CONFIG,
  routing: { qa: { entry_role: 'qa', exit_gate: 'ship' } },
  gates: { ship: { requires_human_approval: true } },
};

const NEXT: Readonly<Record<string, object>> = {
  pm: { phase_transition_request: 'implementation' },
  dev: { phase_transition_request: 'qa' },
  qa: { run_completion_request: true },
};

/** A valid result of a role; writes the files that it declares. */
export function doneWell({ turn, state, root }: DispatchContext, over: object = {}): Record<string, unknown> {
  const role = turn.assigned_role;
  const file = role === 'pm' ? '.planning/PLAN.md' : `src/${role}.ts`;
  if (role !== 'qa') put(root, file, `${turn.turn_id}\n`);
  return {
    schema_version: '1.0',
    run_id: state.run_id,
    turn_id: turn.turn_id,
    role,
    runtime_id: turn.runtime_id,
    status: 'completed',
    summary: `${role} has done it`,
    decisions: [],
    objections: role === 'qa' ? [{ id: 'OBJ-1', severity: 'low', statement: 'It flickers' }] : [],
    files_changed: role === 'qa' ? [] : [file],
    verification: { status: 'pass', machine_evidence: [{ command: 'make', exit_code: 0 }] },
    artifact: { type: role === 'qa' ? 'review' : 'workspace' },
    proposed_next_role: 'human',
    ...NEXT[role],
    ...over,
  };
}

export function put(root: string, file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

export function accepted(context: DispatchContext, over: object = {}): LoopAnswer {
  return { accept: true, turnResult: doneWell(context, over) };
}

export class Scene {
  readonly root: string = mkdtempSync(join(tmpdir(), 'parley-loop-'));
  readonly events: LoopEvent[] = [];
  /** Each dispatch as `role attempt`. */
  readonly out: string[] = [];

  /** By default, every turn succeeds and every gate is approved. */
  run(over: Partial<LoopCallbacks> = {}, options: LoopOptions = {}, config: unknown = CONFIG): Promise<LoopResult> {
    const { dispatch = accepted, ...others } = over;
    return runLoop(
      this.root,
      config,
      {
        selectRole: nextRole,
        approveGate: () => true,
        onEvent: (event) => void this.events.push(event),
        ...others,
        dispatch: (context) => {
          this.out.push(`${context.turn.assigned_role} ${context.turn.attempt}`);
          return dispatch(context);
        },
      },
      options,
    );
  }

  types(): readonly string[] {
    return this.events.map(({ type }) => type);
  }

  state(): Promise<RunState | null> {
    return loadState(this.root, CONFIG);
  }

  lines(name: string): readonly Record<string, unknown>[] {
    const text = readFileSync(join(this.root, '.agentxchain', name), 'utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
