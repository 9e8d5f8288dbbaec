/** Beside the run: results of hooks, and which process of the runner works on it. */

import { isoFromMs, msFromIso } from '../../../core/lib/time.ts';
import { object, orNull, type Reader, text, whole } from '../state/shape.ts';
import { hookEvidence, stoppedBy } from './evidence.ts';
import { type MoveInput, type Outcome, outcome, sessionError } from './move.ts';

const results = object({
  phase: text,
  follow_up: orNull(text),
  entries: hookEvidence,
});

/** What was to be done after something became durable is done when its results are here, and is never done twice here. */
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
 * There is no clock here. Whoever finds a lease that has run out takes it over by its fence, and of two who do so one
 * comes too late. The same owner goes on under its fence.
 */
export function leaseTaken({ state, data, now }: MoveInput): Outcome {
  const { owner, seconds: lasts, takes_over } = taking(data, '');
  const { lease, last_fence } = state;
  if ((lease?.fence ?? null) !== takes_over) {
    const held = lease === null ? 'nobody has it' : `${lease.owner} has it until ${lease.expires_at}`;
    throw sessionError('lease_held', `takes_over: expected ${lease?.fence ?? 'nothing'}: ${held}`, { lease });
  }
  const fence = lease !== null && lease.owner === owner ? lease.fence : last_fence + 1;
  const expires_at = isoFromMs(msFromIso(now) + lasts * 1000);
  return outcome({ ...state, lease: { owner, fence, expires_at }, last_fence: Math.max(last_fence, fence) });
}

/** Whoever is not fenced out may. */
export function leaseReleased({ state }: MoveInput): Outcome {
  if (state.lease === null) throw sessionError('no_lease', 'nobody has the lease');
  return outcome({ ...state, lease: null });
}
