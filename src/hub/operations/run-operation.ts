/**
 * Operations: runs every client request. Parses the parameters, requires a binding where the operation needs one, calls the
 * handler and turns every failure into a wire error. Start reading at `Operations.run`, then the table of handlers of a room.
 */

import { sessionNotFoundError } from '../../core/decisions/admit.ts';
import { toWireError, WireError } from '../../core/lib/errors.ts';
import {
  OPERATIONS,
  type OperationName,
  type OperationTypes,
  type Params,
  type Result,
} from '../../core/protocol/operations/operations.ts';
import type { Grant } from '../../core/records/access/grants.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import { participantOf, type SessionMetadata } from '../../core/records/session/session.ts';
import { type Binding, notBoundError } from '../bindings/binding.ts';
import type { Bindings } from '../bindings/bindings.ts';
import type { Ground } from '../log/ground.ts';
import type { Proof } from '../registry/handshake.ts';
import type { Guard, Registry } from '../registry/registry.ts';

/** The sender of a request: a bound identity, or a connection without a binding. */
export interface Caller {
  readonly binding: Binding | null;
  /** Binds a freshly registered identity to the caller's connection; does nothing if the caller has no connection. */
  bind(passport: Passport): void;
  /** The proof the caller has shown. */
  readonly proof: Proof;
}

/** An open operation gets the caller, which may be unbound; all others get a binding. */
type Handler<Name extends OperationName> = (
  by: OperationTypes[Name] extends { open: true } ? Caller : Binding,
  params: Params<Name>,
) => Promise<Result<Name>> | Result<Name>;

/** The handlers of one room. */
export type Handlers<Name extends OperationName = OperationName> = { readonly [N in Name]: Handler<N> };

export class Operations {
  private readonly ground: Pick<Ground, 'log' | 'events'>;
  private readonly handlers: Handlers;

  constructor(ground: Pick<Ground, 'log' | 'events'>, handlers: Handlers) {
    this.ground = ground;
    this.handlers = handlers;
  }

  /** Rejects only with wire errors. Runs synchronously up to the operation's first await. */
  run<Name extends OperationName>(caller: Caller, name: Name, params: unknown): Promise<Result<Name>> {
    // Not async: this runs for every post, and a second promise would double the memory of an answer.
    const refused = (thrown: unknown): never => this.refused(caller, name, params, thrown);
    try {
      const operation = OPERATIONS[name];
      const parsed = operation.params.parse(params, 'params');
      // `who` decides whether the handler takes a caller or a binding; TypeScript cannot derive it from the name.
      const by = (operation.who === 'anyone' ? caller : boundCaller(caller)) as Parameters<Handler<Name>>[0];
      return Promise.resolve(this.handlers[name](by, parsed)).catch(refused);
    } catch (thrown) {
      return Promise.reject(thrown).catch(refused);
    }
  }

  private refused(caller: Caller, op: OperationName, params: unknown, thrown: unknown): never {
    const { log, events } = this.ground;
    const error = toWireError(thrown, op);
    if (error.code === 'internal')
      log.error(`${op} failed`, { error: error.message, cause: String(error.cause ?? '') });
    const agent_id = caller.binding?.agentId ?? null;
    events.emit('operationRefused', { op, agent_id, session_id: sessionOf(params), error });
    throw error;
  }
}

function sessionOf(params: unknown): string | null {
  if (typeof params !== 'object' || params === null || !('session_id' in params)) return null;
  return typeof params.session_id === 'string' ? params.session_id : null;
}

function boundCaller({ binding }: Caller): Binding {
  if (binding !== null) return binding;
  throw new WireError('unauthenticated', 'say hello, or register, before you ask for this');
}

/** Why the caller may not use the grant in this session, or null. To a non-participant the session does not exist. */
export function grantRefusal(
  registry: Pick<Registry, 'hasGrant'>,
  { agentId, credential }: Binding,
  grant: Grant,
  metadata: SessionMetadata,
): WireError | null {
  if (registry.hasGrant(agentId, grant, credential)) return null;
  if (participantOf(metadata, agentId) === undefined) return sessionNotFoundError(metadata.session_id);
  return new WireError('forbidden', `this requires the grant "${grant}", even in your own session`);
}

/** Checked again when the change is decided: another connection may have replaced the binding. */
export function guardOf(bindings: Pick<Bindings, 'mayAct'>, by: Binding): Guard {
  return () => (bindings.mayAct(by) ? null : notBoundError(by.name));
}

/** Removes undefined members: with exact optional properties, undefined differs from absent. */
export function withoutUndefined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T> as never;
}
