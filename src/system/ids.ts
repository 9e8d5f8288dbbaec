/** Unpredictable ids and secrets. */

import { createHash, randomBytes, randomFillSync, timingSafeEqual } from 'node:crypto';
import type { Ids, Secrets } from '../core/ports/platform.ts';

const ID_BYTES = 16;
/** Random bytes are requested in batches. */
const pool: Buffer = Buffer.alloc(ID_BYTES * 256);
let used: number = pool.length;

export const systemIds: Ids = {
  hex32() {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += ID_BYTES;
    // Not a slice of a longer string: the slice would keep the whole string in memory.
    return pool.toString('hex', used - ID_BYTES, used);
  },
};

export const systemSecrets: Secrets = {
  make: () => randomBytes(32).toString('base64url'),
  // A fast hash is enough for 256 random bits; a slow one would only delay every hello.
  digest: (secret) => createHash('sha256').update(secret).digest('hex'),
  same: (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b)),
};
