/** Who may be bound on a connection: what a hello offers is judged, and a name belongs to the credential it was registered with. */

import { type Credential, schemeProblem } from '../../core/records/access/credentials.ts';
import { type FieldProblem, WireError } from '../../core/lib/errors.ts';
import { type HelloFrame, PROTOCOL_VERSION } from '../../core/protocol/frames/frame-codec.ts';
import { describe } from '../../core/lib/json.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import type { HubParts } from '../parts.ts';
import type { Peer } from '../peer.ts';

/** The credential of a peer that is trusted. */
export const TRUSTED = 'trusted';

/** Something was offered that proves nothing: why, as far as it may be told to whoever offered it. */
export interface Unproven {
  readonly why: string;
  /** It could not be judged now; the same may count later. */
  readonly later: boolean;
}

export type Proven = Credential | typeof TRUSTED;
/** null = nothing was offered yet. */
export type Proof = Proven | Unproven | null;

/** What comes of a hello. A proof counts also where the name is not known yet: it may be registered with it. */
export type Greeted =
  | { readonly kind: 'bind'; readonly passport: Passport; readonly proof: Proven }
  | { readonly kind: 'refuse'; readonly error: WireError; readonly proof: Proof };

export function judgeHello(parts: HubParts, peer: Peer, frame: HelloFrame): Greeted | Promise<Greeted> {
  if (frame.protocol !== PROTOCOL_VERSION) {
    const message = `frame.protocol: this hub speaks ${PROTOCOL_VERSION}, got ${describe(frame.protocol)}`;
    const details = { field: 'frame.protocol', name: frame.name };
    return { kind: 'refuse', error: new WireError('unsupported_version', message, details), proof: null };
  }
  const proof = proven(parts, peer, frame);
  return proof instanceof Promise ? proof.then((found) => greet(parts, frame, found)) : greet(parts, frame, proof);
}

/** When to ask again whoever could not be asked. */
const UNJUDGED_RETRY_MS = 5_000;

const NOT_ACCEPTED: Unproven = { why: 'the credential was not accepted', later: false };
const UNJUDGED: Unproven = { why: 'credentials cannot be judged at the moment', later: true };
const NONE: Unproven = {
  why: 'a credential is needed; the scheme "none" counts only where the port allows it, and never through a proxy',
  later: false,
};

export function proven(
  parts: HubParts,
  { authenticate }: Pick<Peer, 'authenticate'>,
  { auth, name }: Pick<HelloFrame, 'auth' | 'name'>,
): Proof | Promise<Proof> {
  const { scheme } = auth;
  const problem = schemeProblem(scheme);
  if (problem !== null) return noScheme(problem);
  if (authenticate === null) return scheme === 'none' ? TRUSTED : NOT_ACCEPTED;
  const judged = (found: Credential | null): Proof => found ?? (scheme === 'none' ? NONE : NOT_ACCEPTED);
  const failed = (thrown: unknown): Unproven => couldNotJudge(parts, name, thrown);
  try {
    const credential = authenticate(auth);
    return credential instanceof Promise ? credential.then(judged, failed) : judged(credential);
  } catch (thrown) {
    return failed(thrown);
  }
}

/** Whoever judges is the user's code: a throw is a no, and is told to the log alone. */
function couldNotJudge({ log }: HubParts, name: string, thrown: unknown): Unproven {
  log.warn('a credential could not be judged', { name, error: String(thrown) });
  return thrown instanceof WireError && thrown.code === 'unavailable' ? UNJUDGED : NOT_ACCEPTED;
}

function noScheme({ field, expected, received }: FieldProblem): Unproven {
  return { why: `auth.${field}: expected ${expected}, got ${received}`, later: false };
}

export function greet({ registry, clock }: HubParts, { name }: Pick<HelloFrame, 'name'>, found: Proof): Greeted {
  const proof = isProven(found) && found !== TRUSTED && isOver(found, clock.now()) ? NOT_ACCEPTED : found;
  const later = unjudged(proof, name);
  if (later !== null) return { kind: 'refuse', error: later, proof };
  const passport = registry.named(name);
  if (passport !== null && isProven(proof) && speaksFor(proof, passport, registry.credentialOf(passport.agent_id))) {
    return { kind: 'bind', passport, proof };
  }
  // A name nobody has and a wrong credential get the same answer.
  const message = `"${name}" cannot be bound: unknown name or wrong credential; register first`;
  return { kind: 'refuse', error: new WireError('unauthenticated', message, { name }), proof };
}

export function isProven(proof: Proof): proof is Proven {
  return proof !== null && !isUnproven(proof);
}

/** It could not be judged now: why; null = it could. */
export function unjudged(proof: Proof, name: string): WireError | null {
  return isUnproven(proof) && proof.later ? unprovenError('bound', name, proof) : null;
}

function isUnproven(proof: Proof): proof is Unproven {
  return proof !== null && proof !== TRUSTED && 'why' in proof;
}

/** It was a no that will stay one, and counts against the address. */
export function isFailed(proof: Proof): boolean {
  return proof === null || (isUnproven(proof) && !proof.later);
}

/** null = there is none to go by: it is trusted. */
export function credentialIn(proof: Proof): Credential | null {
  return isProven(proof) && proof !== TRUSTED ? proof : null;
}

function unprovenError(what: 'bound' | 'registered', name: string, { why, later }: Unproven): WireError {
  const message = `"${name}" cannot be ${what}: ${why}`;
  if (!later) return new WireError('unauthenticated', message, { name });
  return new WireError('unavailable', message, { name, outcome: 'refused', retry_after_ms: UNJUDGED_RETRY_MS });
}

function speaksFor(proof: Proven, { name }: Passport, registeredWith: string | null): boolean {
  return proof === TRUSTED || proof.name === name || (proof.name === null && proof.id === registeredWith);
}

export function isOver({ expires_at_ms }: Credential, nowMs: number): boolean {
  return expires_at_ms !== null && expires_at_ms <= nowMs;
}

/** It may have run out, or been taken back, since it was judged. */
export function stillHolds({ clock, tokens }: HubParts, proof: Proof): boolean {
  if (!isProven(proof) || proof === TRUSTED) return true;
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
  if (isUnproven(proof)) return unprovenError('registered', name, proof);
  if (proof.name === name || (proof.name === null && proof.grants.includes('enrol'))) return null;
  const only = proof.name === null ? 'needs the grant "enrol"' : `is for "${proof.name}" alone`;
  // Whoever has proven it may know whose it is.
  const details = proof.name === null ? { name } : { name, speaks_for: proof.name };
  return new WireError('forbidden', `"${name}" cannot be registered: this credential ${only}`, details);
}
