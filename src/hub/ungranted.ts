/** Types of envelopes for which a session type asks for a grant. */

import type { Draft } from '../core/records/session/envelope.ts';
import type { Grant } from '../core/records/access/grants.ts';
import type { SessionMetadata } from '../core/records/session/session.ts';
import type { HubParts } from './parts.ts';

/** The grant its sender would need and lacks; null = it needs none, or has it. */
export function ungranted({ registry }: HubParts, draft: Draft, { manifest }: SessionMetadata): Grant | null {
  const { grants } = manifest;
  if (grants === undefined || !Object.hasOwn(grants, draft.event_type)) return null;
  const needed = grants[draft.event_type];
  return needed === undefined || registry.holds(draft.sender_id, needed) ? null : needed;
}
