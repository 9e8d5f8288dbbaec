/** Why a hub did not let this server in, in words for whoever set it up. */

import { WireError } from '../../core/lib/errors.ts';
import { isRefusal, onlyNameIn } from '../../cli/connecting/refusals.ts';
import type { LinkSettings } from '../../mcp/stdio/hub-link.ts';
import { Refusal } from '../../mcp/server/refusal-text.ts';

/** The one name its token speaks for, where that is another than the one that was tried. */
export function otherName(thrown: unknown): string | null {
  return thrown instanceof WireError && isRefusal(thrown) ? onlyNameIn(thrown) : null;
}

export function turnedAway(
  thrown: unknown,
  { url, name, proof }: Pick<LinkSettings, 'url' | 'name' | 'proof'>,
): unknown {
  if (!isRefusal(thrown)) return thrown;
  if (proof.credentials?.scheme === 'none') {
    return new Refusal(
      `no token was given, and ${url} needs one. Tell your user: "parley mcp" takes it from PARLEY_TOKEN, from a file with --token-file, ` +
        "or from the hub's data folder with --data.",
    );
  }
  const only = otherName(thrown);
  if (only === null) return thrown.code === 'forbidden' ? thrown : noLonger(url, name, thrown);
  return new Refusal(
    `the token speaks for "${only}" alone, and this server was started as "${name}". Tell your user: leave --name out, or say --name ${only}, ` +
      `or give a token for ${name} ("parley token create --name ${name}").`,
  );
}

/** The hub does not tell a name that nobody has from a token that is wrong: whoever set this up has to look at the token. */
export function noLonger(url: string, name: string, cause: unknown): WireError {
  const message = `the token of this server, as "${name}" at ${url}, is wrong, or no longer holds`;
  return new WireError('unauthenticated', message, { name }, { cause });
}
