/** Implements moves of a run: import, start, block, resolve, gates, hook results, leases. The hub checks `approve`. */

import { isoFromMs, msFromIso } from '../../../core/lib/time.ts';
import { getOwn, isRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { blockRun, escalateByOperator, resolveBlocked } from '../../engine/run/block.ts';
import { approveCompletion, approveTransition, initialiseRun } from '../../engine/run/transition.ts';
import type { RunState } from '../../engine/state/state.ts';
import { addToIndex } from '../state/history-index.ts';
import { importedState } from '../state/imported-state.ts';
import { hasHooks } from '../state/rules.ts';
import { anything, listOf, object, oneOf, or, orNull, type Reader, text, whole } from '../state/shape.ts';
import { GATE_TYPES, type GateRefusal, type GateType, type GovernedState } from '../state/state.ts';
import { hookEvidence, stoppedBy } from './evidence.ts';
import { type MoveInput, type Outcome, outcome, sessionError, withEngineResult } from './move.ts';

const imports = object({ history: or(listOf(anything), []), ledger: or(listOf(anything), []) });

/** The first import supplies the state, later ones more history. No other move may happen in between. */
export function imported({ state, data }: MoveInput): Outcome {
  if (state.has_moved) throw sessionError('run_has_begun', 'a run is taken over before anything else happens in it');
  const isFirst = state.run.status === 'idle' && state.run.run_id === null && state.books.turns.length === 0;
  if (!isFirst && isRecord(data.state))
    throw sessionError('state_given', 'the state of this run was taken over already');
  const run = isFirst ? importedState(data.state, 'state') : state.run;
  const { history, ledger } = imports(data, '');
  const next: GovernedState = { ...state, run, books: addToIndex(state.books, run, history, ledger) };
  return outcome(next, {
    history: once(history, ['run_id', 'turn_id'], new Set(state.books.turns)),
    ledger: once(ledger, ['run_id', 'turn_id', 'id'], new Set(state.books.decisions.map(({ id }) => id))),
  });
}

/** Drops repeated entries. Keeps entries of other runs and turns, and entries without an id. */
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
    // Earlier parts are known only by id, so keep an entry that names its run.
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

const action = or(text, 'resume');
const resolution = object({ action, note: orNull(text) });
const answer = object({ action, note: text });

export function resolved(ask: MoveInput): Outcome {
  return withEngineResult(ask, resolveBlocked(ask.state.run, { ...resolution(ask.data, ''), now: ask.now }));
}

/** Resolves a blocked run; requires a note. */
export function answered(ask: MoveInput): Outcome {
  return withEngineResult(ask, resolveBlocked(ask.state.run, { ...answer(ask.data, ''), now: ask.now }));
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
  requireGate(state.run, { gate_type, gate });
  if (via === 'policy' && gate !== null && getOwn(rules.config.gates, gate)?.credentialed === true) {
    const detail = `the gate ${gate} requires a credential with "approve"; a policy cannot open it`;
    throw sessionError('credentialed_gate', detail, { gate });
  }
  if (state.run.status === 'paused' && hasHooks(rules, 'before_gate') && !state.gate_hooks_passed) {
    throw sessionError('gate_hooks_missing', 'the hooks before this gate have not let it pass', { gate });
  }
  const approve = gate_type === 'phase_transition' ? approveTransition : approveCompletion;
  const changed = approve(state.run, { now, by: sender });
  return withEngineResult(ask, changed, { refusal: null, gate_hooks_passed: false });
}

const denial = object({ ...named, reason: text });

/** Records a refusal for information; a later approval still opens the gate. */
export function refused({ state, data, sender, seq }: MoveInput): Outcome {
  const { gate_type, gate, reason } = denial(data, '');
  requireGate(state.run, { gate_type, gate });
  if (pendingOf(state.run, gate_type) === null) {
    const detail = `no ${gate_type.replace('_', ' ')} waits for approval`;
    throw sessionError(`no_pending_${gate_type}`, detail, { gate_type });
  }
  return outcome({ ...state, refusal: { gate, gate_type, by: sender, reason, seq } });
}

/** A decision names its gate, so that it cannot apply to a gate that became pending later. */
function requireGate(run: RunState, { gate_type, gate }: Pick<GateRefusal, 'gate_type' | 'gate'>): void {
  const pending = pendingOf(run, gate_type);
  if (pending === null || pending.gate === gate) return;
  const detail = `the gate that waits is ${pending.gate ?? 'without a name'}, not ${gate ?? 'one without'}`;
  throw sessionError('other_gate', detail, { gate: pending.gate });
}

function pendingOf(run: RunState, gate_type: GateType): { readonly gate: string | null } | null {
  return gate_type === 'phase_transition' ? run.pending_phase_transition : run.pending_run_completion;
}

const results = object({
  phase: text,
  follow_up: orNull(text),
  entries: hookEvidence,
});

/** Records hook results and closes the follow-up they answer. */
export function hookResults({ state, data }: MoveInput): Outcome {
  const { phase, follow_up, entries } = results(data, '');
  const open = state.follow_ups.find(({ id }) => id === follow_up);
  if (follow_up !== null && open?.phase !== phase) {
    throw sessionError('no_such_follow_up', `nothing called ${follow_up} is to be done in ${phase}`, { follow_up });
  }
  const isBeforeGate = phase === 'before_gate' && state.run.status === 'paused';
  return outcome({
    ...state,
    follow_ups: open === undefined ? state.follow_ups : state.follow_ups.filter((one) => one !== open),
    gate_hooks_passed: isBeforeGate ? stoppedBy(entries) === undefined : state.gate_hooks_passed,
  });
}

const MAX_LEASE_SECONDS = 86_400;

const seconds: Reader<number> = (value, field) => {
  const read = whole(value, field);
  if (read >= 1 && read <= MAX_LEASE_SECONDS) return read;
  throw sessionError('bad_lease', `${field}: expected 1 to ${MAX_LEASE_SECONDS} seconds, got ${read}`, { field });
};

const taking = object({
  owner: text,
  seconds,
  takes_over: orNull(whole),
});

/**
 * A pure fold has no clock: a process takes over an expired lease by naming its fence, so that the second of two
 * processes is refused. The same owner keeps its fence.
 */
export function leaseTaken({ state, data, now }: MoveInput): Outcome {
  const { owner, seconds: lasts, takes_over } = taking(data, '');
  const { lease, last_fence } = state;
  if ((lease?.fence ?? null) !== takes_over) {
    const held = lease === null ? 'it is free' : `${lease.owner} holds it until ${lease.expires_at}`;
    throw sessionError('lease_held', `takes_over: expected ${lease?.fence ?? 'nothing'}: ${held}`, { lease });
  }
  const fence = lease !== null && lease.owner === owner ? lease.fence : last_fence + 1;
  const expires_at = isoFromMs(msFromIso(now) + lasts * 1000);
  return outcome({ ...state, lease: { owner, fence, expires_at }, last_fence: Math.max(last_fence, fence) });
}

export function leaseReleased({ state }: MoveInput): Outcome {
  if (state.lease === null) throw sessionError('no_lease', 'no process holds the lease');
  return outcome({ ...state, lease: null });
}
