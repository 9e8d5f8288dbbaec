/** Ids that nobody can guess. */

import { randomBytes } from 'node:crypto';
import type { Ids } from '../core/ports.ts';

const POOL_BYTES = 16 * 256;
let pool = '';

/** Drawn from a pool: one call to the system's random source gives 256 ids. */
export const systemIds: Ids = {
  hex32() {
    if (pool.length === 0) pool = randomBytes(POOL_BYTES).toString('hex');
    const id = pool.slice(0, 32);
    pool = pool.slice(32);
    return id;
  },
};
