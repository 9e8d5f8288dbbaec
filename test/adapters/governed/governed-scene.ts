/** A governed test project: pm plans, dev builds, qa reviews; alice is the runner, bob is dev, carol is qa. */

import { type GovernedState, governed } from 'parley-hub/adapters/governed';
import type { JsonObject, RoundDraft, SessionMetadata } from 'parley-hub/core';
import { type Turn, type TurnResult, validateTurnResult } from 'parley-hub/governed/engine';
import { rulesOf, toAcceptanceIndex } from 'parley-hub/governed/session';
import { History, idOf } from 'parley-hub/testing';
import { sha256 } from '../../../src/core/lib/sha256.ts';

export const CONFIG = {
  schema_version: '1.0',
  project: { id: 'shop', name: 'Shop' },
  roles: {
    pm: { title: 'PM', mandate: 'plan', write_authority: 'authoritative', runtime: 'manual' },
    dev: { title: 'Dev', mandate: 'build', write_authority: 'authoritative', runtime: 'manual' },
    qa: { title: 'QA', mandate: 'review', write_authority: 'review_only', runtime: 'manual' },
  },
  runtimes: { manual: { type: 'manual' } },
  routing: {
    planning: { entry_role: 'pm', exit_gate: 'plan_ok', max_concurrent_turns: 2 },
    building: { entry_role: 'dev', max_concurrent_turns: 3 },
    qa: { entry_role: 'qa', exit_gate: 'ship_ok' },
  },
  gates: {
    plan_ok: { requires_files: ['.planning/PLAN.md'], requires_human_approval: true },
    ship_ok: { requires_human_approval: true, credentialed: true },
  },
} satisfies JsonObject;

/** Knobs as the hub passes them to the adapter. */
export function knobs(config: JsonObject = CONFIG): JsonObject {
  return { config, runner: idOf('alice'), roles: { dev: idOf('bob'), qa: idOf('carol') } };
}

export type Run = History<GovernedState>;

export function aRun(config: JsonObject = CONFIG): Run {
  return new History(governed, { knobs: knobs(config), participants: 4 });
}

/** An initialized run. */
export function begun(config?: JsonObject): Run {
  const run = aRun(config);
  run.say('alice', said('run.initialized', { run_id: 'run_1' }));
  return run;
}

export function said(event_type: string, event_data: object = {}): RoundDraft {
  // Test data is JSON.
  return { event_type, event_data: event_data as JsonObject };
}

/** Assigns and dispatches a turn. */
export function out(run: Run, turn_id: string, role: string): void {
  run.say('alice', said('turn.assigned', { turn_id, role }));
  run.say('alice', said('turn.dispatched', { turn_id, prompt: `do ${turn_id}`, context: 'so far so good' }));
}

/** A valid turn result. */
export function resultOf({ turn_id, assigned_role, runtime_id }: Turn, more: object = {}): JsonObject {
  const isReview = assigned_role === 'qa';
  const result = {
    schema_version: '1.0',
    run_id: 'run_1',
    turn_id,
    role: assigned_role,
    runtime_id,
    status: 'completed',
    summary: `${assigned_role} has done ${turn_id}`,
    decisions: [],
    objections: isReview ? [{ id: 'OBJ-001', severity: 'low', statement: 'could be better' }] : [],
    files_changed: isReview ? [] : [`src/${turn_id}.ts`],
    verification: { status: 'pass', commands: ['npm test'] },
    artifact: { type: isReview ? 'review' : 'workspace' },
    proposed_next_role: 'human',
    ...more,
  };
  return result as unknown as JsonObject;
}

export function decision(id: string, more: object = {}): object {
  return { id, category: 'scope', statement: `decide ${id}`, rationale: 'because', ...more };
}

export function file(path: string, text: string): object {
  return { path, text, size: Buffer.byteLength(text), sha256: sha256(text) };
}

export const PLAN: object = file('.planning/PLAN.md', 'the plan');

interface Accepting {
  readonly files?: readonly object[];
  readonly more?: object;
}

/** The runner's acceptance of a result. */
export function acceptance(
  metadata: SessionMetadata,
  state: GovernedState,
  turnId: string,
  raw: JsonObject,
  { files = [], more = {} }: Accepting = {},
): RoundDraft {
  const books = toAcceptanceIndex(state.books, state.run);
  const judged = validateTurnResult({
    state: state.run,
    config: rulesOf(metadata).config,
    turnId,
    result: raw,
    takenIds: new Set([...books.decisionIds, ...books.targets.keys()]),
    hasEarlierWork: true,
  });
  const result = judged.ok ? (judged.result as TurnResult) : raw;
  const evidence = { files, git: null, hooks: [] };
  const { normalisations } = judged;
  const seen_seq = metadata.head_seq;
  // Through JSON, as over a link: members that are undefined are absent.
  const data = { turn_id: turnId, raw, result, normalisations, evidence, seen_seq, ...more };
  return said('turn.accepted', JSON.parse(JSON.stringify(data)));
}

const HOLDERS: Readonly<Record<string, string>> = { dev: 'bob', qa: 'carol' };

/** Dispatches, submits and accepts a turn. */
export function taken(run: Run, turnId: string, role: string, more: object = {}, accepting: Accepting = {}) {
  out(run, turnId, role);
  return handedIn(run, turnId, more, accepting);
}

export function handedIn(run: Run, turnId: string, more: object = {}, accepting: Accepting = {}) {
  const turn = run.state.run.active_turns[turnId];
  if (turn === undefined) throw new Error(`${turnId} is not out`);
  const raw = resultOf(turn, more);
  const holder = HOLDERS[turn.assigned_role];
  if (holder !== undefined) run.say(holder, claim(run, turnId, more));
  return run.say('alice', acceptance(run.metadata, run.state, turnId, raw, accepting));
}

export const APPROVE_PLAN: RoundDraft = said('gate.approved', { gate_type: 'phase_transition', gate: 'plan_ok' });
export const APPROVE_SHIP: RoundDraft = said('gate.approved', { gate_type: 'run_completion', gate: 'ship_ok' });

/** The result that the holder of a role submits. */
export function claim(run: Run, turnId: string, more: object = {}): RoundDraft {
  const turn = run.state.run.active_turns[turnId];
  const result = turn === undefined ? {} : resultOf(turn, more);
  return said('turn.result', { turn_id: turnId, attempt: turn?.attempt ?? 1, result });
}

export type Stage = 'idle' | 'active' | 'out' | 'claimed' | 'paused' | 'blocked' | 'shipping' | 'completed';

/** A run in each stage. */
export const STAGES: Readonly<Record<Stage, () => Run>> = {
  idle: () => aRun(),
  active: () => begun(),
  out: () => {
    const run = begun();
    out(run, 'turn_d', 'dev');
    return run;
  },
  claimed: () => {
    const run = STAGES.out();
    run.say('bob', claim(run, 'turn_d'));
    return run;
  },
  paused: () => {
    const run = begun();
    taken(run, 'turn_p', 'pm', { phase_transition_request: 'building' }, { files: [PLAN] });
    return run;
  },
  blocked: () => {
    const run = begun();
    run.say('alice', said('run.blocked', { blocked_on: 'human:key', category: 'needs_key' }));
    return run;
  },
  shipping: () => {
    const run = inQa();
    taken(run, 'turn_q', 'qa', { run_completion_request: true });
    return run;
  },
  completed: () => {
    const run = STAGES.shipping();
    run.say('dave', APPROVE_SHIP);
    return run;
  },
};

export function inQa(config?: JsonObject): Run {
  const run = begun(config);
  taken(run, 'turn_p', 'pm', { phase_transition_request: 'building' }, { files: [PLAN] });
  run.say('dave', APPROVE_PLAN);
  taken(run, 'turn_b', 'dev', { phase_transition_request: 'qa' });
  return run;
}
