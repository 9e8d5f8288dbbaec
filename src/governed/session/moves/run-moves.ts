/** A run is imported, begins, is blocked and resolved; a gate is approved or refused. The hub has checked that the sender may approve. */

import { getOwn, isRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { blockRun, escalateByOperator, resolveBlocked } from '../../engine/run/block.ts';
import { approveCompletion, approveTransition, initialiseRun } from '../../engine/run/transition.ts';
import type { RunState } from '../../engine/state/state.ts';
import { addToIndex } from '../state/history-index.ts';
import { importedState } from '../state/imported-state.ts';
import { hasHooks } from '../state/rules.ts';
import { anything, listOf, object, oneOf, or, orNull, text } from '../state/shape.ts';
import { GATE_TYPES, type GateType, type GovernedState } from '../state/state.ts';
import { type MoveInput, type Outcome, outcome, sessionError, withEngineResult } from './move.ts';

const imports = object({ history: or(listOf(anything), []), ledger: or(listOf(anything), []) });

/** The first brings the state, more may bring the rest of a long past; nothing else comes between them. */
export function imported({ state, data }: MoveInput): Outcome {
  if (state.has_moved) throw sessionError('run_has_begun', 'a run is taken over before anything else happens in it');
  const isFirst = state.run.status === 'idle' && state.run.run_id === null && state.books.turns.length === 0;
  if (!isFirst && isRecord(data.state))
    throw sessionError('state_given', 'the state of this run was taken over already');
  const run = isFirst ? importedState(data.state, 'state') : state.run;
  const { history, ledger } = imports(data, '');
  const books = addToIndex(state.books, run, history, ledger);
  const next: GovernedState = { ...state, run, books };
  return outcome(next, {
    history: once(history, ['run_id', 'turn_id'], new Set(state.books.turns)),
    ledger: once(ledger, ['run_id', 'turn_id', 'id'], new Set(state.books.decisions.map(({ id }) => id))),
  });
}

/** Elsewhere an entry may have been written twice; those of other runs and turns are others. Entries without an id are as many as they are. */
function once(
  entries: readonly UnknownRecord[],
  keys: readonly string[],
  before: ReadonlySet<string>,
): readonly UnknownRecord[] {
  const seen = new Set<string>();
  return entries.filter((entry) => {
    const values = keys.map((name) => entry[name] ?? null);
    const id = values.at(-1);
    if (typeof id !== 'string') return true;
    const key = JSON.stringify(values);
    // Of an earlier part only ids are known, so an entry that says whose it is stays.
    const isOfNobody = values.slice(0, -1).every((value) => value === null);
    if (seen.has(key) || (isOfNobody && before.has(id))) return false;
    seen.add(key);
    return true;
  });
}

const beginning = object({
  run_id: text,
  provenance: orNull(anything),
  inherited_context: orNull(anything),
});

export function initialized(ask: MoveInput): Outcome {
  const { run_id, provenance, inherited_context } = beginning(ask.data, '');
  const { state, rules, now } = ask;
  const given = { runId: run_id, now, provenance, inheritedContext: inherited_context };
  return withEngineResult(ask, initialiseRun(state.run, rules.config, given));
}

const blocker = object({
  blocked_on: text,
  category: text,
  turn_id: orNull(text),
  owner: orNull(text),
  recovery_action: orNull(text),
  detail: orNull(text),
});

export function blocked(ask: MoveInput): Outcome {
  const { blocked_on, category, turn_id, owner, recovery_action, detail } = blocker(ask.data, '');
  const given = {
    blockedOn: blocked_on,
    category,
    now: ask.now,
    turnId: turn_id,
    ...(owner === null ? {} : { owner }),
    ...(recovery_action === null ? {} : { recoveryAction: recovery_action }),
    ...(detail === null ? {} : { detail }),
  };
  return withEngineResult(ask, blockRun(ask.state.run, given));
}

const escalation = object({
  reason: text,
  detail: orNull(text),
  turn_id: orNull(text),
});

export function escalated(ask: MoveInput): Outcome {
  const { reason, detail, turn_id } = escalation(ask.data, '');
  return withEngineResult(ask, escalateByOperator(ask.state.run, { reason, detail, turnId: turn_id, now: ask.now }));
}

const resolution = object({ action: or(text, 'resume'), note: orNull(text) });

export function resolved(ask: MoveInput): Outcome {
  const { action, note } = resolution(ask.data, '');
  return withEngineResult(ask, resolveBlocked(ask.state.run, { action, note, now: ask.now }));
}

const answer = object({ action: or(text, 'resume'), note: text });

/** A person says what was asked for, and the run goes on: the same as a resolution, never without words. */
export function answered(ask: MoveInput): Outcome {
  const { action, note } = answer(ask.data, '');
  return withEngineResult(ask, resolveBlocked(ask.state.run, { action, note, now: ask.now }));
}

interface Named {
  readonly gate_type: GateType;
  readonly gate: string | null;
}

const named = { gate_type: oneOf(GATE_TYPES), gate: orNull(text) };

const approval = object({
  ...named,
  via: or(oneOf(['person', 'policy']), 'person' as const),
  note: orNull(text),
});

export function approved(ask: MoveInput): Outcome {
  const { gate_type, gate, via } = approval(ask.data, '');
  const { state, rules, sender, now } = ask;
  const isTransition = gate_type === 'phase_transition';
  const by = { now, by: sender };
  requireGate(state.run, { gate_type, gate });
  if (via === 'policy' && gate !== null && getOwn(rules.config.gates, gate)?.credentialed === true) {
    throw sessionError('credentialed_gate', `the gate ${gate} is opened by somebody who may, never by a policy`, {
      gate,
    });
  }
  if (state.run.status === 'paused' && hasHooks(rules, 'before_gate') && !state.gate_hooks_passed) {
    throw sessionError('gate_hooks_missing', 'the hooks before this gate have not let it pass', { gate });
  }
  const changed = isTransition ? approveTransition(state.run, by) : approveCompletion(state.run, by);
  return withEngineResult(ask, changed, { refusal: null, gate_hooks_passed: false });
}

const denial = object({ ...named, reason: text });

/** Kept for whoever asks why it still waits; a later approval opens the gate all the same. */
export function refused({ state, data, sender, seq }: MoveInput): Outcome {
  const { gate_type, gate, reason } = denial(data, '');
  requireGate(state.run, { gate_type, gate });
  if (pendingOf(state.run, gate_type) === null) throw nothingPending(gate_type);
  return outcome({ ...state, refusal: { gate, gate_type, by: sender, reason, seq } });
}

/** Whoever decides says on what: not on whatever waits by then. */
function requireGate(run: RunState, { gate_type, gate }: Named): void {
  const pending = pendingOf(run, gate_type);
  if (pending === null || pending.gate === gate) return;
  throw sessionError(
    'other_gate',
    `the gate that waits is ${pending.gate ?? 'without a name'}, not ${gate ?? 'one without'}`,
    {
      gate: pending.gate,
    },
  );
}

function pendingOf(run: RunState, gate_type: GateType): { readonly gate: string | null } | null {
  return gate_type === 'phase_transition' ? run.pending_phase_transition : run.pending_run_completion;
}

function nothingPending(gate_type: GateType): Error {
  const words = gate_type.replace('_', ' ');
  return sessionError(`no_pending_${gate_type}`, `no ${words} waits for approval`, { gate_type });
}
