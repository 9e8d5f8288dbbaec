/**
 * Operations: every request of a client ends here, whichever way it came. Each room gives a table of handlers; this parses the
 * parameters, dispatches, and turns every failure into a wire error that can be observed. Authority comes with the caller's binding,
 * never from who is connected. Start reading at `Operations.run`, then the table of the room.
 */

import { toWireError } from '../../core/lib/errors.ts';
import { OPERATIONS, type OperationName, type Result } from '../../core/protocol/operations/operations.ts';
import type { Ground } from '../log/ground.ts';
import type { Caller, Handlers } from './handler.ts';

export class Operations {
  private readonly ground: Pick<Ground, 'log' | 'events'>;
  private readonly handlers: Handlers;

  constructor(ground: Pick<Ground, 'log' | 'events'>, handlers: Handlers) {
    this.ground = ground;
    this.handlers = handlers;
  }

  /** Rejects with wire errors only. Up to the operation's first wait it runs immediately. */
  run<Name extends OperationName>(caller: Caller, name: Name, params: unknown): Promise<Result<Name>> {
    // Not an async function: it runs for every post, and would cost it as much memory again as its answer does.
    const refused = (thrown: unknown): never => this.refused(caller, name, params, thrown);
    try {
      const parsed = OPERATIONS[name].params.parse(params, 'params');
      return Promise.resolve(this.handlers[name](caller, parsed)).catch(refused);
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
