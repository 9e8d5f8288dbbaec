/**
 * Options of fixtures over a port, and their token. Fixtures run commands: the port serves them on the loopback only, and only
 * for callers with the conformance token.
 */

import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';
import { parseToken } from '../../core/records/access/token-schema.ts';
import { writeFileAtomic } from '../../system/atomic-file.ts';
import { systemSecrets } from '../../system/ids.ts';
import { isLoopback } from '../auth/hosts.ts';

export interface ConformanceOptions {
  /** Whoever has it can run commands as the user the hub runs as. Never one of the hub's own. */
  readonly token: string;
  /** How long a fixture may take, with its hooks; 60 s unless told. */
  readonly timeoutMs?: number | undefined;
  /** How many are done at once; 2 unless told. Others wait, and when too many wait they are sent away. */
  readonly maxAtOnce?: number | undefined;
}

export interface ConformanceSettings {
  readonly token: string;
  readonly timeoutMs: number;
  readonly maxAtOnce: number;
}

const NAMES = ['token', 'timeoutMs', 'maxAtOnce'];
/** Visible ASCII: anything else does not fit into a header. */
const TOKEN = /^[\x21-\x7e]{8,512}$/;

export function conformanceSettings(given: ConformanceOptions | undefined, host: string): ConformanceSettings | null {
  if (given === undefined) return null;
  const unknown = Object.keys(given).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw wrong(`.${unknown}`, `no such option; there are ${NAMES.join(', ')}`);
  if (!isLoopback(host)) {
    throw wrong('', `fixtures run commands, so they are done on the loopback only; host is ${JSON.stringify(host)}`);
  }
  const { token, timeoutMs = 60_000, maxAtOnce = 2 } = given;
  // What came is not shown: it is a secret.
  if (typeof token !== 'string' || !TOKEN.test(token)) {
    throw wrong('.token', 'expected 8 to 512 visible characters of ASCII, without spaces');
  }
  if (parseToken(token) !== null) throw wrong('.token', 'expected a token of its own; this is one of the hub');
  if (!(Number.isInteger(timeoutMs) && timeoutMs > 0)) {
    throw wrong('.timeoutMs', `expected a whole number over 0, got ${describeValue(timeoutMs)}`);
  }
  if (!(Number.isInteger(maxAtOnce) && maxAtOnce > 0)) {
    throw wrong('.maxAtOnce', `expected a whole number over 0, got ${describeValue(maxAtOnce)}`);
  }
  return { token, timeoutMs, maxAtOnce };
}

function wrong(member: string, problem: string): HubError {
  return new HubError('bad_options', `conformance${member}: ${problem}`);
}

export interface ConformanceToken {
  readonly token: string;
  /** Where it is; null = whoever gave it knows. */
  readonly file: string | null;
}

const SHAPE = /^conform_[A-Za-z0-9_-]{43}$/;

/** The token to serve with; without a given one, one is made and kept in the data folder. */
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
