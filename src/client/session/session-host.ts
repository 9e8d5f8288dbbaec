/** What the handles of a session and of its tasks need from the client. */

import type { HubError } from '../../core/lib/errors.ts';
import type { Ids } from '../../core/ports/platform.ts';
import type { OperationName, Params, Result } from '../../core/protocol/operations/operations.ts';
import type { CallOptions } from '../connection/requests.ts';

export interface SessionHost {
  readonly agentId: string;
  readonly ids: Ids;
  call<Name extends OperationName>(op: Name, params: Params<Name>, options?: CallOptions): Promise<Result<Name>>;
  failed(doing: string, sessionId: string, error: Error): void;
  /** Why nothing more will come; null = the client is open. */
  closedError(): HubError | null;
}

/** How a session ended for this participant: closed, expired, or going on without it. */
export interface SessionEnd {
  readonly state: 'CLOSED' | 'EXPIRED' | 'REMOVED';
  readonly reason: string | null;
}
