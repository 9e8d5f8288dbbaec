/** A page of a log: for who may observe all of it, whether it takes part or not, as what is pushed to it is. */

import type { Params, Result } from '../../../core/operations.ts';
import { ask } from '../../connection/read-operations.ts';
import { seesAll } from '../../connection/grants.ts';

export function readLog(params: Params<'read_log'>): Promise<Result<'read_log'>> {
  return ask('read_log', { ...params, ...(seesAll() ? { all: true } : {}) });
}
