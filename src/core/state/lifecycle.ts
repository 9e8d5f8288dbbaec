/** The lifecycle of a session: a state machine used only through its pure transition function. */

import { setup, transition } from 'xstate';
import { HubError } from '../lib/errors.ts';
import type { LifecycleState } from '../records/session/session.ts';

export type LifecycleEvent =
  | 'quorum' // enough invitees acked
  | 'quorum_lost' // too few invites are still open
  | 'invite_timeout' // no quorum before the invite deadline
  | 'close' // requested by a participant or an operator
  | 'adapter_close' // by the adapter's onAccepted, or by a rule of the hub
  | 'auto_close' // by an expectation
  | 'expire' // at expires_at, or because the session is orphaned
  | 'drained'; // all bound participants acked the closing, or the drain timed out

/** CLOSING drains: everyone gets `session.closing`, posts are rejected, and the session ends when all bound participants
 * have acked. INVITED has nothing to drain. Events left out have no effect in that state. */
const machine = setup({ types: { events: {} as { type: LifecycleEvent } } }).createMachine({
  initial: 'INVITED',
  states: {
    INVITED: {
      on: {
        quorum: 'ACTIVE',
        quorum_lost: 'CLOSED',
        invite_timeout: 'CLOSED',
        close: 'CLOSED',
        auto_close: 'CLOSED',
        expire: 'EXPIRED',
      },
    },
    ACTIVE: { on: { close: 'CLOSING', adapter_close: 'CLOSING', auto_close: 'CLOSING', expire: 'EXPIRED' } },
    CLOSING: { on: { drained: 'CLOSED' } },
    CLOSED: {},
    EXPIRED: {},
  },
});

/** All events. The hub rejects an unknown one itself, because xstate would ignore it silently. */
export const LIFECYCLE_EVENTS: readonly LifecycleEvent[] = [
  'quorum',
  'quorum_lost',
  'invite_timeout',
  'close',
  'adapter_close',
  'auto_close',
  'expire',
  'drained',
];

/** The state after `event`; the same state means the event has no effect there. */
export function nextLifecycle(state: LifecycleState, event: LifecycleEvent): LifecycleState {
  if (!LIFECYCLE_EVENTS.includes(event)) throw new HubError('unknown_event', `unknown lifecycle event "${event}"`);
  if (!Object.hasOwn(machine.states, state)) throw new HubError('unknown_state', `unknown lifecycle state "${state}"`);
  const [next] = transition(machine, machine.resolveState({ value: state }), { type: event });
  return next.value;
}
