/** Options and token for serving conformance fixtures. They run commands, so they require the loopback and a separate token. */

import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';
import { parseToken } from '../../core/records/access/token-schema.ts';
import { writeFileAtomic } from '../../system/atomic-file.ts';
import { systemSecrets } from '../../system/ids.ts';
import { isLoopback } from '../auth/hosts.ts';

export interface ConformanceOptions {
  /** Holders can run commands as the hub's user. Must not be a hub token. */
  readonly token: string;
  /** Time limit of a fixture with its hooks (default: 60 s). */
  readonly timeoutMs?: number | undefined;
  /** Maximum concurrent fixtures (default: 2). A bounded number of others waits. */
  readonly maxAtOnce?: number | undefined;
}

export interface ConformanceSettings {
  readonly token: string;
  readonly timeoutMs: number;
  readonly maxAtOnce: number;
}

const NAMES = ['token', 'timeoutMs', 'maxAtOnce'];
/** Visible ASCII, as a header requires. */
const TOKEN = /^[\x21-\x7e]{8,512}$/;

export function conformanceSettings(given: ConformanceOptions | undefined, host: string): ConformanceSettings | null {
  if (given === undefined) return null;
  const unknown = Object.keys(given).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw wrong(`.${unknown}`, `unknown option; valid options: ${NAMES.join(', ')}`);
  if (!isLoopback(host)) {
    throw wrong('', `fixtures run commands and require a loopback host; host is ${JSON.stringify(host)}`);
  }
  const { token, timeoutMs = 60_000, maxAtOnce = 2 } = given;
  // Do not show the value: it is a secret.
  if (typeof token !== 'string' || !TOKEN.test(token)) {
    throw wrong('.token', 'expected 8 to 512 visible ASCII characters without spaces');
  }
  if (parseToken(token) !== null) throw wrong('.token', 'expected a separate token, got a token of the hub');
  for (const [name, value] of Object.entries({ timeoutMs, maxAtOnce })) {
    if (!(Number.isInteger(value) && value > 0)) {
      throw wrong(`.${name}`, `expected a whole number over 0, got ${describeValue(value)}`);
    }
  }
  return { token, timeoutMs, maxAtOnce };
}

function wrong(member: string, problem: string): HubError {
  return new HubError('bad_options', `conformance${member}: ${problem}`);
}

export interface ConformanceToken {
  readonly token: string;
  /** Its file; null if the token was passed in. */
  readonly file: string | null;
}

const SHAPE = /^conform_[A-Za-z0-9_-]{43}$/;

/** Returns the token to require. If none is passed, creates one and keeps it in the data folder. */
export async function conformanceToken(data: string, given: string | null): Promise<ConformanceToken> {
  if (given !== null) return { token: given, file: null };
  const file = join(data, 'conformance-token');
  const known = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (SHAPE.test(known)) {
    await chmod(file, 0o600);
    return { token: known, file };
  }
  const token = newToken();
  await writeFileAtomic(file, `${token}\n`);
  return { token, file };
}

export function newToken(): string {
  return `conform_${systemSecrets.make()}`;
}
