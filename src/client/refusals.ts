/** What a hub's refusal to bind an identity says about the credential. */

import { WireError } from '../core/lib/errors.ts';

/** The hub rejected the credential, or what it may do. */
export function isRefusal(thrown: unknown): thrown is WireError {
  return thrown instanceof WireError && (thrown.code === 'unauthenticated' || thrown.code === 'forbidden');
}

/** The only name the token speaks for, if the hub rejected it for that reason; else null. */
export function onlyNameFrom({ details }: WireError): string | null {
  const name = details?.speaks_for;
  return typeof name === 'string' ? name : null;
}
