/**
 * The name under which commands look at a hub. A newer connection of a name takes over from an older one, so two commands must
 * never use the same: each takes the first that no other on this machine has, by a lock that goes with its process.
 */

import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginName } from './where.ts';

const { tryLock }: { tryLock(fd: number): boolean } = createRequire(import.meta.url)('fs-native-extensions');

/** How the names begin that are commands, not somebody. */
export const OWN_PREFIX = 'cli.';

const MOST = 64;

export interface OwnName {
  readonly name: string;
  release(): Promise<void>;
}

export async function takeOwnName(url: string): Promise<OwnName> {
  const base = `${OWN_PREFIX}${loginName().slice(0, 24)}.${hostOf().slice(0, 24)}`;
  const folder = join(tmpdir(), `parley-cli-${process.getuid?.() ?? 'user'}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const hub = createHash('sha256').update(url).digest('hex').slice(0, 12);
  for (let n = 1; n <= MOST; n++) {
    const file = await open(join(folder, `${hub}-${n}`), 'a');
    if (tryLock(file.fd)) return { name: n === 1 ? base : `${base}.${n}`, release: () => file.close() };
    await file.close();
  }
  // So many at once are a mistake of whoever starts them; they share.
  return { name: `${base}.${MOST}`, release: async () => {} };
}

function hostOf(): string {
  const [host = ''] = hostname().toLowerCase().split('.');
  return host.replaceAll(/[^a-z0-9-]/g, '') || 'host';
}
