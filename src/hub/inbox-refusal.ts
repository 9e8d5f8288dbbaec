/** Why a post finds no inbox: a recipient it names cannot take it, or none of its recipients can. Otherwise who cannot is merely behind. */

import type { Draft } from '../core/records/session/envelope.ts';
import { WireError } from '../core/lib/errors.ts';
import type { Participant, SessionMetadata } from '../core/records/session/session.ts';
import { isRecipient, type Verdicts } from './access/access.ts';
import type { HubParts } from './parts.ts';

export function inboxRefusal(
  parts: HubParts,
  draft: Draft,
  metadata: SessionMetadata,
  verdicts: Verdicts,
): WireError | null {
  const isNamed = draft.audience !== null;
  let first: WireError | null = null;
  for (const participant of metadata.participants) {
    if (!isRecipient(participant, draft)) continue;
    const refusal = refusalOf(parts, draft, metadata, participant, verdicts);
    if (refusal === null && !isNamed) return null;
    if (refusal !== null && isNamed) return refusal;
    first ??= refusal;
  }
  return first;
}

function refusalOf(
  parts: HubParts,
  draft: Draft,
  metadata: SessionMetadata,
  { agent_id, name }: Participant,
  verdicts: Verdicts,
): WireError | null {
  const denial = parts.gate.inboxDenied(draft, metadata, agent_id, verdicts);
  if (denial !== null) return new WireError('forbidden', `this cannot be sent: ${denial}`, { reason: denial });
  if (!parts.inboxes.isFull(agent_id)) return null;
  return new WireError('inbox_full', `${name} has as much unread as it may have (limits.inbox)`, { agent_id });
}
