/** What carries out one operation of the table. */

import type { OperationName, Params, Result } from '../core/operations.ts';
import type { Caller } from './caller.ts';
import type { HubParts } from './parts.ts';

export type Handler<Name extends OperationName> = (
  parts: HubParts,
  caller: Caller,
  params: Params<Name>,
) => Promise<Result<Name>> | Result<Name>;
