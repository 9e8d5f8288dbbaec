/** What was shown to an agent that has no connection counts as acked: else its inbox would fill up with what it has read. */

import { membershipEnd } from '../core/records/session/delivery.ts';
import type { HubParts } from './parts.ts';

export interface ReadUpTo {
  readonly agentId: string;
  readonly sessionId: string;
  /** Everything up to it was shown. */
  readonly seq: number;
}

/** Never rejects: a lost ack only repeats a delivery. Who is connected acks what it gets there. */
export async function markRead(parts: HubParts, { agentId, sessionId, seq }: ReadUpTo): Promise<void> {
  if (parts.bindings.isBound(agentId)) return;
  const release = parts.cursors.hold(agentId);
  try {
    await parts.cursors.load(agentId);
    await parts.sessions.use(sessionId, ({ durable, epoch }) => {
      if (durable === null || parts.bindings.isBound(agentId)) return;
      const upTo = Math.min(seq, durable.head.seq, membershipEnd(durable.head, agentId));
      if (upTo > 0) move(parts, { agentId, sessionId, seq: upTo }, epoch);
    });
  } catch (thrown) {
    parts.log.warn('what was read could not be noted', { session_id: sessionId, error: String(thrown) });
  } finally {
    release();
  }
}

function move({ cursors, inboxes }: HubParts, { agentId, sessionId, seq }: ReadUpTo, epoch: number): void {
  const progress = cursors.getOrStart(agentId, sessionId, epoch);
  if (seq <= progress.seq) return;
  progress.seq = seq;
  for (const beyond of progress.beyond) if (beyond <= seq) progress.beyond.delete(beyond);
  cursors.changed(progress);
  inboxes.passed(agentId, sessionId, seq);
  inboxes.blur(agentId);
}
