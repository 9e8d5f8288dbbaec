/** Resolves hub, credentials and name. Precedence: options, environment, defaults. */

import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { JsonObject } from '../../core/lib/json.ts';
import { parseToken } from '../../core/records/access/token-schema.ts';
import { operatorTokenFile } from '../../server/auth/operator-token.ts';
import { DEFAULT_PORT } from '../../server/port/serve-options.ts';
import type { CommandArgs } from '../terminal/command.ts';
import { invalidValueError, notFoundError } from '../terminal/command-error.ts';
import type { Io } from '../terminal/io.ts';

const DEFAULT_DATA = '.parley';

export interface HubTarget {
  readonly url: string;
  readonly credentials: JsonObject;
  readonly ca: string | undefined;
  /** Source of the token, for error messages. */
  readonly proof: string;
  /** True if a token was passed; false for the operator token or none. */
  readonly isExplicit: boolean;
}

export function dataFolder({ values }: CommandArgs, { env }: Pick<Io, 'env'>): string {
  return values.data ?? (env.PARLEY_DATA || DEFAULT_DATA);
}

/** For commands with a config file, which ranks between `requested` and `fallback`. */
export function resolveDataFolders(
  { values }: CommandArgs,
  { env }: Pick<Io, 'env'>,
): { requested: string | undefined; fallback: string } {
  return { requested: values.data, fallback: env.PARLEY_DATA || DEFAULT_DATA };
}

export function hubUrl({ values }: CommandArgs, { env }: Pick<Io, 'env'>): string {
  const value = values.url ?? (env.PARLEY_URL || `ws://127.0.0.1:${DEFAULT_PORT}`);
  const url = value.replace(/^http/, 'ws');
  if (/^wss?:\/\/[^\s/]+/.test(url)) return url;
  const source = values.url === undefined ? 'PARLEY_URL' : '--url';
  throw invalidValueError(source, 'a URL such as ws://127.0.0.1:4747', value);
}

export async function resolveHubTarget(args: CommandArgs, io: Pick<Io, 'env'>): Promise<HubTarget> {
  const url = hubUrl(args, io);
  const file = args.values.ca ?? (io.env.PARLEY_CA || undefined);
  const ca = file === undefined ? undefined : await readFile(file, 'utf8').catch(() => cannotRead(file));
  return { url, ca, ...(await credentialsOf(args, io)) };
}

async function credentialsOf(args: CommandArgs, io: Pick<Io, 'env'>): Promise<Omit<HubTarget, 'url' | 'ca'>> {
  const { token: said, 'token-file': kept } = args.values;
  if (said !== undefined) return { credentials: proving(said), proof: '--token', isExplicit: true };
  if (kept !== undefined) return { credentials: proving(await secretIn(kept)), proof: kept, isExplicit: true };
  const inEnv = io.env.PARLEY_TOKEN;
  if (inEnv) return { credentials: proving(inEnv), proof: 'PARLEY_TOKEN', isExplicit: true };
  const file = operatorTokenFile(dataFolder(args, io));
  const token = (await readFile(file, 'utf8').catch(() => '')).trim();
  // Send no token: the hub may accept clients without one.
  const isExplicit = false;
  if (token === '') return { credentials: { scheme: 'none' }, proof: `no token: none found in ${file}`, isExplicit };
  return { credentials: { scheme: 'token', token }, proof: file, isExplicit };
}

/** The requested name, if any. */
export function requestedName({ values }: CommandArgs, { env }: Pick<Io, 'env'>): string | undefined {
  return values.as ?? (env.PARLEY_NAME || undefined);
}

/** The credentials for a token. Hub tokens have a known format; any other token is an issuer's JWT. */
function proving(token: string): JsonObject {
  return { scheme: parseToken(token) === null ? 'jwt' : 'token', token };
}

async function secretIn(file: string): Promise<string> {
  const token = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (token !== '') return token;
  throw notFoundError('no_file', `--token-file: no token in ${file}`, 'Give the path of a file that contains it.');
}

/** The login name, converted to a valid name. */
export function loginName(): string {
  const name = login()
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 32);
  return name === '' || name === 'hub' ? 'operator' : name;
}

function login(): string {
  try {
    return userInfo().username;
  } catch {
    // The user has no account entry, as in some containers.
    return '';
  }
}

function cannotRead(file: string): never {
  throw notFoundError('no_file', `--ca: ${file} cannot be read`, 'Give the path of a PEM file.');
}
