/** The result of a successful authentication. Never contains the secret. */

import type { FieldProblem } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Grant } from './grants.ts';

const AUTH_SCHEMES = ['token', 'jwt', 'none'] as const;

/** Explains an unknown scheme. Hides text that does not look like a scheme: it may be a misplaced secret. */
export function schemeProblem(scheme: unknown): FieldProblem | null {
  if (AUTH_SCHEMES.some((known) => known === scheme)) return null;
  const isWord = typeof scheme === 'string' && /^[a-z0-9_-]{1,16}$/i.test(scheme);
  const received = isWord ? `"${scheme}"` : scheme === undefined ? 'nothing' : 'something else';
  return { field: 'scheme', expected: `one of ${AUTH_SCHEMES.join(', ')}`, received };
}

export interface Credential {
  /** Identifies the credential in readable records; not a secret. */
  readonly id: string;
  /** The only identity it may act as; null = every identity registered with it. */
  readonly name: string | null;
  /** Grants of the holder, in addition to those of its identity. */
  readonly grants: readonly Grant[];
  readonly expires_at_ms: number | null;
}

export function hasExpired({ expires_at_ms }: Credential, nowMs: number): boolean {
  return expires_at_ms !== null && expires_at_ms <= nowMs;
}

/** Verifies the `auth` of a hello; null = not authenticated. The hub queues the peer's frames meanwhile.
 * A throw rejects the peer, except a WireError `unavailable`: verification is then impossible for now. */
export type Authenticate = (auth: JsonObject) => Credential | null | Promise<Credential | null>;
