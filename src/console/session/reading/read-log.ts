/** A page of a log: for who may observe all of it, whether it takes part or not, as what is pushed to it is. */

import type { Params, Result } from '../../../core/protocol/operations/operations.ts';
import { mayObserve } from '../../connection/grants.ts';
import { callRead } from '../../connection/read-operations.ts';

export function readLog(params: Params<'read_log'>): Promise<Result<'read_log'>> {
  return callRead('read_log', { ...params, ...(mayObserve() ? { all: true } : {}) });
}
