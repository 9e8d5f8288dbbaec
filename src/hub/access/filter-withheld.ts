/** Removes the entries that the rules or the arbiter withhold: a participant cannot read what it may not receive. */

import type { Entry } from '../../core/records/session/unit.ts';
import type { Access } from './access.ts';
import type { Denial } from './ask-arbiter.ts';

/** The entries the agent may read, in order, including all its own. Returns a promise only if the arbiter does. */
export function dropWithheld(
  access: Access,
  agentId: string,
  entries: readonly Entry[],
): readonly Entry[] | Promise<readonly Entry[]> {
  if (!access.withholdsFrom(agentId)) return entries;
  const denials = entries.map(({ envelope }) =>
    envelope.sender_id === agentId ? null : access.deliveryDenied(envelope, agentId),
  );
  const allowed = (known: readonly Denial[]): readonly Entry[] => entries.filter((_, i) => known[i] === null);
  if (denials.some((denial) => denial instanceof Promise)) return Promise.all(denials).then(allowed);
  // The check above ruled out promises.
  return allowed(denials as readonly Denial[]);
}
