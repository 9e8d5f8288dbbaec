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

const SHAPE = /^parley_([0-9a-f]{16})_([A-Za-z0-9_-]{32,128})$/;

export function tokenText(tokenId: string, secret: string): string {
  return `parley_${tokenId}_${secret}`;
}

export function partsOfToken(token: unknown): { readonly tokenId: string; readonly secret: string } | null {
  const match = typeof token === 'string' ? SHAPE.exec(token) : null;
  const [, tokenId, secret] = match ?? [];
  return tokenId === undefined || secret === undefined ? null : { tokenId, secret };
}

export function credentialOfToken({ token_id, name, grants }: TokenRecord, expires_at_ms: number | null): Credential {
  return { id: `${TOKEN_CREDENTIAL}${token_id}`, name, grants, expires_at_ms };
}
