/** The token of conformance, where none was given: made once, kept in a file of the data folder that only its owner can read. */

import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSecret } from '../../operator-token.ts';
import { systemSecrets } from '../../system-secrets.ts';

export interface ConformanceToken {
  readonly token: string;
  /** Where it is; null = whoever gave it knows. */
  readonly file: string | null;
}

const SHAPE = /^conform_[A-Za-z0-9_-]{43}$/;

export async function conformanceToken(data: string, given: string | null): Promise<ConformanceToken> {
  if (given !== null) return { token: given, file: null };
  const file = join(data, 'conformance-token');
  const known = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (SHAPE.test(known)) {
    await chmod(file, 0o600);
    return { token: known, file };
  }
  const token = newToken();
  await writeSecret(file, `${token}\n`);
  return { token, file };
}

export function newToken(): string {
  return `conform_${systemSecrets.make()}`;
}
