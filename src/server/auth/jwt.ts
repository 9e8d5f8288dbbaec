/** Verifies tokens of an issuer: signed by one of its keys, for this hub, not expired. `sub` is the name, `scope` the grants. */

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
import { fetchKeys, KEYS_TIMEOUT_MS } from './fetch-keys.ts';

export interface JwtOptions {
  readonly issuer: string;
  readonly audience: string;
  /** The issuer's public keys: a file, an https address, or the set itself. */
  readonly jwks: string | { readonly keys: readonly object[] };
  /** Signatures that are taken; only those with a public key can be. */
  readonly algorithms?: readonly string[] | undefined;
  /** How far the issuer's clock may be from ours. */
  readonly clockToleranceSeconds?: number | undefined;
}

const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const OPTIONS = ['issuer', 'audience', 'jwks', 'algorithms', 'clockToleranceSeconds'];
const DEFAULT_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
/** What is wrong when the keys are there and the token's is not one of them, or not to be used like that. */
const TOKEN_FAULTS = ['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS', 'ERR_JOSE_NOT_SUPPORTED'];
/** Longer than any real one; what is longer is not looked at. */
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

/** Whatever is wrong with a token is a no; keys that cannot be had say nothing about it. */
function unlessUnavailable(thrown: unknown): null {
  if (thrown instanceof WireError) throw thrown;
  return null;
}

/** The keys at an address. A key that is not among them is the token's fault, all else is not. */
function remote(url: string): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(new URL(url), { timeoutDuration: KEYS_TIMEOUT_MS, [customFetch]: fetchKeys });
  return (header, token) =>
    keys(header, token).catch((cause: unknown) => {
      if (TOKEN_FAULTS.some((code) => cause instanceof errors.JOSEError && cause.code === code)) throw cause;
      const message = `auth.jwt.jwks: the keys at ${url} cannot be had: ${reasonOf(cause)}`;
      throw new WireError('unavailable', message, { outcome: 'refused' }, { cause });
    });
}

/** What fetch throws says only that it failed; its cause says why. */
function reasonOf(thrown: unknown): string {
  const { cause, message } = asError(thrown);
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}

/** Reject a token without a subject: it would speak for any name. */
function credentialIn({ sub, exp = 0, scope }: JWTPayload, issuer: string): Credential | null {
  if (typeof sub !== 'string' || sub === '') return null;
  const words = typeof scope === 'string' ? scope.split(' ') : [];
  return { id: `jwt:${issuer}#${sub}`, name: sub, grants: parseGrants(words), expires_at_ms: exp * 1000 };
}

/** The known grants among the words of a scope. */
function parseGrants(words: readonly string[]): readonly Grant[] {
  return words.filter((word): word is Grant => Object.hasOwn(GRANTS, word));
}

async function keySet(jwks: JwtOptions['jwks']): Promise<JWTVerifyGetKey> {
  if (typeof jwks !== 'string') return local(jwks);
  if (/^https:\/\//.test(jwks)) return remote(jwks);
  if (/^http:\/\//.test(jwks))
    throw bad('auth.jwt.jwks: expected an https address; keys that come over http prove nothing');
  const text = await readFile(jwks, 'utf8').catch((cause: unknown) => {
    throw bad(`auth.jwt.jwks: the file ${jwks} cannot be read`, cause);
  });
  return local(parsed(text, jwks));
}

function parsed(text: string, path: string): object {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw bad(`auth.jwt.jwks: the file ${path} is no JSON`, cause);
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
  if (unknown !== undefined) throw bad(`auth.jwt.${unknown}: no such option; there are ${OPTIONS.join(', ')}`);
}

function checkTexts(texts: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value !== 'string' || value === '') throw bad(`auth.jwt.${name}: expected a text`);
  }
}

function bad(problem: string, cause?: unknown): HubError {
  return new HubError('bad_options', problem, { cause });
}
