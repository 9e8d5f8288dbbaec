/** Whoever gets the turn must hear what gives it: it is in the audience, and its rule takes it. */

import { turnIsVisible } from '../core/decisions/admit.ts';
import type { Advanced } from '../core/decisions/advance.ts';
import { type Draft, givesTurn } from '../core/records/session/envelope.ts';
import { ProtocolError, type WireError } from '../core/lib/errors.ts';
import { nameOf } from '../core/records/session/session.ts';
import type { HubParts } from './parts.ts';

/** null = it does. An arbiter that takes its time says it when it is delivered. */
export function turnRefusal({ gate }: HubParts, draft: Draft, advanced: Advanced): WireError | null {
  const invisible = turnIsVisible(draft, advanced);
  const [entry] = advanced.entries;
  const next = entry?.turn?.agent_id;
  if (invisible !== null || entry === undefined || next === undefined || !givesTurn(entry, next)) return invisible;
  if (next === draft.sender_id) return null;
  const denial = gate.deliveryDenied(entry.envelope, next);
  if (denial === null || denial instanceof Promise) return null;
  const name = nameOf(advanced.after.metadata, next);
  return new ProtocolError(`this gives the turn to '${name}', who would not hear it: ${denial}`, { reason: denial });
}
