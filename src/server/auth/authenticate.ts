/** Decides which credentials a port accepts: hub tokens, JWTs of an issuer, or none at all. */

import { HubError } from '../../core/lib/errors.ts';
import type { Authenticate, Credential } from '../../core/records/access/credentials.ts';
import { isLoopback } from './hosts.ts';
import { createJwtVerifier, type JwtOptions } from './jwt.ts';

export interface AuthOptions {
  /** Accept tokens of this hub (default: true). */
  readonly tokens?: boolean | undefined;
  /** Accept JWTs of a trusted issuer. */
  readonly jwt?: JwtOptions | undefined;
  /** Let any client use any name. Loopback only, never through a proxy. */
  readonly none?: boolean | undefined;
}

/** Rights of a client without a credential: operations that need no grant, and enrolling. */
const ANONYMOUS: Omit<Credential, 'id'> = { name: null, grants: ['enrol'], expires_at_ms: null };

interface CredentialVerifiers {
  token(token: unknown): Credential | null;
}

/** Checks the options when the port opens, so that no option is silently ignored. */
export async function createAuthentication(
  { tokens = true, jwt, none = false }: AuthOptions,
  host: string,
  verifiers: CredentialVerifiers,
): Promise<(isForwarded: boolean) => Authenticate> {
  if (none && !isLoopback(host)) throw unsafe(`auth.none: expected a loopback host, got ${host}`);
  if (!tokens && jwt === undefined && !none) throw unsafe('auth: expected at least one of tokens, jwt and none');
  const verifyJwt = jwt === undefined ? null : await createJwtVerifier(jwt);
  return (isForwarded) => (auth) => {
    switch (auth.scheme) {
      case 'token':
        return tokens ? verifiers.token(auth.token) : null;
      case 'jwt':
        return verifyJwt === null ? null : verifyJwt(auth.token);
      case 'none':
        return none && !isForwarded ? { id: 'none', ...ANONYMOUS } : null;
      default:
        return null;
    }
  };
}

function unsafe(problem: string): HubError {
  return new HubError('unsafe_auth', problem);
}
