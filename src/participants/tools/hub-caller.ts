/** Whoever asks a hub for something: all that the tools need that only look around. A client is one. */

import type { OperationName, Params, Result } from '../../core/operations.ts';

export interface HubCaller {
  /** Who asks. */
  readonly agentId: string | Promise<string>;
  call<Name extends OperationName>(op: Name, params: Params<Name>): Promise<Result<Name>>;
}
