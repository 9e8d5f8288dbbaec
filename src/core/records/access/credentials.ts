/** What a proven credential is good for. The secret itself never gets here. */

import type { FieldProblem } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Grant } from './grants.ts';

/** How a hello can prove who says it. */
export const AUTH_SCHEMES = ['token', 'jwt', 'none'] as const;

/** Why a scheme is none of them. What does not look like a scheme is not shown: it may be a secret in the wrong place. */
export function schemeProblem(scheme: unknown): FieldProblem | null {
  if (AUTH_SCHEMES.some((known) => known === scheme)) return null;
  const isWord = typeof scheme === 'string' && /^[a-z0-9_-]{1,16}$/i.test(scheme);
  const received = isWord ? `"${scheme}"` : scheme === undefined ? 'nothing' : 'something else';
  return { field: 'scheme', expected: `one of ${AUTH_SCHEMES.join(', ')}`, received };
}

export interface Credential {
  /** Names it in records that can be read; not a secret. */
  readonly id: string;
  /** The one identity it speaks for; null = those that were registered with it. */
  readonly name: string | null;
  /** What its holder may do beside what its identity may. */
  readonly grants: readonly Grant[];
  readonly expires_at_ms: number | null;
}

/** It has run out. */
export function hasExpired({ expires_at_ms }: Credential, nowMs: number): boolean {
  return expires_at_ms !== null && expires_at_ms <= nowMs;
}

/**
 * Judges what a hello offers as proof; null = it proves nothing. It may take its time: what the peer sends meanwhile waits.
 * A throw is a no, unless it is a WireError `unavailable`: then it cannot be judged now.
 */
export type Authenticate = (auth: JsonObject) => Credential | null | Promise<Credential | null>;
