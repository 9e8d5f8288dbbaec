/** The durable head of a session: that of the loaded one, else what the store has. */

import type { Head } from '../core/state/fold-head.ts';
import type { HubParts } from './parts.ts';

export interface CurrentHead {
  readonly head: Head;
  readonly damaged: boolean;
}

export async function currentHead(parts: HubParts, sessionId: string): Promise<CurrentHead | null> {
  const stored = parts.sessions.peek(sessionId)?.durable == null ? await parts.store.head(sessionId) : null;
  // Looked at again after the wait: it may have been loaded, and written to, meanwhile.
  const loaded = parts.sessions.peek(sessionId);
  if (loaded?.durable != null) return { head: loaded.durable.head, damaged: loaded.damaged };
  return stored === null ? null : { head: stored.head, damaged: stored.damaged_from !== null };
}
