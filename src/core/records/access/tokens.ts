/** Tokens: secrets the hub made, of which it keeps only a hash. */

import type { Credential } from './credentials.ts';
import type { Grant } from './grants.ts';

export interface TokenRecord {
  readonly token_id: string;
  /** What it is for, in its maker's words. */
  readonly label: string | null;
  /** The one identity it speaks for; null = those that were registered with it. */
  readonly name: string | null;
  readonly grants: readonly Grant[];
  readonly created_at: string;
  /** Who asked for it; null = from inside the process. */
  readonly created_by: string | null;
  readonly expires_at: string | null;
  /** By day and minute, not to the millisecond; null = never. */
  readonly last_used_at: string | null;
}

export interface TokenClaim {
  readonly label?: string | undefined;
  readonly name?: string | undefined;
  readonly grants?: readonly Grant[] | undefined;
  /** How long it holds, such as "30d"; 0 or absent = until it is revoked. */
  readonly ttl?: string | number | undefined;
}

/** The secret is told once, and never again. */
export interface NewToken extends TokenRecord {
  readonly token: string;
}

/** How the ids of credentials begin that are tokens of the hub. */
export const TOKEN_CREDENTIAL = 'token:';

export function toCredential({ token_id, name, grants }: TokenRecord, expires_at_ms: number | null): Credential {
  return { id: `${TOKEN_CREDENTIAL}${token_id}`, name, grants, expires_at_ms };
}
