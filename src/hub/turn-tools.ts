/** What whoever has the turn may call to pass it on, as the session's adapter offers it. */

import type { TurnTool } from '../core/ports/adapter.ts';
import { asError } from '../core/lib/errors.ts';
import { copyJsonObject } from '../core/lib/json.ts';
import type { SessionState } from '../core/state/state.ts';
import type { LiveSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';

/** Nothing for who has not the turn; an adapter that fails at it offers nothing: whoever asks wants more than this. */
export function turnToolsOf(
  { limits, log }: HubParts,
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
