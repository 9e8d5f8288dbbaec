/** What a hub says to who may not come in, and what that tells about the token. */

import { isRefusal, onlyNameFrom } from '../../client/refusals.ts';
import type { WireError } from '../../core/lib/errors.ts';
import { CommandError } from '../terminal/command-error.ts';
import type { HubTarget } from './hub-target.ts';

/** A refusal is about the token: where it came from is half of the answer. */
export function throwExplained(thrown: unknown, where: HubTarget, name: string): never {
  if (!isRefusal(thrown)) throw thrown;
  // Without a token there is nothing more to say about it.
  const why = where.credentials.scheme === 'none' ? '' : `: ${thrown.message}`;
  const message = `${where.url} does not let "${name}" in with ${where.proof}${why}`;
  throw new CommandError('notAllowed', thrown.code, message, hintOf(thrown, where));
}

function hintOf(refusal: WireError, { credentials, proof }: HubTarget): string {
  if (credentials.scheme === 'none')
    return 'Run it where "parley up" runs, or say where its data folder is: "--data", PARLEY_DATA; or give a token: "--token", "--token-file", PARLEY_TOKEN.';
  const only = onlyNameFrom(refusal);
  if (only !== null) return `That token speaks for ${only} alone: leave the name out, or give "--as ${only}".`;
  if (refusal.code === 'forbidden')
    return 'A token for one name, by the operator: "parley token create --name …", then "--token".';
  const source = proof === '--token' || proof === 'PARLEY_TOKEN' ? proof : `"--data" with the folder of that hub`;
  return `Is it a token of that hub, whole, and neither revoked nor run out? Look at ${source}; the operator has "parley token list" and "parley token create".`;
}

export function nameInUseError(name: string, hint: string): CommandError {
  return new CommandError('inUse', 'name_in_use', `${name} is connected elsewhere, and would be sent away there`, hint);
}

export function goodbyeError(name: string, reason: string): CommandError {
  if (reason !== 'replaced')
    return new CommandError(
      'unreachable',
      reason,
      `the hub said goodbye (${reason})`,
      'Is it still running? "parley doctor" says more.',
    );
  const hint = `It goes on there; "parley join --name ${name} --take-over" brings it back here.`;
  return new CommandError(
    'inUse',
    'replaced',
    `${name} was connected elsewhere, and is no longer connected here`,
    hint,
  );
}
