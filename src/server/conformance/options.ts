/** Whether fixtures are done over a port, for whom and how much of it. They run commands: only for this machine, and only for who has a token of its own. */

import { HubError } from '../../core/lib/errors.ts';
import { describe } from '../../core/lib/json.ts';
import { partsOfToken } from '../../core/records/access/tokens.ts';
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
  if (partsOfToken(token) !== null) throw wrong('.token', 'expected a token of its own; this is one of the hub');
  if (!(Number.isInteger(timeoutMs) && timeoutMs > 0)) {
    throw wrong('.timeoutMs', `expected a whole number over 0, got ${describe(timeoutMs)}`);
  }
  if (!(Number.isInteger(maxAtOnce) && maxAtOnce > 0)) {
    throw wrong('.maxAtOnce', `expected a whole number over 0, got ${describe(maxAtOnce)}`);
  }
  return { token, timeoutMs, maxAtOnce };
}

function wrong(member: string, problem: string): HubError {
  return new HubError('bad_options', `conformance${member}: ${problem}`);
}
