/** Keeps the operator token in a file of the data folder that only its owner can read. */

import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GRANTS, type Grant } from '../../core/records/access/grants.ts';
import { parseToken } from '../../core/records/access/token-schema.ts';
import { writeFileAtomic } from '../../system/atomic-file.ts';

interface TokenIssuer {
  tokens(): readonly { readonly token_id: string }[];
  createToken(claim: {
    readonly label: string;
    readonly grants: readonly Grant[];
  }): Promise<{ readonly token: string }>;
}

const FILE = 'operator-token';

export function operatorTokenFile(data: string): string {
  return join(data, FILE);
}

/** Returns the path of the token file. Issues a new token if the old one was lost or revoked. */
export async function ensureOperatorToken(hub: TokenIssuer, data: string): Promise<string> {
  const file = operatorTokenFile(data);
  const known = await readFile(file, 'utf8').catch(() => '');
  const parts = parseToken(known.trim());
  if (parts !== null && hub.tokens().some(({ token_id }) => token_id === parts.tokenId)) {
    await chmod(file, 0o600);
    return file;
  }
  const grants = Object.keys(GRANTS) as Grant[];
  const { token } = await hub.createToken({ label: 'operator of this hub', grants });
  await writeFileAtomic(file, `${token}\n`);
  return file;
}

/** Adds the operator token to a copy of the data folder: it owns the names registered with it. */
export async function copyOperatorToken(from: string, to: string): Promise<void> {
  const token = await readFile(operatorTokenFile(from), 'utf8').catch(() => null);
  if (token !== null) await writeFileAtomic(operatorTokenFile(to), token);
}
