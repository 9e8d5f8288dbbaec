/** The token of whoever runs the hub: made once, kept in a file of the data folder that only its owner can read. */

import { chmod, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { GRANTS, type Grant } from '../core/records/access/grants.ts';
import { partsOfToken } from '../core/records/access/tokens.ts';
import type { LocalHub } from '../server/create-hub.ts';

const FILE = 'operator-token';

export function operatorTokenFile(data: string): string {
  return join(data, FILE);
}

/** Where it is. One that was lost or revoked is made anew. */
export async function ensureOperatorToken(hub: LocalHub, data: string): Promise<string> {
  const file = operatorTokenFile(data);
  const known = await readFile(file, 'utf8').catch(() => '');
  const parts = partsOfToken(known.trim());
  if (parts !== null && hub.tokens().some(({ token_id }) => token_id === parts.tokenId)) {
    await chmod(file, 0o600);
    return file;
  }
  // Every grant there is.
  const grants = Object.keys(GRANTS) as Grant[];
  const { token } = await hub.createToken({ label: 'operator of this hub', grants });
  await writeSecret(file, `${token}\n`);
  return file;
}

/** The token goes with a copy of its folder: names that were registered with it are nobody else's. Nothing, if there is none. */
export async function copyOperatorToken(from: string, to: string): Promise<void> {
  const token = await readFile(operatorTokenFile(from), 'utf8').catch(() => null);
  if (token !== null) await writeSecret(operatorTokenFile(to), token);
}

/** Never there half, and never there for others, not for a moment. */
export async function writeSecret(file: string, text: string): Promise<void> {
  const draft = `${file}.new`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}
