/** The options of a port, with their defaults. They are validated before anything is opened. */

import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { HubError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';
import type { AuthOptions } from '../auth/authenticate.ts';
import type { HostRules } from '../auth/hosts.ts';
import { type ConformanceOptions, type ConformanceSettings, conformanceSettings } from '../conformance/options.ts';
import type { HeartbeatTimes } from '../websocket/heartbeat.ts';
import type { AddressLimits } from './addresses.ts';

export interface ServeLimits extends AddressLimits, HeartbeatTimes {
  /** How long a connection may take to say hello, or a request to arrive. */
  readonly handshakeMs: number;
}

export interface TlsOptions {
  readonly key: string;
  readonly cert: string;
  readonly ca?: string | undefined;
  readonly passphrase?: string | undefined;
}

export interface ServeOptions extends Partial<HostRules> {
  /** 127.0.0.1 unless told. */
  readonly host?: string | undefined;
  /** 4747 unless told; 0 = any that is free. */
  readonly port?: number | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Tokens of the hub unless told. */
  readonly auth?: AuthOptions | undefined;
  readonly limits?: Partial<ServeLimits> | undefined;
  /** Does fixtures of governed runs under `/conform/`: whoever has its token can run commands. On the loopback only. */
  readonly conformance?: ConformanceOptions | undefined;
  /** The console, a page for people, at `/`: false unless told; of a folder of your own, if it is built elsewhere. */
  readonly console?: boolean | { readonly folder: string } | undefined;
}

export interface ServeSettings extends HostRules {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsOptions | null;
  readonly auth: AuthOptions;
  readonly limits: ServeLimits;
  /** null = there is nothing under `/conform/`. */
  readonly conformance: ConformanceSettings | null;
  /** null = without a console; its folder null = the usual one. */
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
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw wrong(unknown, `no such option; there are ${OPTIONS.join(', ')}`);
  const { host = '127.0.0.1', port = DEFAULT_PORT, tls = null, auth = {}, hosts = [], origins = [] } = options;
  if (typeof host !== 'string' || host === '')
    throw wrong('host', `expected a name or an address, got ${describeValue(host)}`);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw wrong('port', `expected a whole number from 0 to 65535, got ${describeValue(port)}`);
  }
  checkTls(tls);
  const unknownAuth = Object.keys(auth).find((name) => !AUTH_OPTIONS.includes(name));
  if (unknownAuth !== undefined)
    throw wrong(`auth.${unknownAuth}`, `no such option; there are ${AUTH_OPTIONS.join(', ')}`);
  checkTexts('hosts', hosts);
  checkTexts('origins', origins);
  checkOrigins(origins);
  const conformance = conformanceSettings(options.conformance, host);
  return {
    host,
    port,
    tls,
    auth,
    hosts,
    origins,
    limits: limitsOf(options.limits ?? {}),
    conformance,
    console: consoleOf(options.console ?? false),
  };
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
  const made = tried(() => createSecureContext({ key, cert, ca, passphrase }));
  if (made instanceof Error) {
    const expected = 'a certificate and its key, both as the text of a PEM file, that belong together';
    // What OpenSSL says of it names no secret.
    throw wrong('tls', `expected ${expected}; they cannot be used: ${made.message}`, made);
  }
}

function tried(make: () => unknown): unknown {
  try {
    return make();
  } catch (thrown) {
    return thrown;
  }
}

function checkTexts(name: string, value: unknown): void {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return;
  throw wrong(name, `expected a list of texts, got ${describeValue(value)}`);
}

/** As browsers send it: anything else would never fit one. */
function checkOrigins(origins: readonly string[]): void {
  const odd = origins.find((origin) => origin !== '*' && !/^[a-z][a-z0-9+.-]*:\/\/[^\s/]+$/i.test(origin));
  if (odd === undefined) return;
  throw wrong('origins', `expected origins such as "https://app.example.org", or "*", got ${describeValue(odd)}`);
}

function limitsOf(given: Partial<ServeLimits>): ServeLimits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_SERVE_LIMITS, name)) {
      throw wrong(`limits.${name}`, `no such limit; there are ${Object.keys(DEFAULT_SERVE_LIMITS).join(', ')}`);
    }
    if (!(typeof value === 'number' && value > 0)) {
      throw wrong(`limits.${name}`, `expected a number over 0, got ${describeValue(value)}`);
    }
  }
  return { ...DEFAULT_SERVE_LIMITS, ...given };
}

function wrong(name: string, problem: string, cause?: Error): HubError {
  return new HubError('bad_options', `${name}: ${problem}`, { cause });
}

export interface TlsFiles {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** The key and certificate from files; undefined = neither was named. One without the other is an error. */
export async function tlsFromFiles({ cert, key }: TlsFiles): Promise<TlsOptions | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const [given, missing] = cert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
    throw new HubError('bad_options', `${missing}: expected the path of a PEM file beside ${given}, got none`);
  }
  return { cert: await textOf('--tls-cert', cert), key: await textOf('--tls-key', key) };
}

async function textOf(option: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const problem = `expected the path of a PEM file that can be read, got "${file}" (${cause.code ?? cause.message})`;
    throw new HubError('bad_options', `${option}: ${problem}`, { cause });
  });
}
