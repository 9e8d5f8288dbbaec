/** Who asks for an operation: an identity with its binding, or a connection that has none yet. */

import { WireError } from '../core/lib/errors.ts';
import type { Passport } from '../core/records/identity/passport.ts';
import type { Binding } from './bindings.ts';
import type { Proof } from './registry/handshake.ts';

export interface Caller {
  readonly binding: Binding | null;
  /** Binds a freshly registered identity to the caller's connection; null = the caller has no connection. */
  bind(passport: Passport): void;
  /** What its connection has proven. */
  readonly proof: Proof;
}

/** The binding of a caller that must have one. */
export function boundCaller(caller: Caller): Binding {
  if (caller.binding !== null) return caller.binding;
  throw new WireError('unauthenticated', 'say hello, or register, before you ask for this');
}

/** Another binding took over, or this one ended, while the request was under way. */
export function notBound(name: string): WireError {
  return new WireError('unauthenticated', `${name} is no longer bound to this connection; say hello again`);
}
