/** A run is taken over, begins, is blocked and goes on. */

import { isRecord, type Unknowns } from '../../engine/lib/unknown-record.ts';
import { blockRun, escalateByOperator, resolveBlocked } from '../../engine/run/block.ts';
import { initialiseRun } from '../../run/initialise.ts';
import { indexed } from '../state/history-index.ts';
import { importedState } from '../state/imported-state.ts';
import { type Ask, no, type Outcome, outcome, ranOn } from './move.ts';
import { anything, listOf, object, or, orNull, text } from '../state/shape.ts';
import type { GovernedState } from '../state/state.ts';

interface Imported {
  readonly history: readonly Unknowns[];
  readonly ledger: readonly Unknowns[];
}

const imports = object<Imported>({ history: or(listOf(anything), []), ledger: or(listOf(anything), []) });

/** The first brings the state, more may bring the rest of a long past; nothing else comes between them. */
export function imported({ state, data }: Ask): Outcome {
  if (state.has_moved) throw no('run_has_begun', 'a run is taken over before anything else happens in it');
  const isFirst = state.run.status === 'idle' && state.run.run_id === null && state.books.turns.length === 0;
  if (!isFirst && isRecord(data.state)) throw no('state_given', 'the state of this run was taken over already');
  const run = isFirst ? importedState(data.state, 'state') : state.run;
  const { history, ledger } = imports(data, '');
  const books = indexed(state.books, run, history, ledger);
  const next: GovernedState = { ...state, run, books };
  return outcome(next, {
    history: once(history, ['run_id', 'turn_id'], new Set(state.books.turns)),
    ledger: once(ledger, ['run_id', 'turn_id', 'id'], new Set(state.books.decisions.map(({ id }) => id))),
  });
}

/** Elsewhere an entry may have been written twice; those of other runs and turns are others. Entries without an id are as many as they are. */
function once(entries: readonly Unknowns[], keys: readonly string[], before: ReadonlySet<string>): readonly Unknowns[] {
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

const beginning = object<{ run_id: string; provenance: Unknowns | null; inherited_context: Unknowns | null }>({
  run_id: text,
  provenance: orNull(anything),
  inherited_context: orNull(anything),
});

export function initialized(ask: Ask): Outcome {
  const { run_id, provenance, inherited_context } = beginning(ask.data, '');
  const { state, rules, now } = ask;
  const given = { runId: run_id, now, provenance, inheritedContext: inherited_context };
  return ranOn(ask, initialiseRun(state.run, rules.config, given));
}

const blocker = object<{
  blocked_on: string;
  category: string;
  turn_id: string | null;
  owner: string | null;
  recovery_action: string | null;
  detail: string | null;
}>({
  blocked_on: text,
  category: text,
  turn_id: orNull(text),
  owner: orNull(text),
  recovery_action: orNull(text),
  detail: orNull(text),
});

export function blocked(ask: Ask): Outcome {
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
  return ranOn(ask, blockRun(ask.state.run, given));
}

const escalation = object<{ reason: string; detail: string | null; turn_id: string | null }>({
  reason: text,
  detail: orNull(text),
  turn_id: orNull(text),
});

export function escalated(ask: Ask): Outcome {
  const { reason, detail, turn_id } = escalation(ask.data, '');
  return ranOn(ask, escalateByOperator(ask.state.run, { reason, detail, turnId: turn_id, now: ask.now }));
}

const resolution = object<{ action: string; note: string | null }>({ action: or(text, 'resume'), note: orNull(text) });

export function resolved(ask: Ask): Outcome {
  const { action, note } = resolution(ask.data, '');
  return ranOn(ask, resolveBlocked(ask.state.run, { action, note, now: ask.now }));
}

const answer = object<{ action: string; note: string }>({ action: or(text, 'resume'), note: text });

/** A person says what was asked for, and the run goes on: the same as a resolution, never without words. */
export function answered(ask: Ask): Outcome {
  const { action, note } = answer(ask.data, '');
  return ranOn(ask, resolveBlocked(ask.state.run, { action, note, now: ask.now }));
}
