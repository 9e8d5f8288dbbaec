/** Which hub a command talks to, and with what it proves who asks: options first, then the environment, then what is usual. */

import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { JsonObject } from '../../core/lib/json.ts';
import { partsOfToken } from '../../core/records/access/tokens.ts';
import { operatorTokenFile } from '../../node/operator-token.ts';
import { DEFAULT_PORT } from '../../server/port/serve-options.ts';
import type { Asked } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { Trouble, wrongValue } from '../terminal/command-error.ts';

export const USUAL_DATA = '.parley';

export interface Where {
  readonly url: string;
  readonly credentials: JsonObject;
  readonly ca: string | undefined;
  /** Where the token was looked for, for whoever is refused. */
  readonly proof: string;
  /** The token was given; else it is the operator's, or there is none. */
  readonly isGiven: boolean;
}

export function dataFolder({ values }: Asked, { env }: Pick<Io, 'env'>): string {
  return values.data ?? (env.PARLEY_DATA || USUAL_DATA);
}

/** The same for who has a config file too, which comes between the two. */
export function dataOf({ values }: Asked, { env }: Pick<Io, 'env'>): { given: string | undefined; usual: string } {
  return { given: values.data, usual: env.PARLEY_DATA || USUAL_DATA };
}

export function hubUrl({ values }: Asked, { env }: Pick<Io, 'env'>): string {
  const given = values.url ?? (env.PARLEY_URL || `ws://127.0.0.1:${DEFAULT_PORT}`);
  const url = given.replace(/^http/, 'ws');
  if (/^wss?:\/\/[^\s/]+/.test(url)) return url;
  throw wrongValue(values.url === undefined ? 'PARLEY_URL' : '--url', 'an address such as ws://127.0.0.1:4747', given);
}

export async function whereIs(asked: Asked, io: Pick<Io, 'env'>): Promise<Where> {
  const url = hubUrl(asked, io);
  const file = asked.values.ca ?? (io.env.PARLEY_CA || undefined);
  const ca = file === undefined ? undefined : await readFile(file, 'utf8').catch(() => cannotRead(file));
  return { url, ca, ...(await credentialsOf(asked, io)) };
}

async function credentialsOf(asked: Asked, io: Pick<Io, 'env'>): Promise<Omit<Where, 'url' | 'ca'>> {
  const { token: said, 'token-file': kept } = asked.values;
  if (said !== undefined) return { credentials: proving(said), proof: '--token', isGiven: true };
  if (kept !== undefined) return { credentials: proving(await secretIn(kept)), proof: kept, isGiven: true };
  const inEnv = io.env.PARLEY_TOKEN;
  if (inEnv) return { credentials: proving(inEnv), proof: 'PARLEY_TOKEN', isGiven: true };
  const file = operatorTokenFile(dataFolder(asked, io));
  const token = (await readFile(file, 'utf8').catch(() => '')).trim();
  // A hub may ask for no proof.
  const isGiven = false;
  if (token === '') return { credentials: { scheme: 'none' }, proof: `no token: there is none in ${file}`, isGiven };
  return { credentials: { scheme: 'token', token }, proof: file, isGiven };
}

/** Who is to speak, if that is said. */
export function nameGiven({ values }: Asked, { env }: Pick<Io, 'env'>): string | undefined {
  return values.as ?? (env.PARLEY_NAME || undefined);
}

/** A hub's own has a shape of its own; anything else is an issuer's. */
function proving(token: string): JsonObject {
  return { scheme: partsOfToken(token) === null ? 'jwt' : 'token', token };
}

async function secretIn(file: string): Promise<string> {
  const token = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (token !== '') return token;
  throw new Trouble(
    'notFound',
    'no_file',
    `--token-file: there is no token in ${file}`,
    'Give the path of a file with it.',
  );
}

/** Who somebody is when nobody says: the name they logged in with, as far as it is a name here. */
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
    // A user without an entry, as in some containers.
    return '';
  }
}

function cannotRead(file: string): never {
  throw new Trouble('notFound', 'no_file', `--ca: ${file} cannot be read`, 'Give the path of a PEM file.');
}
