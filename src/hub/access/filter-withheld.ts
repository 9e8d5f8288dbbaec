/** Removes what the rules or the arbiter withhold: a participant cannot read what may not be delivered to it. */

import type { Envelope } from '../../core/records/session/envelope.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import type { Access } from './access.ts';
import type { Denial } from './ask-arbiter.ts';

/** The entries the agent may have, in order; always its own. A promise only if the arbiter returns one. */
export function dropWithheld(
  access: Access,
  agentId: string,
  entries: readonly Entry[],
): readonly Entry[] | Promise<readonly Entry[]> {
  if (!access.withholdsFrom(agentId)) return entries;
  const denials = entries.map(({ envelope }) => denialOf(access, agentId, envelope));
  const allowed = (known: readonly Denial[]): readonly Entry[] => entries.filter((_, i) => known[i] === null);
  // Only promises are waited for, concurrently.
  return denials.some(isPromise) ? Promise.all(denials).then(allowed) : allowed(denials.filter(isKnown));
}

function denialOf(access: Access, agentId: string, envelope: Envelope): Denial | Promise<Denial> {
  return envelope.sender_id === agentId ? null : access.deliveryDenied(envelope, agentId);
}

function isPromise(denial: Denial | Promise<Denial>): denial is Promise<Denial> {
  return denial instanceof Promise;
}

function isKnown(denial: Denial | Promise<Denial>): denial is Denial {
  return !isPromise(denial);
}
