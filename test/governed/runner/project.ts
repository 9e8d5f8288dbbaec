/** A project with a run, driven through the runner interface. */

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  createRunner,
  engine,
  type GovernedConfig,
  type Runner,
  type RunnerFailure,
  type RunnerPorts,
  stageResult,
  type Turn,
} from 'parley-hub/governed';

export const CONFIG: GovernedConfig = {
  schema_version: '1.0',
  project: { id: 'harbour' },
  roles: {
    pm: { runtime: 'manual' },
    dev: { runtime: 'manual' },
    qa: { runtime: 'manual', write_authority: 'review_only' },
  },
  routing: {
    planning: { entry_role: 'pm', exit_gate: 'plan_ok', max_concurrent_turns: 2 },
    checking: { entry_role: 'qa', exit_gate: 'ship_ok' },
  },
  gates: { plan_ok: { requires_human_approval: true }, ship_ok: {} },
};

export class Project {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), 'parley-run-')));
  readonly runner: Runner;
  config: GovernedConfig;

  constructor(config: GovernedConfig = CONFIG, ports: Partial<RunnerPorts> = {}) {
    this.config = config;
    this.runner = createRunner(ports);
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** The entries of a run file. */
  book(name: 'history' | 'decision-ledger' | 'events' | 'repo-decisions'): readonly Record<string, unknown>[] {
    return this.read(`.agentxchain/${name}.jsonl`)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  get events(): readonly unknown[] {
    return this.book('events').map(({ event_type }) => event_type);
  }

  get state(): Record<string, unknown> {
    return JSON.parse(this.read('.agentxchain/state.json'));
  }

  async init(): Promise<void> {
    done(await this.runner.initRun(this.root, this.config));
  }

  async assign(role = 'pm', turnId?: string): Promise<Turn> {
    const options = turnId === undefined ? {} : { turnId };
    return done(await this.runner.assignTurn(this.root, this.config, role, options)).turn;
  }

  async stage(turn: Turn, more: object = {}): Promise<void> {
    done(await stageResult(this.root, turn.turn_id, resultOf(turn, more)));
  }

  accept(turnId?: string): ReturnType<Runner['acceptTurn']> {
    return this.runner.acceptTurn(this.root, this.config, turnId === undefined ? {} : { turnId });
  }

  /** A turn from assignment to acceptance. */
  async turn(role = 'pm', more: object = {}): Promise<Turn> {
    const turn = await this.assign(role);
    await this.stage(turn, more);
    done(await this.accept(turn.turn_id));
    return turn;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function resultOf(turn: Turn, more: object = {}): Record<string, unknown> {
  const isReview = turn.assigned_role === 'qa';
  return {
    schema_version: '1.0',
    run_id: turn.run_id,
    turn_id: turn.turn_id,
    role: turn.assigned_role,
    runtime_id: turn.runtime_id,
    status: 'completed',
    summary: `${turn.turn_id} is done`,
    decisions: [],
    objections: isReview ? [{ id: 'OBJ-001', severity: 'low', statement: 'The paint is wet' }] : [],
    files_changed: isReview ? [] : [`src/${turn.turn_id}.ts`],
    verification: { status: 'pass', machine_evidence: [{ command: 'make', exit_code: 0 }] },
    artifact: { type: isReview ? 'review' : 'workspace' },
    proposed_next_role: 'human',
    ...more,
  };
}

export function decision(id: string, more: object = {}): object {
  return { id, category: 'scope', statement: `${id} it is`, rationale: 'because', ...more };
}

export function done<T extends { readonly ok: boolean }>(answer: T): Extract<T, { readonly ok: true }> {
  if (!answer.ok) throw new Error(JSON.stringify(answer));
  return answer as Extract<T, { readonly ok: true }>;
}

export function refused(answer: { readonly ok: boolean }): RunnerFailure {
  if (answer.ok) throw new Error(`expected a refusal, got ${JSON.stringify(answer).slice(0, 300)}`);
  return answer as RunnerFailure;
}

/** Faults of the run files: duplicate entries, and invalid events or event order. */
export function bookFaults(project: Project): readonly unknown[] {
  const twice = (keys: readonly string[]) => keys.filter((key, at) => keys.indexOf(key) !== at);
  const key = (names: readonly string[]) => (entry: Record<string, unknown>) =>
    JSON.stringify(names.map((name) => entry[name]));
  return [
    ...twice(project.book('history').map(key(['run_id', 'turn_id']))),
    ...twice(project.book('decision-ledger').map(key(['run_id', 'id']))),
    ...twice(project.book('events').map(key(['event_id']))),
    ...engine.orderFaults(project.book('events')),
    ...project.book('events').flatMap((event) => engine.eventFaults(event)),
  ];
}
