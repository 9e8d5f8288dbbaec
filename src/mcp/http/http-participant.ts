/** Acts as the participant of one HTTP request: calls operations with that request's credential, and keeps no state. */

import type { OperationName, Params, Result } from '../../core/protocol/operations/operations.ts';
import type { SingleRequest } from '../../hub/connection/single-request.ts';
import type { HubListener } from '../../hub/telemetry/events.ts';
import type { ApiHub } from '../../server/http/api.ts';
import { type Participant, WakeSignal, type Watch } from '../session/participant.ts';

interface HttpParticipantSettings {
  readonly hub: ApiHub & {
    markRead(agentId: string, sessionId: string, seq: number): void;
    looksIn(agentId: string): void;
  };
  readonly bells: WakeSignals;
  readonly agentId: string;
  readonly proof: Omit<SingleRequest, 'op' | 'params'>;
}

export class HttpParticipant implements Participant {
  readonly agentId: Promise<string>;
  private readonly settings: HttpParticipantSettings;

  constructor(settings: HttpParticipantSettings) {
    this.settings = settings;
    this.agentId = Promise.resolve(settings.agentId);
  }

  async call<Name extends OperationName>(op: Name, params: Params<Name>): Promise<Result<Name>> {
    const { hub, proof, agentId } = this.settings;
    // A waiting caller polls every few seconds; each poll marks it as present.
    hub.looksIn(agentId);
    // The hub answers an operation with that operation's result.
    return (await hub.ask({ ...proof, op, params: async () => params })) as Result<Name>;
  }

  watch(sessionId: string | null): Watch {
    return this.settings.bells.add(this.settings.agentId, sessionId);
  }

  hasRead(sessionId: string, seq: number): void {
    this.settings.hub.markRead(this.settings.agentId, sessionId, seq);
  }
}

type Follow = (listener: HubListener<'envelopePosted'>) => () => void;
type Posted = Parameters<HubListener<'envelopePosted'>>[0];

interface Waiter {
  readonly agentId: string;
  readonly sessionId: string | null;
  readonly bell: WakeSignal;
}

/** Wakes waiting HTTP callers when a durable envelope may concern them. */
export class WakeSignals {
  private readonly follow: Follow;
  private readonly waiters = new Map<WakeSignal, Waiter>();
  /** Follows the hub only while a caller waits, because following costs work for every envelope. */
  private unfollow: (() => void) | null = null;

  constructor(follow: Follow) {
    this.follow = follow;
  }

  add(agentId: string, sessionId: string | null): WakeSignal {
    const bell = new WakeSignal((ended) => this.remove(ended));
    this.waiters.set(bell, { agentId, sessionId, bell });
    this.unfollow ??= this.follow((posted) => this.posted(posted));
    return bell;
  }

  private posted(posted: Posted): void {
    for (const waiter of this.waiters.values()) if (concerns(posted, waiter)) waiter.bell.ring();
  }

  private remove(bell: WakeSignal): void {
    this.waiters.delete(bell);
    if (this.waiters.size > 0) return;
    this.unfollow?.();
    this.unfollow = null;
  }
}

/** A wait for all sessions wakes for the waiter's turns, whispers to it, session ends, and envelopes that anyone may answer. */
function concerns({ envelope, turn }: Posted, { agentId, sessionId }: Waiter): boolean {
  const { session_id, audience, event_type } = envelope;
  if (sessionId !== null) return session_id === sessionId;
  if (turn?.agent_id === agentId || audience?.includes(agentId) === true) return true;
  return (turn === null && audience === null) || event_type === 'session.closed' || event_type === 'session.expired';
}
