/** Ids and secrets that nobody can guess. */

import { createHash, randomBytes, randomFillSync, timingSafeEqual } from 'node:crypto';
import type { Ids, Secrets } from '../core/ports/platform.ts';

const ID_BYTES = 16;
/** One call to the system's random source gives this many bytes. */
const pool: Buffer = Buffer.alloc(ID_BYTES * 256);
let used: number = pool.length;

export const systemIds: Ids = {
  hex32() {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += ID_BYTES;
    // Text of its own: a slice of a longer text would keep all of it in memory for as long as the id lives.
    return pool.toString('hex', used - ID_BYTES, used);
  },
};

export const systemSecrets: Secrets = {
  make: () => randomBytes(32).toString('base64url'),
  // Not a password: nobody can try out 256 bits, so a slow hash would only slow down every hello.
  digest: (secret) => createHash('sha256').update(secret).digest('hex'),
  same: (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b)),
};
