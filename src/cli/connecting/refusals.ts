/** What a hub says to who may not come in, and what that tells about the token. */

import { WireError } from '../../core/lib/errors.ts';
import { Trouble } from '../terminal/command-error.ts';
import type { Where } from './hub-target.ts';

export function isRefusal(thrown: unknown): thrown is WireError {
  return thrown instanceof WireError && (thrown.code === 'unauthenticated' || thrown.code === 'forbidden');
}

/** The one name its token speaks for, as the refusal says; null = that was not why. */
export function onlyNameIn({ details }: WireError): string | null {
  const name = details?.speaks_for;
  return typeof name === 'string' ? name : null;
}

/** A refusal is about the token: where it came from is half of the answer. */
export function explained(thrown: unknown, where: Where, name: string): never {
  if (!isRefusal(thrown)) throw thrown;
  // Without a token there is nothing more to say about it.
  const why = where.credentials.scheme === 'none' ? '' : `: ${thrown.message}`;
  const message = `${where.url} does not let "${name}" in with ${where.proof}${why}`;
  throw new Trouble('notAllowed', thrown.code, message, hintOf(thrown, where));
}

function hintOf(refusal: WireError, { credentials, proof }: Where): string {
  if (credentials.scheme === 'none')
    return 'Run it where "parley up" runs, or say where its data folder is: "--data", PARLEY_DATA; or give a token: "--token", "--token-file", PARLEY_TOKEN.';
  const only = onlyNameIn(refusal);
  if (only !== null) return `That token speaks for ${only} alone: leave the name out, or give "--as ${only}".`;
  if (refusal.code === 'forbidden')
    return 'A token for one name, by the operator: "parley token create --name …", then "--token".';
  const source = proof === '--token' || proof === 'PARLEY_TOKEN' ? proof : `"--data" with the folder of that hub`;
  return `Is it a token of that hub, whole, and neither revoked nor run out? Look at ${source}; the operator has "parley token list" and "parley token create".`;
}

export function busy(name: string, hint: string): Trouble {
  return new Trouble('inUse', 'name_in_use', `${name} is connected elsewhere, and would be sent away there`, hint);
}
