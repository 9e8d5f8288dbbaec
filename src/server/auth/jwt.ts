/** Verifies JWTs: signed by one of the issuer's keys, for this hub, not expired. `sub` is the name, `scope` the grants. */

import { readFile } from 'node:fs/promises';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { asError, HubError, WireError } from '../../core/lib/errors.ts';
import type { Credential } from '../../core/records/access/credentials.ts';
import { GRANTS, type Grant } from '../../core/records/access/grants.ts';
import { fetchKeys } from './fetch-keys.ts';

/** Time limit for loading the issuer's keys. */
const KEYS_TIMEOUT_MS = 5_000;

export interface JwtOptions {
  readonly issuer: string;
  readonly audience: string;
  /** The issuer's public keys: a file, an https URL, or the key set. */
  readonly jwks: string | { readonly keys: readonly object[] };
  /** Accepted signature algorithms, asymmetric only. */
  readonly algorithms?: readonly string[] | undefined;
  /** Allowed difference between the clocks. */
  readonly clockToleranceSeconds?: number | undefined;
}

const ASYMMETRIC = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const OPTIONS = ['issuer', 'audience', 'jwks', 'algorithms', 'clockToleranceSeconds'];
const DEFAULT_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
/** jose errors caused by the token, not by unavailable keys. */
const TOKEN_FAULTS = ['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS', 'ERR_JOSE_NOT_SUPPORTED'];
/** Maximum token length; longer than any real token. */
const MAX_CHARACTERS = 16 * 1024;

export async function createJwtVerifier(options: JwtOptions): Promise<(token: unknown) => Promise<Credential | null>> {
  checkNames(options);
  const { issuer, audience, algorithms = DEFAULT_ALGORITHMS, clockToleranceSeconds = 5 } = options;
  checkTexts({ issuer, audience });
  const wrong = algorithms.find((algorithm) => !ASYMMETRIC.includes(algorithm));
  if (wrong !== undefined || algorithms.length === 0) {
    throw bad(`auth.jwt.algorithms: expected some of ${ASYMMETRIC.join(', ')}, got ${JSON.stringify(wrong ?? [])}`);
  }
  const keys = await keySet(options.jwks);
  const expected = { issuer, audience, algorithms: [...algorithms], clockTolerance: clockToleranceSeconds };
  return async (token) => {
    if (typeof token !== 'string' || token.length > MAX_CHARACTERS) return null;
    const requiredClaims = ['exp', 'sub'];
    const verified = await jwtVerify(token, keys, { ...expected, requiredClaims }).catch(unlessUnavailable);
    return verified === null ? null : credentialIn(verified.payload, issuer);
  };
}

/** Returns null for a bad token; rethrows if keys are unavailable, which says nothing about the token. */
function unlessUnavailable(thrown: unknown): null {
  if (thrown instanceof WireError) throw thrown;
  return null;
}

/** Loads keys from a URL. Only a key missing from the set is the fault of the token. */
function remote(url: string): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(new URL(url), { timeoutDuration: KEYS_TIMEOUT_MS, [customFetch]: fetchKeys });
  return (header, token) =>
    keys(header, token).catch((cause: unknown) => {
      if (TOKEN_FAULTS.some((code) => cause instanceof errors.JOSEError && cause.code === code)) throw cause;
      const message = `auth.jwt.jwks: cannot load the keys at ${url}: ${reasonOf(cause)}`;
      throw new WireError('unavailable', message, { outcome: 'refused' }, { cause });
    });
}

/** fetch reports the reason only in `cause`. */
function reasonOf(thrown: unknown): string {
  const { cause, message } = asError(thrown);
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}

/** Rejects a token without a subject: it would be valid for any name. */
function credentialIn({ sub, exp = 0, scope }: JWTPayload, issuer: string): Credential | null {
  if (typeof sub !== 'string' || sub === '') return null;
  const words = typeof scope === 'string' ? scope.split(' ') : [];
  const grants = words.filter((word): word is Grant => Object.hasOwn(GRANTS, word));
  return { id: `jwt:${issuer}#${sub}`, name: sub, grants, expires_at_ms: exp * 1000 };
}

async function keySet(jwks: JwtOptions['jwks']): Promise<JWTVerifyGetKey> {
  if (typeof jwks !== 'string') return local(jwks);
  if (/^https:\/\//.test(jwks)) return remote(jwks);
  if (/^http:\/\//.test(jwks)) throw bad('auth.jwt.jwks: expected an https URL; keys sent over http cannot be trusted');
  const text = await readFile(jwks, 'utf8').catch((cause: unknown) => {
    throw bad(`auth.jwt.jwks: cannot read the file ${jwks}`, cause);
  });
  return local(parsed(text, jwks));
}

function parsed(text: string, path: string): object {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw bad(`auth.jwt.jwks: the file ${path} is not JSON`, cause);
  }
}

function local(value: object): JWTVerifyGetKey {
  const { keys } = value as { readonly keys?: unknown };
  if (Array.isArray(keys) && keys.length === 0) throw bad('auth.jwt.jwks: expected at least one key, got none');
  try {
    return createLocalJWKSet(value as JSONWebKeySet);
  } catch (cause) {
    throw bad('auth.jwt.jwks: expected {"keys": [...]} with public keys', cause);
  }
}

function checkNames(options: JwtOptions): void {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw bad(`auth.jwt.${unknown}: unknown option; valid options: ${OPTIONS.join(', ')}`);
}

function checkTexts(texts: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value !== 'string' || value === '') throw bad(`auth.jwt.${name}: expected a non-empty text`);
  }
}

function bad(problem: string, cause?: unknown): HubError {
  return new HubError('bad_options', problem, { cause });
}
