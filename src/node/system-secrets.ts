/** Secrets of this machine's making: 256 bits of chance, kept as SHA-256. */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../core/ports/platform.ts';

export const systemSecrets: Secrets = {
  make: () => randomBytes(32).toString('base64url'),
  // Not a password: nobody can try out 256 bits, so a slow hash would only slow down every hello.
  digest: (secret) => createHash('sha256').update(secret).digest('hex'),
  same: (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b)),
};
