/** Explains why a hub rejected a connection. */

import { isRefusal, onlyNameFrom } from '../../client/refusals.ts';
import type { WireError } from '../../core/lib/errors.ts';
import { CommandError } from '../terminal/command-error.ts';
import type { HubTarget } from './hub-target.ts';

/** Adds the source of the token to the message. */
export function throwExplained(thrown: unknown, where: HubTarget, name: string): never {
  if (!isRefusal(thrown)) throw thrown;
  // Without a token the hub's message adds nothing.
  const why = where.credentials.scheme === 'none' ? '' : `: ${thrown.message}`;
  const message = `${where.url} rejected "${name}" with ${where.proof}${why}`;
  throw new CommandError('notAllowed', thrown.code, message, hintOf(thrown, where));
}

function hintOf(refusal: WireError, { credentials, proof }: HubTarget): string {
  if (credentials.scheme === 'none')
    return 'Run it in the folder of "parley up", or pass its data folder ("--data", PARLEY_DATA) or a token ("--token", "--token-file", PARLEY_TOKEN).';
  const only = onlyNameFrom(refusal);
  if (only !== null) return `That token is for ${only} only: omit the name, or pass "--as ${only}".`;
  if (refusal.code === 'forbidden')
    return 'Ask the operator for a token for one name ("parley token create --name …"), then pass it with "--token".';
  const source = proof === '--token' || proof === 'PARLEY_TOKEN' ? proof : `"--data" with the folder of that hub`;
  return `Check ${source}: the token may be incomplete, revoked, expired or from another hub. The operator can run "parley token list" and "parley token create".`;
}

export function nameInUseError(name: string, hint: string): CommandError {
  return new CommandError('inUse', 'name_in_use', `${name} is connected elsewhere`, hint);
}

export function goodbyeError(name: string, reason: string): CommandError {
  if (reason !== 'replaced') {
    const next = 'Is it still running? Check with "parley doctor".';
    return new CommandError('unreachable', reason, `the hub said goodbye (${reason})`, next);
  }
  const hint = `To move it here: parley join --name ${name} --take-over`;
  return new CommandError('inUse', 'replaced', `${name} connected elsewhere; this connection was replaced`, hint);
}
