/** What a session's adapter shows a participant beside the log: its public state, and the tools of who has the turn. */

import { asError } from '../../../core/lib/errors.ts';
import { copyJsonObject, type JsonObject } from '../../../core/lib/json.ts';
import type { TurnTool } from '../../../core/ports/adapter.ts';
import { isMember, participantOf } from '../../../core/records/session/session.ts';
import type { SessionState } from '../../../core/state/state.ts';
import type { Ground } from '../../log/ground.ts';
import type { LiveSession } from '../../sessions/live-session.ts';

type AdapterGround = Pick<Ground, 'log' | 'limits'>;

/**
 * Nothing while the adapter is missing, and nothing for who has not joined or is out. An adapter that fails at it shows
 * nothing either: whoever asks about a session wants more than this of it.
 */
export function publicStateOf(ground: AdapterGround, session: Shown, state: SessionState, agentId: string): JsonObject {
  const participant = participantOf(state.metadata, agentId);
  return participant !== undefined && isMember(participant) ? visibleStateFor(ground, session, state, agentId) : {};
}

type Shown = Pick<LiveSession, 'adapter' | 'sessionId'>;

/** Whether it may see any of it is decided elsewhere. */
export function visibleStateFor(
  { limits, log }: AdapterGround,
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

/** Nothing for who has not the turn; an adapter that fails at it offers nothing: whoever asks wants more than this. */
export function turnToolsOf(
  { limits, log }: AdapterGround,
  { adapter, sessionId }: LiveSession,
  { metadata, adapter_state, head }: SessionState,
  agentId: string,
): readonly TurnTool[] {
  if (adapter === null || metadata.state !== 'ACTIVE' || head.turn?.agent_id !== agentId) return [];
  const bounds = { maxDepth: limits.maxJsonDepth, maxBytes: limits.maxResponseBytes };
  try {
    return adapter.tools(metadata, adapter_state, agentId).map(({ name, description, parameters }) => ({
      name: String(name),
      description: String(description),
      parameters: copyJsonObject(parameters, 'tools', bounds),
    }));
  } catch (thrown) {
    const error = asError(thrown).message;
    log.error(`tools of ${metadata.manifest.type} failed`, { session_id: sessionId, error });
    return [];
  }
}
