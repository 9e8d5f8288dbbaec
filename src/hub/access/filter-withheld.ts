/** What the rules or the arbiter do not let a participant have: what is not delivered to it cannot be read either. */

import type { Entry, Envelope } from '../../core/records/session/envelope.ts';
import type { Denial } from './ask-arbiter.ts';
import type { Gate } from './access.ts';

/** Those of the entries that may be had by the agent, in their order. Its own always may. A promise only of an arbiter that takes its time. */
export function notWithheld(
  gate: Gate,
  agentId: string,
  entries: readonly Entry[],
): readonly Entry[] | Promise<readonly Entry[]> {
  if (!gate.withholdsFrom(agentId)) return entries;
  const denials = entries.map(({ envelope }) => denialOf(gate, agentId, envelope));
  const allowed = (known: readonly Denial[]): readonly Entry[] => entries.filter((_, i) => known[i] === null);
  // Only promises are waited for, and all of them at once.
  return denials.some(isPromise) ? Promise.all(denials).then(allowed) : allowed(denials.filter(isKnown));
}

function denialOf(gate: Gate, agentId: string, envelope: Envelope): Denial | Promise<Denial> {
  return envelope.sender_id === agentId ? null : gate.deliveryDenied(envelope, agentId);
}

function isPromise(denial: Denial | Promise<Denial>): denial is Promise<Denial> {
  return denial instanceof Promise;
}

function isKnown(denial: Denial | Promise<Denial>): denial is Denial {
  return !isPromise(denial);
}
