/** A hub as a port serves it: connections, single requests, and how it is doing. */

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

/** The part of a hub that is served. */
export interface ServedHub {
  accept(link: Link, peer: Peer): void;
  /** One request without a connection. */
  ask(request: SingleRequest): Promise<unknown>;
  /** Whatever becomes durable, from now on; the result stops it. */
  follow(listener: HubListener<'envelopePosted'>): () => void;
  /** All of a session up to this seq was shown to who has no connection. */
  markRead(agentId: string, sessionId: string, seq: number): void;
  /** It has no connection, and asks: it is here for a while. */
  looksIn(agentId: string): void;
  /** A peer was refused something, by the hub or before it was asked. */
  refused(code: WireCode): void;
  health(): Health;
  /** As Prometheus reads it. */
  metrics(): Promise<string>;
  readonly maxFrameBytes: number;
  readonly maxJsonDepth: number;
  readonly log: Logger;
  /** Judges a token of the hub. */
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
      // Loaded when somebody looks.
      exposition ??= import('./telemetry/metrics.ts').then((loaded) => new loaded.Exposition(hub.figures()));
      return (await exposition).text(hub.figures());
    },
    maxFrameBytes: hub.limits.maxFrameBytes,
    maxJsonDepth: hub.limits.maxJsonDepth,
    log,
    judgeToken: (token) => hub.tokens?.judge(token) ?? null,
  };
}
