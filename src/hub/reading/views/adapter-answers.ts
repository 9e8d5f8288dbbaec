/** Asks a session's adapter what a participant may see in addition to the log: public state, and tools of the turn holder. */

import { asError } from '../../../core/lib/errors.ts';
import { copyJsonObject, type JsonObject } from '../../../core/lib/json.ts';
import type { TurnTool } from '../../../core/ports/adapter.ts';
import { isMember, participantOf } from '../../../core/records/session/session.ts';
import type { SessionState } from '../../../core/state/state.ts';
import type { Ground } from '../../log/ground.ts';
import type { LiveSession } from '../../sessions/live-session.ts';

type AdapterGround = Pick<Ground, 'log' | 'limits'>;
type Shown = Pick<LiveSession, 'adapter' | 'sessionId'>;

/** The public state for a member; empty for others. */
export function publicStateOf(ground: AdapterGround, session: Shown, state: SessionState, agentId: string): JsonObject {
  const participant = participantOf(state.metadata, agentId);
  return participant !== undefined && isMember(participant) ? visibleStateFor(ground, session, state, agentId) : {};
}

/** The public state; the caller has checked that it may be shown. Empty without an adapter, or if the adapter fails. */
export function visibleStateFor(
  ground: AdapterGround,
  session: Shown,
  { metadata, adapter_state }: SessionState,
  agentId: string,
): JsonObject {
  const { adapter } = session;
  if (adapter === null) return {};
  return answerOr({}, ground, session, 'publicState', (bounds) =>
    copyJsonObject(adapter.publicState(metadata, adapter_state, agentId), 'publicState', bounds),
  );
}

/** The tools of the turn holder. Empty for everybody else, or if the adapter fails. */
export function turnToolsOf(
  ground: AdapterGround,
  session: Shown,
  { metadata, adapter_state, head }: SessionState,
  agentId: string,
): readonly TurnTool[] {
  const { adapter } = session;
  if (adapter === null || metadata.state !== 'ACTIVE' || head.turn?.agent_id !== agentId) return [];
  return answerOr<readonly TurnTool[]>([], ground, session, 'tools', (bounds) =>
    adapter.tools(metadata, adapter_state, agentId).map(({ name, description, parameters }) => ({
      name: String(name),
      description: String(description),
      parameters: copyJsonObject(parameters, 'tools', bounds),
    })),
  );
}

/** Logs a failure of the adapter and returns `empty`: the rest of the session stays readable. */
function answerOr<T>(
  empty: T,
  { limits, log }: AdapterGround,
  { adapter, sessionId }: Shown,
  member: 'publicState' | 'tools',
  ask: (bounds: { readonly maxDepth: number; readonly maxBytes: number }) => T,
): T {
  try {
    return ask({ maxDepth: limits.maxJsonDepth, maxBytes: limits.maxResponseBytes });
  } catch (thrown) {
    log.error(`${member} of ${adapter?.manifest.type} failed`, {
      session_id: sessionId,
      error: asError(thrown).message,
    });
    return empty;
  }
}
