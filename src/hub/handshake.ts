/** Who may be bound on a connection: what a hello offers is judged, and a name belongs to the credential it was registered with. */

import type { Credential } from '../core/credentials.ts';
import { WireError } from '../core/errors.ts';
import { type HelloFrame, PROTOCOL_VERSION } from '../core/frames.ts';
import { describe } from '../core/json.ts';
import type { Passport } from '../core/passport.ts';
import type { HubParts } from './parts.ts';
import type { Peer } from './peer.ts';

/** The credential of a peer that is trusted. */
export const TRUSTED = 'trusted';
/** null = it has proven nothing yet. */
export type Proof = Credential | typeof TRUSTED | null;

/** What comes of a hello. A proof counts also where the name is not known yet: it may be registered with it. */
export type Greeted =
  | { readonly kind: 'bind'; readonly passport: Passport; readonly proof: Exclude<Proof, null> }
  | { readonly kind: 'refuse'; readonly error: WireError; readonly proof: Proof };

export function judgeHello(parts: HubParts, peer: Peer, frame: HelloFrame): Greeted | Promise<Greeted> {
  if (frame.protocol !== PROTOCOL_VERSION) {
    const message = `frame.protocol: this hub speaks ${PROTOCOL_VERSION}, got ${describe(frame.protocol)}`;
    const details = { field: 'frame.protocol', name: frame.name };
    return { kind: 'refuse', error: new WireError('unsupported_version', message, details), proof: null };
  }
  if (peer.authenticate === null) return greet(parts, frame, frame.auth.scheme === 'none' ? TRUSTED : null);
  const proof = proven(parts, peer.authenticate, frame);
  return proof instanceof Promise ? proof.then((found) => greet(parts, frame, found)) : greet(parts, frame, proof);
}

/** Whoever judges is the user's code: a throw is a no, and is told to the log alone. */
export function proven(
  { log }: HubParts,
  authenticate: NonNullable<Peer['authenticate']>,
  { auth, name }: Pick<HelloFrame, 'auth' | 'name'>,
): Credential | null | Promise<Credential | null> {
  const failed = (thrown: unknown): null => {
    log.warn('a credential could not be judged', { name, error: String(thrown) });
    return null;
  };
  try {
    const credential = authenticate(auth);
    return credential instanceof Promise ? credential.catch(failed) : credential;
  } catch (thrown) {
    return failed(thrown);
  }
}

export function greet({ registry, clock }: HubParts, { name }: Pick<HelloFrame, 'name'>, found: Proof): Greeted {
  const proof = found !== null && found !== TRUSTED && isOver(found, clock.now()) ? null : found;
  const passport = registry.named(name);
  if (passport !== null && proof !== null && speaksFor(proof, passport, registry.credentialOf(passport.agent_id))) {
    return { kind: 'bind', passport, proof };
  }
  // A name nobody has and a wrong credential get the same answer.
  const message = `"${name}" cannot be bound: unknown name or wrong credential; register first`;
  return { kind: 'refuse', error: new WireError('unauthenticated', message, { name }), proof };
}

function speaksFor(proof: Credential | typeof TRUSTED, { name }: Passport, registeredWith: string | null): boolean {
  return proof === TRUSTED || proof.name === name || (proof.name === null && proof.id === registeredWith);
}

export function isOver({ expires_at_ms }: Credential, nowMs: number): boolean {
  return expires_at_ms !== null && expires_at_ms <= nowMs;
}

/** It may have run out, or been taken back, since it was judged. */
export function stillHolds({ clock, tokens }: HubParts, proof: Proof): boolean {
  if (proof === null || proof === TRUSTED) return true;
  return !isOver(proof, clock.now()) && tokens?.isRevoked(proof) !== true;
}

export function noLongerHolds(name: string): WireError {
  const message = `"${name}" cannot be registered: the credential of this connection no longer holds; say hello with another`;
  return new WireError('unauthenticated', message, { name });
}

/** Why this proof does not allow to register that name; null = it does. `isEnroller`: an identity bound here may enrol. */
export function enrolRefusal(proof: Proof, name: string, isEnroller: boolean): WireError | null {
  if (proof === TRUSTED || isEnroller) return null;
  if (proof === null) {
    return new WireError('unauthenticated', `"${name}" cannot be registered: say hello with a credential first`, {
      name,
    });
  }
  if (proof.name === name || (proof.name === null && proof.grants.includes('enrol'))) return null;
  const only = proof.name === null ? 'needs the grant "enrol"' : `is for "${proof.name}" alone`;
  return new WireError('forbidden', `"${name}" cannot be registered: this credential ${only}`, { name });
}
