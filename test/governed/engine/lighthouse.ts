/** The scene of the engine tests: a project, its run and the results of its roles. */

import {
  type AcceptanceFailure,
  type AcceptInput,
  acceptTurn,
  assignTurn,
  buildAcceptanceIndex,
  type Changed,
  EMPTY_STATE,
  type EventDraft,
  type GovernedConfig,
  initialiseRun,
  progressTurn,
  type Refused,
  type RunState,
  type TurnAccepted,
} from 'parley-hub/governed/engine';

export const CONFIG: GovernedConfig = {
  schema_version: '1.0',
  project: { id: 'lighthouse' },
  roles: {
    lead: { runtime: 'manual' },
    builder: { runtime: 'bench' },
    critic: { runtime: 'bench', write_authority: 'review_only' },
  },
  runtimes: { bench: { type: 'local_cli' } },
  routing: {
    drafting: { entry_role: 'lead' },
    implementation: { entry_role: 'builder', max_concurrent_turns: 3, exit_gate: 'look' },
    checking: { entry_role: 'critic', exit_gate: 'ship' },
  },
  gates: { look: { requires_human_approval: true }, ship: { requires_verification_pass: true } },
};

/** A valid result for an active turn. */
export function resultFor(state: RunState, turnId: string, over: object = {}): Record<string, unknown> {
  const turn = state.active_turns[turnId];
  const isReview = turn?.assigned_role === 'critic';
  return {
    schema_version: '1.0',
    run_id: state.run_id,
    turn_id: turnId,
    role: turn?.assigned_role,
    runtime_id: turn?.runtime_id,
    status: 'completed',
    summary: `${turnId} is done`,
    decisions: [],
    objections: isReview ? [{ id: 'OBJ-1', severity: 'low', statement: 'It flickers' }] : [],
    files_changed: isReview ? [] : [`src/${turnId}.ts`],
    verification: { status: 'pass', machine_evidence: [{ command: 'make', exit_code: 0 }] },
    artifact: { type: isReview ? 'review' : 'workspace' },
    proposed_next_role: 'human',
    ...over,
  };
}

/** A run with its history, ledger and events. Inputs are frozen, so nothing can be changed in place. */
export class Lighthouse {
  state: RunState = frozen({ ...EMPTY_STATE });
  readonly config: GovernedConfig;
  readonly history: Record<string, unknown>[] = [];
  readonly ledger: Record<string, unknown>[] = [];
  readonly events: EventDraft[] = [];
  readonly files: Record<string, string> = {};
  #seconds = 0;

  constructor(config: GovernedConfig = CONFIG) {
    this.config = frozen(config);
  }

  /** A run in that phase. */
  static at(phase: string, config: GovernedConfig = CONFIG): Lighthouse {
    const run = new Lighthouse(config);
    run.state = frozen({ ...EMPTY_STATE, phase });
    run.do((state) => initialiseRun(state, config, { runId: 'run_lamp', now: run.now() }));
    return run;
  }

  now(): string {
    return `2026-05-01T08:${String(Math.floor(this.#seconds / 60)).padStart(2, '0')}:${String(this.#seconds++ % 60).padStart(2, '0')}.000Z`;
  }

  do<T extends Changed>(perform: (state: RunState) => T | Refused): T | Refused {
    const outcome = perform(this.state);
    if (outcome.ok) this.#keep(outcome.state, outcome.events);
    return outcome;
  }

  /** Assigns and dispatches a turn. */
  out(roleId: string, turnId = `turn_${roleId}`): string {
    this.do((state) => assignTurn(state, this.config, { roleId, turnId, now: this.now() }));
    this.do((state) => progressTurn(state, { turnId, step: 'dispatched', now: this.now() }));
    return turnId;
  }

  accept(turnId: string, over: object = {}, more: Partial<AcceptInput> = {}): TurnAccepted | AcceptanceFailure {
    const outcome = acceptTurn({
      state: this.state,
      config: this.config,
      books: buildAcceptanceIndex(this.state, this.history, this.ledger),
      turnId,
      result: frozen(resultFor(this.state, turnId, over)),
      files: (path) => this.files[path] ?? null,
      now: this.now(),
      ...more,
    });
    if (!outcome.ok) return outcome;
    this.history.push({ ...outcome.history });
    this.ledger.push(...outcome.ledger.map((entry) => ({ ...entry })));
    this.#keep(outcome.state, outcome.events);
    return outcome;
  }

  types(): readonly string[] {
    return this.events.map(({ event_type }) => event_type);
  }

  #keep(state: RunState, events: readonly EventDraft[]): void {
    this.state = frozen(state);
    this.events.push(...events);
  }
}

export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const one of Object.values(value)) frozen(one);
  return Object.freeze(value);
}
