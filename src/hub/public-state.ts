/** What a participant may see of the state its session's adapter keeps. */

import { asError } from '../core/lib/errors.ts';
import { copyJsonObject, type JsonObject } from '../core/lib/json.ts';
import { isMember, participantOf } from '../core/records/session/session.ts';
import type { SessionState } from '../core/state/state.ts';
import type { LiveSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';

/**
 * Nothing while the adapter is missing, and nothing for who has not joined or is out. An adapter that fails at it shows
 * nothing either: whoever asks about a session wants more than this of it.
 */
export function publicStateOf(parts: HubParts, session: Shown, state: SessionState, agentId: string): JsonObject {
  const participant = participantOf(state.metadata, agentId);
  return participant !== undefined && isMember(participant) ? stateShownTo(parts, session, state, agentId) : {};
}

type Shown = Pick<LiveSession, 'adapter' | 'sessionId'>;

/** Whether it may see any of it is decided elsewhere. */
export function stateShownTo(
  { limits, log }: HubParts,
  { adapter, sessionId }: Shown,
  { metadata, adapter_state }: SessionState,
  agentId: string,
): JsonObject {
  if (adapter === null) return {};
  const bounds = { maxDepth: limits.maxJsonDepth, maxBytes: limits.maxResponseBytes };
  try {
    return copyJsonObject(adapter.publicState(metadata, adapter_state, agentId), 'publicState', bounds);
  } catch (thrown) {
    const error = asError(thrown).message;
    log.error(`publicState of ${metadata.manifest.type} failed`, { session_id: sessionId, error });
    return {};
  }
}
