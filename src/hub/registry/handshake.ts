/** Checks the proof a hello offers. A name belongs to the credential it was registered with. */

import { type FieldProblem, WireError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';
import { type HelloFrame, PROTOCOL_VERSION } from '../../core/protocol/frames/frames.ts';
import {
  type Authenticate,
  type Credential,
  hasExpired,
  schemeProblem,
} from '../../core/records/access/credentials.ts';
import type { Passport } from '../../core/records/identity/passport.ts';
import type { Ground } from '../log/ground.ts';
import type { Registry } from './registry.ts';
import type { Tokens } from './tokens.ts';

interface HandshakeNeeds extends Pick<Ground, 'clock' | 'log'> {
  /** null if this hub issues no tokens. */
  readonly tokens: Pick<Tokens, 'isRevoked'> | null;
  readonly registry: Pick<Registry, 'named' | 'credentialOf'>;
}

export const TRUSTED = 'trusted';

/** A proof that failed; `why` may be sent to the client. */
interface FailedProof {
  readonly why: string;
  /** True if the proof could not be checked now; a retry may succeed. */
  readonly later: boolean;
}

type VerifiedProof = Credential | typeof TRUSTED;
/** null before the first hello. */
export type Proof = VerifiedProof | FailedProof | null;

/** The result of a hello. A proof is kept even if the name is unknown: a register may follow. */
export type HelloResult =
  | { readonly kind: 'bind'; readonly passport: Passport; readonly proof: VerifiedProof }
  | { readonly kind: 'refuse'; readonly error: WireError; readonly proof: Proof };

export function judgeHello(needs: HandshakeNeeds, peer: Peer, frame: HelloFrame): HelloResult | Promise<HelloResult> {
  if (frame.protocol !== PROTOCOL_VERSION) {
    const message = `frame.protocol: this hub speaks ${PROTOCOL_VERSION}, got ${describeValue(frame.protocol)}`;
    const details = { field: 'frame.protocol', name: frame.name };
    return { kind: 'refuse', error: new WireError('unsupported_version', message, details), proof: null };
  }
  const proof = verifyProof(needs, peer, frame);
  return proof instanceof Promise
    ? proof.then((found) => resolveHello(needs, frame, found))
    : resolveHello(needs, frame, proof);
}

const UNJUDGED_RETRY_MS = 5_000;

const NOT_ACCEPTED: FailedProof = { why: 'the credential was not accepted', later: false };
const UNJUDGED: FailedProof = { why: 'credentials cannot be checked right now', later: true };
const NONE: FailedProof = {
  why: 'a credential is required; the scheme "none" works only where the port allows it, and never through a proxy',
  later: false,
};

export function verifyProof(
  needs: HandshakeNeeds,
  { authenticate }: Pick<Peer, 'authenticate'>,
  { auth, name }: Pick<HelloFrame, 'auth' | 'name'>,
): Proof | Promise<Proof> {
  const { scheme } = auth;
  const problem = schemeProblem(scheme);
  if (problem !== null) return noScheme(problem);
  if (authenticate === null) return scheme === 'none' ? TRUSTED : NOT_ACCEPTED;
  const judged = (found: Credential | null): Proof => found ?? (scheme === 'none' ? NONE : NOT_ACCEPTED);
  const failed = (thrown: unknown): FailedProof => couldNotJudge(needs, name, thrown);
  try {
    const credential = authenticate(auth);
    return credential instanceof Promise ? credential.then(judged, failed) : judged(credential);
  } catch (thrown) {
    return failed(thrown);
  }
}

/** The authenticator is the host's code: a throw denies, and only the log gets the reason. */
function couldNotJudge({ log }: HandshakeNeeds, name: string, thrown: unknown): FailedProof {
  log.warn('a credential could not be judged', { name, error: String(thrown) });
  return thrown instanceof WireError && thrown.code === 'unavailable' ? UNJUDGED : NOT_ACCEPTED;
}

function noScheme({ field, expected, received }: FieldProblem): FailedProof {
  return { why: `auth.${field}: expected ${expected}, got ${received}`, later: false };
}

export function resolveHello(
  { registry, clock }: HandshakeNeeds,
  { name }: Pick<HelloFrame, 'name'>,
  found: Proof,
): HelloResult {
  const proof = isVerified(found) && found !== TRUSTED && hasExpired(found, clock.now()) ? NOT_ACCEPTED : found;
  const later = proofUnavailableError(proof, name);
  if (later !== null) return { kind: 'refuse', error: later, proof };
  const passport = registry.named(name);
  if (passport !== null && isVerified(proof) && speaksFor(proof, passport, registry.credentialOf(passport.agent_id))) {
    return { kind: 'bind', passport, proof };
  }
  // An unknown name and a wrong credential get the same answer.
  const message = `"${name}" cannot be bound: unknown name or wrong credential; register first`;
  return { kind: 'refuse', error: new WireError('unauthenticated', message, { name }), proof };
}

export function isVerified(proof: Proof): proof is VerifiedProof {
  return proof !== null && !isFailedProof(proof);
}

/** The error if the proof could not be checked now; null if it was checked. */
export function proofUnavailableError(proof: Proof, name: string): WireError | null {
  return isFailedProof(proof) && proof.later ? failedProofError('bound', name, proof) : null;
}

function isFailedProof(proof: Proof): proof is FailedProof {
  return proof !== null && proof !== TRUSTED && 'why' in proof;
}

/** True for a final failure, which counts against the client's address. */
export function isFailed(proof: Proof): boolean {
  return proof === null || (isFailedProof(proof) && !proof.later);
}

/** The verified credential; null if the peer is trusted or proved nothing. */
export function credentialFrom(proof: Proof): Credential | null {
  return isVerified(proof) && proof !== TRUSTED ? proof : null;
}

function failedProofError(what: 'bound' | 'registered', name: string, { why, later }: FailedProof): WireError {
  const message = `"${name}" cannot be ${what}: ${why}`;
  if (!later) return new WireError('unauthenticated', message, { name });
  return new WireError('unavailable', message, { name, outcome: 'refused', retry_after_ms: UNJUDGED_RETRY_MS });
}

function speaksFor(proof: VerifiedProof, { name }: Passport, registeredWith: string | null): boolean {
  return proof === TRUSTED || proof.name === name || (proof.name === null && proof.id === registeredWith);
}

/** The credential may have expired or been revoked since it was checked. */
export function isStillValid({ clock, tokens }: HandshakeNeeds, proof: Proof): boolean {
  if (!isVerified(proof) || proof === TRUSTED) return true;
  return !hasExpired(proof, clock.now()) && tokens?.isRevoked(proof) !== true;
}

export function noLongerValidError(name: string): WireError {
  const message = `"${name}" cannot be registered: the credential of this connection is no longer valid; say hello with another`;
  return new WireError('unauthenticated', message, { name });
}

/** Why this proof may not register the name; null if it may. `isEnroller`: an identity bound here may enrol. */
export function enrolRefusal(proof: Proof, name: string, isEnroller: boolean): WireError | null {
  if (proof === TRUSTED || isEnroller) return null;
  if (proof === null) {
    const message = `"${name}" cannot be registered: say hello with a credential first`;
    return new WireError('unauthenticated', message, { name });
  }
  if (isFailedProof(proof)) return failedProofError('registered', name, proof);
  if (proof.name === name || (proof.name === null && proof.grants.includes('enrol'))) return null;
  const only = proof.name === null ? 'needs the grant "enrol"' : `is for "${proof.name}" alone`;
  // The holder of the credential may learn its name.
  const details = proof.name === null ? { name } : { name, speaks_for: proof.name };
  return new WireError('forbidden', `"${name}" cannot be registered: this credential ${only}`, details);
}

export interface Peer {
  /** The peer's network address; null if it is inside this process. */
  readonly address: string | null;
  /** Checks the proof of a hello; null if the peer is trusted and may act as any identity. */
  readonly authenticate: Authenticate | null;
  /** The edge's ping interval; absent = no pings. */
  readonly pingMs?: number;
  bound(): void;
  /** Counts a failed hello; returns true if there were too many and the connection must be closed. */
  helloFailed(): boolean;
}

export const LOCAL_PEER: Peer = { address: null, authenticate: null, bound() {}, helloFailed: () => false };
