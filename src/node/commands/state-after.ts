/** The lifecycle state of a session after some of its log. */

import type { Envelope } from '../../core/records/session/envelope.ts';
import type { LifecycleState } from '../../core/records/session/session.ts';

const BEGUN: Readonly<Record<string, LifecycleState>> = {
  'session.created': 'INVITED',
  'session.opened': 'ACTIVE',
  'session.closing': 'CLOSING',
  'session.closed': 'CLOSED',
  'session.expired': 'EXPIRED',
};

export function stateAfter(envelopes: readonly Envelope[]): LifecycleState {
  return envelopes.reduce<LifecycleState>((state, { event_type }) => BEGUN[event_type] ?? state, 'INVITED');
}
