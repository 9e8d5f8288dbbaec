/** The options of a port, with their defaults. They are validated before anything is opened. */

import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { asError, HubError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';
import type { AuthOptions } from '../auth/authenticate.ts';
import type { HostRules } from '../auth/hosts.ts';
import { type ConformanceOptions, type ConformanceSettings, conformanceSettings } from '../conformance/options.ts';
import type { HeartbeatTimes } from '../websocket/heartbeat.ts';
import type { AddressLimits } from './addresses.ts';

export interface ServeLimits extends AddressLimits, HeartbeatTimes {
  /** Maximum time until a hello, or until a request has arrived. */
  readonly handshakeMs: number;
}

export interface TlsOptions {
  readonly key: string;
  readonly cert: string;
  readonly ca?: string | undefined;
  readonly passphrase?: string | undefined;
}

export interface ServeOptions extends Partial<HostRules> {
  /** Defaults to 127.0.0.1. */
  readonly host?: string | undefined;
  /** Defaults to 4747; 0 = any free port. */
  readonly port?: number | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Defaults to tokens issued by the hub. */
  readonly auth?: AuthOptions | undefined;
  readonly limits?: Partial<ServeLimits> | undefined;
  /** Serves conformance fixtures under `/conform/`. Anyone with the token can run commands, so it requires a loopback host. */
  readonly conformance?: ConformanceOptions | undefined;
  /** Serves the console at `/` (default: false), optionally from a custom folder. */
  readonly console?: boolean | { readonly folder: string } | undefined;
}

export interface ServeSettings extends HostRules {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsOptions | null;
  readonly auth: AuthOptions;
  readonly limits: ServeLimits;
  readonly conformance: ConformanceSettings | null;
  /** null if no console is served; `folder` is null for the built-in console. */
  readonly console: { readonly folder: string | null } | null;
}

export const DEFAULT_PORT = 4747;

export const DEFAULT_SERVE_LIMITS: ServeLimits = {
  maxConnections: 10_000,
  maxConnectionsPerAddress: 256,
  maxPending: 4096,
  maxFailedHellosPerMinute: 10,
  pingMs: 20_000,
  silentMs: 45_000,
  handshakeMs: 10_000,
};

const OPTIONS = ['host', 'port', 'tls', 'auth', 'hosts', 'origins', 'limits', 'conformance', 'console'];
const AUTH_OPTIONS = ['tokens', 'jwt', 'none'];

export function checkServeOptions(options: ServeOptions): ServeSettings {
  checkNames('', options, OPTIONS);
  const { host = '127.0.0.1', port = DEFAULT_PORT, tls = null, auth = {}, hosts = [], origins = [] } = options;
  if (typeof host !== 'string' || host === '')
    throw wrong('host', `expected a name or an address, got ${describeValue(host)}`);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw wrong('port', `expected a whole number from 0 to 65535, got ${describeValue(port)}`);
  }
  checkTls(tls);
  checkNames('auth.', auth, AUTH_OPTIONS);
  checkTexts('hosts', hosts);
  checkTexts('origins', origins);
  checkOrigins(origins);
  return {
    host,
    port,
    tls,
    auth,
    hosts,
    origins,
    limits: limitsOf(options.limits ?? {}),
    conformance: conformanceSettings(options.conformance, host),
    console: consoleOf(options.console ?? false),
  };
}

function checkNames(prefix: string, options: object, valid: readonly string[], what = 'option'): void {
  const unknown = Object.keys(options).find((name) => !valid.includes(name));
  if (unknown !== undefined) throw wrong(`${prefix}${unknown}`, `unknown ${what}; valid ${what}s: ${valid.join(', ')}`);
}

function consoleOf(given: unknown): ServeSettings['console'] {
  if (given === false) return null;
  if (given === true) return { folder: null };
  const folder = typeof given === 'object' && given !== null && 'folder' in given ? given.folder : undefined;
  if (typeof folder === 'string' && folder !== '') return { folder };
  throw wrong('console', `expected true, false or {folder}, got ${describeValue(given)}`);
}

function checkTls(tls: TlsOptions | null): void {
  if (tls === null) return;
  for (const part of ['key', 'cert'] as const) {
    const value: unknown = tls[part];
    if (typeof value !== 'string') {
      throw wrong(`tls.${part}`, `expected the text of a PEM file, got ${describeValue(value)}`);
    }
  }
  const { key, cert, ca, passphrase } = tls;
  try {
    createSecureContext({ key, cert, ca, passphrase });
  } catch (thrown) {
    const expected = 'a certificate and its key, both as the text of a PEM file, that belong together';
    const cause = asError(thrown);
    // OpenSSL messages contain no secrets.
    throw wrong('tls', `expected ${expected}; they cannot be used: ${cause.message}`, cause);
  }
}

function checkTexts(name: string, value: unknown): void {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return;
  throw wrong(name, `expected a list of texts, got ${describeValue(value)}`);
}

/** Origins must be written as browsers send them, or they would never match. */
function checkOrigins(origins: readonly string[]): void {
  const odd = origins.find((origin) => origin !== '*' && !/^[a-z][a-z0-9+.-]*:\/\/[^\s/]+$/i.test(origin));
  if (odd === undefined) return;
  throw wrong('origins', `expected origins such as "https://app.example.org", or "*", got ${describeValue(odd)}`);
}

function limitsOf(given: Partial<ServeLimits>): ServeLimits {
  checkNames('limits.', given, Object.keys(DEFAULT_SERVE_LIMITS), 'limit');
  for (const [name, value] of Object.entries(given)) {
    if (!(typeof value === 'number' && value > 0)) {
      throw wrong(`limits.${name}`, `expected a number over 0, got ${describeValue(value)}`);
    }
  }
  return { ...DEFAULT_SERVE_LIMITS, ...given };
}

function wrong(name: string, problem: string, cause?: Error): HubError {
  return new HubError('bad_options', `${name}: ${problem}`, { cause });
}

interface TlsFiles {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Reads the key and certificate; undefined if neither is named. One without the other is an error. */
export async function tlsFromFiles({ cert, key }: TlsFiles): Promise<TlsOptions | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const [given, missing] = cert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
    throw new HubError(
      'bad_options',
      `${missing}: required together with ${given}; expected the path of a PEM file, got none`,
    );
  }
  return { cert: await textOf('--tls-cert', cert), key: await textOf('--tls-key', key) };
}

async function textOf(option: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const problem = `expected the path of a readable PEM file, got "${file}" (${cause.code ?? cause.message})`;
    throw new HubError('bad_options', `${option}: ${problem}`, { cause });
  });
}
