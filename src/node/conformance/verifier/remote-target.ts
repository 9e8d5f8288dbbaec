/** An implementation that is asked over HTTP (http-fixture-v1), as it says itself. */

import { jsonIn } from './answer.ts';
import { request, said } from '../../../governed/conformance/verifier/request.ts';
import { claimsOf, type RemoteTarget } from '../../../governed/conformance/verifier/target.ts';

export interface Unusable {
  readonly kind: 'unusable';
  /** It could not be reached, it does not let us, or what it says of itself is wrong. */
  readonly why: 'unreachable' | 'not_allowed' | 'wrong';
  readonly message: string;
}

/** Without a slash at its end; null = it is no address of a target. */
export function remoteUrl(given: string): string | null {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  // Secrets in an address end up in logs; whatever stands behind the path would end up in the middle.
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return null;
  return url.href.replace(/\/+$/, '');
}

export async function readRemote(
  url: string,
  token: string | null,
  timeoutMs: number,
): Promise<RemoteTarget | Unusable> {
  const came = await request(`${url}/conform/capabilities`, { token, timeoutMs });
  if (came.kind !== 'response') return unusable('unreachable', came.message);
  if (came.status === 401 || came.status === 403) return unusable('not_allowed', said(came));
  if (came.status !== 200) return unusable('wrong', said(came));
  const claims = claimsOf(jsonIn(came.text), 'http-fixture-v1');
  if (typeof claims === 'string') return unusable('wrong', claims);
  const { adapter: _, ...claimed } = claims;
  return { kind: 'remote', url, token, ...claimed };
}

function unusable(why: Unusable['why'], message: string): Unusable {
  return { kind: 'unusable', why, message };
}
