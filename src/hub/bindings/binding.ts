/** One identity on one connection. A newer binding of the same identity takes over; the number tells them apart. */

import { WireError } from '../../core/lib/errors.ts';
import type { GoodbyeReason } from '../../core/protocol/frames/frames.ts';
import type { Credential } from '../../core/records/access/credentials.ts';
import type { Passport } from '../../core/records/identity/passport.ts';

/** The end of a connection a binding speaks through. */
export interface Endpoint {
  readonly endpointId: string;
  send(text: string): void;
  /** What was sent has not left yet: streams wait until it has. */
  readonly isBackpressured: boolean;
  /** How much that is; absent = it leaves at once. */
  readonly unsentBytes?: number;
  /** The binding is over though the connection may go on. `reason`: as it was told. */
  unbound(agentId: string, number: number, reason: GoodbyeReason | null): void;
}

export class Binding {
  readonly agentId: string;
  readonly name: string;
  readonly number: number;
  readonly endpoint: Endpoint;
  /** What its connection proved; null = it is trusted. */
  readonly credential: Credential | null;
  /** May it still act? null = as long as its connection speaks for the identity. A request without a connection brings its own. */
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

/** Another binding took over, or this one ended, while the request was under way. */
export function notBoundError(name: string): WireError {
  return new WireError('unauthenticated', `${name} is no longer bound to this connection; say hello again`);
}
