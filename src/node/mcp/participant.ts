/** What the tools need of a hub: to ask for operations as one identity, and to hear that something happened. */

import type { OperationName, Params, Result } from '../../core/operations.ts';

export interface Participant {
  /** Who asks. Refused with why, as a wire error, where nobody can be. */
  readonly agentId: Promise<string>;
  /** Any operation, as on the wire; refuses with a wire error. */
  call<Name extends OperationName>(op: Name, params: Params<Name>): Promise<Result<Name>>;
  /** Watches for what may concern it: in one session, or in all. To be ended. */
  watch(sessionId: string | null): Watch;
  /** All of a session up to this seq was shown to it. */
  hasRead(sessionId: string, seq: number): void;
}

export interface Watch {
  /** Resolves when something has happened since the last time it resolved, or when the signal says so. */
  next(signal: AbortSignal): Promise<void>;
  end(): void;
}
