/** Who waits over HTTP, and for what: each is rung when something becomes durable that may concern it. */

import type { HubListener } from '../../hub/telemetry/events.ts';
import { Bell } from './bell.ts';

type Follow = (listener: HubListener<'envelopePosted'>) => () => void;
type Posted = Parameters<HubListener<'envelopePosted'>>[0];

interface Waiter {
  readonly agentId: string;
  readonly sessionId: string | null;
  readonly bell: Bell;
}

export class Bells {
  private readonly follow: Follow;
  private readonly waiters = new Map<Bell, Waiter>();
  /** The hub is followed only while somebody waits: it has more to do for every envelope then. */
  private unfollow: (() => void) | null = null;

  constructor(follow: Follow) {
    this.follow = follow;
  }

  add(agentId: string, sessionId: string | null): Bell {
    const bell = new Bell((ended) => this.remove(ended));
    this.waiters.set(bell, { agentId, sessionId, bell });
    this.unfollow ??= this.follow((posted) => this.posted(posted));
    return bell;
  }

  private posted(posted: Posted): void {
    for (const waiter of this.waiters.values()) if (concerns(posted, waiter)) waiter.bell.ring();
  }

  private remove(bell: Bell): void {
    this.waiters.delete(bell);
    if (this.waiters.size > 0) return;
    this.unfollow?.();
    this.unfollow = null;
  }
}

/** Whoever waits for all its sessions is told of turns, of what is for it alone, of ends, and of what all may answer. */
function concerns({ envelope, turn }: Posted, { agentId, sessionId }: Waiter): boolean {
  const { session_id, audience, event_type } = envelope;
  if (sessionId !== null) return session_id === sessionId;
  if (turn?.agent_id === agentId || audience?.includes(agentId) === true) return true;
  return (turn === null && audience === null) || event_type === 'session.closed' || event_type === 'session.expired';
}
