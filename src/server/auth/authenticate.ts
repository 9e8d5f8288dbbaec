/** Which credentials a port accepts: tokens of the hub, tokens of an issuer (JWT), or none at all. */

import { HubError } from '../../core/lib/errors.ts';
import type { Authenticate, Credential } from '../../core/records/access/credentials.ts';
import { isLoopback } from './hosts.ts';
import { createJwtVerifier, type JwtOptions } from './jwt.ts';

export interface AuthOptions {
  /** Tokens that this hub made (default). */
  readonly tokens?: boolean | undefined;
  /** Tokens of an issuer you trust. */
  readonly jwt?: JwtOptions | undefined;
  /** Anybody may be anybody. Only for a port of the loopback, and never through a proxy. */
  readonly none?: boolean | undefined;
}

/** What a hello without proof is good for where none is asked for: everything that needs no grant, and enrolling. */
const ANYBODY: Omit<Credential, 'id'> = { name: null, grants: ['enrol'], expires_at_ms: null };

export interface CredentialVerifiers {
  token(token: unknown): Credential | null;
}

/** Settled once, when the port opens: what is asked for cannot be had half. */
export async function createAuthentication(
  { tokens = true, jwt, none = false }: AuthOptions,
  host: string,
  judges: CredentialVerifiers,
): Promise<(isForwarded: boolean) => Authenticate> {
  if (none && !isLoopback(host)) throw unsafe(`auth.none: expected a port of the loopback, got ${host}`);
  if (!tokens && jwt === undefined && !none) throw unsafe('auth: expected at least one of tokens, jwt and none');
  const judgeJwt = jwt === undefined ? null : await createJwtVerifier(jwt);
  return (isForwarded) => (auth) => {
    switch (auth.scheme) {
      case 'token':
        return tokens ? judges.token(auth.token) : null;
      case 'jwt':
        return judgeJwt === null ? null : judgeJwt(auth.token);
      case 'none':
        return none && !isForwarded ? { id: 'none', ...ANYBODY } : null;
      default:
        return null;
    }
  };
}

function unsafe(problem: string): HubError {
  return new HubError('unsafe_auth', problem);
}
