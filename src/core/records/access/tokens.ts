/** Tokens: secrets that the hub issued. The hub keeps only a hash. */

import type { Credential } from './credentials.ts';
import type { Grant } from './grants.ts';

export interface TokenRecord {
  readonly token_id: string;
  /** A description by its creator. */
  readonly label: string | null;
  /** The only identity it may act as; null = every identity registered with it. */
  readonly name: string | null;
  readonly grants: readonly Grant[];
  readonly created_at: string;
  /** The identity that created it; null = created inside the process. */
  readonly created_by: string | null;
  readonly expires_at: string | null;
  /** Rounded to the minute; null if never used. */
  readonly last_used_at: string | null;
}

export interface TokenClaim {
  readonly label?: string | undefined;
  readonly name?: string | undefined;
  readonly grants?: readonly Grant[] | undefined;
  /** Lifetime, such as "30d"; 0 or absent = until revoked. */
  readonly ttl?: string | number | undefined;
}

/** The only record that shows the secret. */
export interface NewToken extends TokenRecord {
  readonly token: string;
}

/** Prefix of the credential ids of hub tokens. */
export const TOKEN_CREDENTIAL = 'token:';

export function toCredential({ token_id, name, grants }: TokenRecord, expires_at_ms: number | null): Credential {
  return { id: `${TOKEN_CREDENTIAL}${token_id}`, name, grants, expires_at_ms };
}
