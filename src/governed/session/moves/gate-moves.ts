/** A gate waits for somebody who may approve: the hub has made sure that its sender's credential may. */

import { own } from '../../engine/lib/unknown-record.ts';
import { approveCompletion, approveTransition } from '../../run/approve.ts';
import type { RunState } from '../../run/state.ts';
import { type Ask, no, type Outcome, outcome, ranOn } from './move.ts';
import { hasHooks } from '../state/rules.ts';
import { object, oneOf, or, orNull, text } from '../state/shape.ts';
import { GATE_TYPES, type GateType } from '../state/state.ts';

interface Named {
  readonly gate_type: GateType;
  readonly gate: string | null;
}

const named = { gate_type: oneOf(GATE_TYPES), gate: orNull(text) };

const approval = object<Named & { via: 'person' | 'policy'; note: string | null }>({
  ...named,
  via: or(oneOf(['person', 'policy']), 'person' as const),
  note: orNull(text),
});

export function approved(ask: Ask): Outcome {
  const { gate_type, gate, via } = approval(ask.data, '');
  const { state, rules, sender, now } = ask;
  const isTransition = gate_type === 'phase_transition';
  const by = { now, by: sender };
  requireGate(state.run, { gate_type, gate });
  if (via === 'policy' && gate !== null && own(rules.config.gates, gate)?.credentialed === true) {
    throw no('credentialed_gate', `the gate ${gate} is opened by somebody who may, never by a policy`, { gate });
  }
  if (state.run.status === 'paused' && hasHooks(rules, 'before_gate') && !state.gate_hooks_passed) {
    throw no('gate_hooks_missing', 'the hooks before this gate have not let it pass', { gate });
  }
  const changed = isTransition ? approveTransition(state.run, by) : approveCompletion(state.run, by);
  return ranOn(ask, changed, { refusal: null, gate_hooks_passed: false });
}

const denial = object<Named & { reason: string }>({ ...named, reason: text });

/** Kept for whoever asks why it still waits; a later approval opens the gate all the same. */
export function refused({ state, data, sender, seq }: Ask): Outcome {
  const { gate_type, gate, reason } = denial(data, '');
  requireGate(state.run, { gate_type, gate });
  if (pendingOf(state.run, gate_type) === null) throw nothingPending(gate_type);
  return outcome({ ...state, refusal: { gate, gate_type, by: sender, reason, seq } });
}

/** Whoever decides says on what: not on whatever waits by then. */
function requireGate(run: RunState, { gate_type, gate }: Named): void {
  const pending = pendingOf(run, gate_type);
  if (pending === null || pending.gate === gate) return;
  throw no('other_gate', `the gate that waits is ${pending.gate ?? 'without a name'}, not ${gate ?? 'one without'}`, {
    gate: pending.gate,
  });
}

function pendingOf(run: RunState, gate_type: GateType): { readonly gate: string | null } | null {
  return gate_type === 'phase_transition' ? run.pending_phase_transition : run.pending_run_completion;
}

function nothingPending(gate_type: GateType): Error {
  const words = gate_type.replace('_', ' ');
  return no(`no_pending_${gate_type}`, `no ${words} waits for approval`, { gate_type });
}
