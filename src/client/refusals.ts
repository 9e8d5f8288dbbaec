/** Explains why a hub rejected a credential. */

import { WireError } from '../core/lib/errors.ts';

/** True if the hub rejected the credential, or its grants do not suffice. */
export function isRefusal(thrown: unknown): thrown is WireError {
  return thrown instanceof WireError && (thrown.code === 'unauthenticated' || thrown.code === 'forbidden');
}

/** The only name the token is valid for; null if the hub rejected it for another reason. */
export function onlyNameFrom({ details }: WireError): string | null {
  const name = details?.speaks_for;
  return typeof name === 'string' ? name : null;
}
