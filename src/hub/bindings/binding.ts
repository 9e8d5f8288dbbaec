/** Associates one identity with one connection. A newer binding of the identity replaces it and has a higher number. */

import { WireError } from '../../core/lib/errors.ts';
import type { GoodbyeReason } from '../../core/protocol/frames/frames.ts';
import type { Credential } from '../../core/records/access/credentials.ts';
import type { Passport } from '../../core/records/identity/passport.ts';

/** The part of a connection that a binding uses. */
export interface Endpoint {
  readonly endpointId: string;
  send(text: string): void;
  /** True while sent bytes do not drain; streams wait meanwhile. */
  readonly isBackpressured: boolean;
  /** Number of bytes not yet drained; absent if the endpoint never buffers. */
  readonly unsentBytes?: number;
  /** Called when the binding ended; the connection may continue. `reason` is null if no goodbye was sent. */
  unbound(agentId: string, number: number, reason: GoodbyeReason | null): void;
}

export class Binding {
  readonly agentId: string;
  readonly name: string;
  readonly number: number;
  readonly endpoint: Endpoint;
  /** The credential its connection proved; null if the connection is trusted. */
  readonly credential: Credential | null;
  /** Set for requests without a connection; null if the right to act follows from the connection (Bindings.mayAct). */
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

/** For a request whose binding ended or was replaced while it ran. */
export function notBoundError(name: string): WireError {
  return new WireError('unauthenticated', `${name} is no longer bound to this connection; say hello again`);
}
