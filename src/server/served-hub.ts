/** The part of a hub that a port serves: connections, single requests, health and metrics. */

import type { WireCode } from '../core/lib/errors.ts';
import type { Link } from '../core/lib/link.ts';
import { type Logger, silentLog } from '../core/ports/platform.ts';
import type { Health } from '../core/protocol/operations/console-hub.ts';
import type { Credential } from '../core/records/access/credentials.ts';
import type { SingleRequest } from '../hub/connection/single-request.ts';
import type { Hub } from '../hub/hub.ts';
import type { Peer } from '../hub/registry/handshake.ts';
import type { HubListener } from '../hub/telemetry/events.ts';
import type { Exposition } from './telemetry/metrics.ts';

export interface ServedHub {
  accept(link: Link, peer: Peer): void;
  /** Answers one request without a connection. */
  ask(request: SingleRequest): Promise<unknown>;
  /** Calls the listener for every envelope that becomes durable; call the returned function to unsubscribe. */
  follow(listener: HubListener<'envelopePosted'>): () => void;
  /** Acks a session up to this seq for a client without a connection. */
  markRead(agentId: string, sessionId: string, seq: number): void;
  /** Marks an agent without a connection as present for a while. */
  looksIn(agentId: string): void;
  /** Counts a rejection. */
  refused(code: WireCode): void;
  health(): Health;
  metrics(): Promise<string>;
  readonly maxFrameBytes: number;
  readonly maxJsonDepth: number;
  readonly log: Logger;
  judgeToken(token: unknown): Credential | null;
}

export function servedHub(hub: Hub, log: Logger = silentLog): ServedHub {
  let exposition: Promise<Exposition> | undefined;
  return {
    accept: (link, peer) => hub.accept(link, peer),
    ask: (request) => hub.ask(request),
    follow: (listener) => hub.on('envelopePosted', listener),
    markRead: (agentId, sessionId, seq) => hub.markRead(agentId, sessionId, seq),
    looksIn: (agentId) => hub.looksIn(agentId),
    refused: (code) => hub.countRefusal(code),
    health: () => hub.health(),
    async metrics() {
      // Loaded at the first scrape.
      exposition ??= import('./telemetry/metrics.ts').then((loaded) => new loaded.Exposition(hub.figures()));
      return (await exposition).text(hub.figures());
    },
    maxFrameBytes: hub.limits.maxFrameBytes,
    maxJsonDepth: hub.limits.maxJsonDepth,
    log,
    judgeToken: (token) => hub.tokens?.judge(token) ?? null,
  };
}
