/**
 * Names for commands that only read. A newer connection replaces an older one of the same name, so each command locks the first
 * free name on this machine until its process ends.
 */

import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginName } from './hub-target.ts';

const { tryLock }: { tryLock(fd: number): boolean } = createRequire(import.meta.url)('fs-native-extensions');

/** Prefix of names used by commands. */
export const COMMAND_NAME_PREFIX = 'cli.';

const MAX_NAMES = 64;
const RETRY_MS = 20;
const PATIENCE_MS = 5_000;

interface CommandName {
  readonly name: string;
  release(): Promise<void>;
}

export async function acquireCommandName(url: string): Promise<CommandName> {
  const base = `${COMMAND_NAME_PREFIX}${loginName().slice(0, 24)}.${hostOf().slice(0, 24)}`;
  for (let n = 1; n <= MAX_NAMES; n++) {
    const release = await lock(`${url} ${n}`);
    if (release !== null) return { name: n === 1 ? base : `${base}.${n}`, release };
  }
  // More than MAX_NAMES concurrent commands are a mistake: let them share a name.
  return { name: `${base}.${MAX_NAMES}`, release: async () => {} };
}

/** Lets short commands with the same name run one after the other; after a timeout, continues without the lock. */
export async function lockName(url: string, name: string): Promise<CommandName> {
  for (let waited = 0; waited < PATIENCE_MS; waited += RETRY_MS) {
    const release = await lock(`${url} as ${name}`);
    if (release !== null) return { name, release };
    await new Promise((resume) => setTimeout(resume, RETRY_MS));
  }
  return { name, release: async () => {} };
}

/** null if another process holds the lock. The lock ends with the process. */
async function lock(what: string): Promise<(() => Promise<void>) | null> {
  const folder = join(tmpdir(), `parley-cli-${process.getuid?.() ?? 'user'}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(join(folder, createHash('sha256').update(what).digest('hex').slice(0, 16)), 'a');
  if (tryLock(file.fd)) return () => file.close();
  await file.close();
  return null;
}

function hostOf(): string {
  const [host = ''] = hostname().toLowerCase().split('.');
  return host.replaceAll(/[^a-z0-9-]/g, '') || 'host';
}
