/** Authenticates each HTTP request by its own credential; keeps no state between requests. */

import type { IncomingMessage } from 'node:http';
import { WireError } from '../../core/lib/errors.ts';
import type { Resume } from '../../core/records/identity/resume.ts';
import type { SingleRequest } from '../../hub/connection/single-request.ts';
import { type ApiHub, parseActAs, type RequestAuth } from '../../server/http/api.ts';
import { parseBearer, parseTarget } from '../../server/http/request-head.ts';
import { type Claim, claimParams, hasClaimed, isClaim } from '../session/participant.ts';

type Proof = Omit<SingleRequest, 'op' | 'params' | 'as'> & { readonly as: string };

interface RequestIdentity {
  readonly agentId: string;
  readonly proof: Proof;
}

/** Throws a WireError if the request cannot be authenticated. */
export async function authenticateRequest(
  hub: ApiHub,
  asker: RequestAuth,
  request: IncomingMessage,
): Promise<RequestIdentity> {
  const refusal = asker.refusal();
  if (refusal !== null) throw new WireError('rate_limited', refusal, { retry_after_ms: 60_000 });
  const query = new URLSearchParams(parseTarget(request).query);
  const proof = await proofOf(asker, request, query);
  const known = await resumeOf(hub, proof);
  const claim: Claim = { capabilities: query.getAll('capability'), summary: query.get('summary') ?? undefined };
  if (isClaim(claim) && !hasClaimed(known, claim)) {
    await hub.ask({ ...proof, op: 'set_resume', params: async () => claimParams(claim) });
  }
  return { proof, agentId: known.agent_id };
}

/** A credential for several names requires `Parley-As` or `?as=`. */
async function proofOf(asker: RequestAuth, { headers }: IncomingMessage, query: URLSearchParams): Promise<Proof> {
  const auth = parseBearer(headers.authorization);
  const credential = await asker.authenticate(auth ?? { scheme: 'none' });
  const unproven = (): void => asker.unproven();
  if (credential === null) {
    if (auth !== null) unproven();
    throw new WireError('unauthenticated', '/mcp: expected Authorization: Bearer <token> with a token of this hub');
  }
  const as = parseActAs(headers['parley-as']?.toString(), query.getAll('as')) ?? credential.name;
  if (as !== null) return { as, auth, authenticate: asker.authenticate, unproven };
  const expected = 'a name, in the header Parley-As or as ?as=';
  const message = '/mcp: this token is not tied to one name; name yourself with the header Parley-As: <name>';
  throw new WireError('bad_frame', message, { field: 'as', expected });
}

/** Registers an unknown name if the credential allows it. */
async function resumeOf(hub: ApiHub, proof: Proof): Promise<Resume> {
  try {
    return await ownResume(hub, proof);
  } catch (thrown) {
    if (!(thrown instanceof WireError) || thrown.code !== 'unauthenticated') throw thrown;
    const params = { name: proof.as, kind: 'agent' };
    // Register without `as`: an unregistered name cannot be the caller.
    await hub.ask({ ...proof, as: null, op: 'register', params: async () => params }).catch((refused: unknown) => {
      throw refused instanceof WireError && refused.code === 'conflict' ? thrown : refused;
    });
    return ownResume(hub, proof);
  }
}

async function ownResume(hub: ApiHub, proof: Proof): Promise<Resume> {
  // The answer of `get_resume` is a Resume.
  return (await hub.ask({ ...proof, op: 'get_resume', params: async () => ({}) })) as Resume;
}
