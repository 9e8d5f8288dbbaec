/** Defines what session and task handles need from the client. */

import type { HubError } from '../../core/lib/errors.ts';
import type { Ids } from '../../core/ports/platform.ts';
import type { OperationName, Params, Result } from '../../core/protocol/operations/operations.ts';
import type { CallOptions } from '../connection/requests.ts';

export interface SessionHost {
  readonly agentId: string;
  readonly ids: Ids;
  call<Name extends OperationName>(op: Name, params: Params<Name>, options?: CallOptions): Promise<Result<Name>>;
  failed(doing: string, sessionId: string, error: Error): void;
  /** The error for calls after the client closed; null while it is open. */
  closedError(): HubError | null;
}

/** A session whose handles call the hub. */
export interface HostedSession {
  readonly id: string;
  readonly host: SessionHost;
}

/** How a session ended for this participant: it was closed, it expired, or the participant was removed. */
export interface SessionEnd {
  readonly state: 'CLOSED' | 'EXPIRED' | 'REMOVED';
  readonly reason: string | null;
}
