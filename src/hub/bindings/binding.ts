/** One identity on one connection. A newer binding of the identity replaces it; their numbers differ. */

import { WireError } from '../../core/lib/errors.ts';
import type { GoodbyeReason } from '../../core/protocol/frames/frames.ts';
import type { Credential } from '../../core/records/access/credentials.ts';
import type { Passport } from '../../core/records/identity/passport.ts';

/** The hub's side of a connection, as a binding uses it. */
export interface Endpoint {
  readonly endpointId: string;
  send(text: string): void;
  /** Sent bytes are not draining: streams wait until they do. */
  readonly isBackpressured: boolean;
  /** The undrained bytes; absent = every send leaves immediately. */
  readonly unsentBytes?: number;
  /** The binding ended; the connection may continue. `reason`: the one in its goodbye. */
  unbound(agentId: string, number: number, reason: GoodbyeReason | null): void;
}

export class Binding {
  readonly agentId: string;
  readonly name: string;
  readonly number: number;
  readonly endpoint: Endpoint;
  /** What its connection proved; null = it is trusted. */
  readonly credential: Credential | null;
  /** Set for a request without a connection; null = the binding may act while its connection speaks for the identity. */
  readonly mayStillAct: (() => boolean) | null;

  constructor(
    passport: Passport,
    number: number,
    endpoint: Endpoint,
    credential: Credential | null,
    mayStillAct: (() => boolean) | null = null,
  ) {
    this.agentId = passport.agent_id;
    this.name = passport.name;
    this.number = number;
    this.endpoint = endpoint;
    this.credential = credential;
    this.mayStillAct = mayStillAct;
  }

  get isBackpressured(): boolean {
    return this.endpoint.isBackpressured;
  }

  send(text: string): void {
    this.endpoint.send(text);
  }
}

/** The binding ended or was replaced while the request ran. */
export function notBoundError(name: string): WireError {
  return new WireError('unauthenticated', `${name} is no longer bound to this connection; say hello again`);
}
