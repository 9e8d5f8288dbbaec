/** Who asks for an operation, and what carries it out. */

import { sessionNotFoundError } from '../../core/decisions/admit.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { OperationName, Params, Result } from '../../core/protocol/operations/operations.ts';
import type { Grant } from '../../core/records/access/grants.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import { participantOf, type SessionMetadata } from '../../core/records/session/session.ts';
import { type Binding, notBoundError } from '../bindings/binding.ts';
import type { Bindings } from '../bindings/bindings.ts';
import type { Proof } from '../registry/handshake.ts';
import type { Guard, Registry } from '../registry/registry.ts';

/** An identity with its binding, or a connection that has none yet. */
export interface Caller {
  readonly binding: Binding | null;
  /** Binds a freshly registered identity to the caller's connection; does nothing if the caller has no connection. */
  bind(passport: Passport): void;
  /** What its connection has proven. */
  readonly proof: Proof;
}

export type Handler<Name extends OperationName> = (
  caller: Caller,
  params: Params<Name>,
) => Promise<Result<Name>> | Result<Name>;

/** The operations of one room. */
export type Handlers<Name extends OperationName = OperationName> = { readonly [N in Name]: Handler<N> };

/** The binding of a caller that must have one. */
export function boundCaller({ binding }: Caller): Binding {
  if (binding !== null) return binding;
  throw new WireError('unauthenticated', 'say hello, or register, before you ask for this');
}

/** Why the caller may not do in this session what takes the grant; null = it may. To a stranger there is no such session. */
export function grantRefusal(
  registry: Pick<Registry, 'hasGrant'>,
  { agentId, credential }: Binding,
  grant: Grant,
  metadata: SessionMetadata,
): WireError | null {
  if (registry.hasGrant(agentId, grant, credential)) return null;
  if (participantOf(metadata, agentId) === undefined) return sessionNotFoundError(metadata.session_id);
  return new WireError('forbidden', `this takes the grant "${grant}", also in a session of your own`);
}

/** Another connection may have taken over by the time it is judged. */
export function guardOf(bindings: Pick<Bindings, 'mayAct'>, by: Binding): Guard {
  return () => (bindings.mayAct(by) ? null : notBoundError(by.name));
}
