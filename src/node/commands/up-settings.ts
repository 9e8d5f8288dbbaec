/** What a hub is run with: options, then the file of --config, then what is usual. */

import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { schemaOf } from '../../core/schema.ts';
import { tlsFromFiles } from '../tls-files.ts';
import type { UpOptions } from '../up.ts';
import type { Asked } from './command.ts';
import { objectInFile } from './given-json.ts';
import type { Io } from './io.ts';
import { LOG_LEVELS, type LogLevel } from './log-level.ts';
import { Trouble, wrongValue } from './trouble.ts';
import { dataFolder } from './where.ts';

const HELP = '"parley up --help" shows the options.';

const count = z.number({ error: 'a number' });

/** A slip of the pen would be found when it is too late: there is nothing beside what there is. */
const configShape = z.strictObject({
  port: count.optional(),
  host: z.string().optional(),
  data: z.string().optional(),
  tls: z.strictObject({ cert: z.string(), key: z.string() }).optional(),
  auth: z
    .strictObject({
      tokens: z.boolean().optional(),
      none: z.boolean().optional(),
      jwt: z
        .strictObject({
          issuer: z.string(),
          audience: z.string(),
          jwks: z.string(),
          algorithms: z.array(z.string()).optional(),
          clock_tolerance_seconds: count.optional(),
        })
        .optional(),
    })
    .optional(),
  hosts: z.array(z.string()).optional(),
  origins: z.array(z.string()).optional(),
  /** By the names of `ServeLimits`. */
  connection_limits: z.record(z.string(), count).optional(),
  /** By the names of `Limits`. */
  limits: z.record(z.string(), count).optional(),
  log_level: z.enum(LOG_LEVELS).optional(),
});

type Config = z.infer<typeof configShape>;

export type UpSettings = Omit<UpOptions, 'tell' | 'log'> & { readonly logLevel: LogLevel };

export async function settingsOf(asked: Asked, io: Io): Promise<UpSettings> {
  const { values } = asked;
  const config = values.config === undefined ? {} : await configIn(values.config);
  const port = values.port === undefined ? config.port : portIn(values.port);
  const files = tlsFiles(asked, config);
  const level = values['log-level'] ?? config.log_level ?? 'info';
  return {
    data: values.data === undefined ? (config.data ?? dataFolder(asked, io)) : values.data,
    host: values.host ?? config.host,
    tls: await tlsFromFiles(files),
    auth: values.auth === undefined ? authOf(config.auth) : { tokens: true, none: values.auth === 'none' },
    hosts: config.hosts ?? [],
    origins: config.origins ?? [],
    limits: config.connection_limits ?? {},
    hubLimits: config.limits ?? {},
    ...(port === undefined ? {} : { port }),
    // Checked against the list by the parser, or by the shape.
    logLevel: level as LogLevel,
  };
}

/** Paths in a file are meant from where the file is. */
async function configIn(file: string): Promise<Config> {
  const given = await objectInFile('--config', file);
  const config = checked(given, file);
  const from = (path: string): string => resolve(dirname(file), path);
  return {
    ...config,
    ...(config.data === undefined ? {} : { data: from(config.data) }),
    ...(config.tls === undefined ? {} : { tls: { cert: from(config.tls.cert), key: from(config.tls.key) } }),
  };
}

function checked(given: unknown, file: string): Config {
  try {
    return schemaOf(configShape).parse(given, file);
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    throw new Trouble('wrong', 'wrong_value', `--config: ${message}`, 'docs/operating.md has all settings.');
  }
}

function tlsFiles({ values }: Asked, { tls }: Config): { cert: string | undefined; key: string | undefined } {
  const { 'tls-cert': cert, 'tls-key': key } = values;
  return cert === undefined && key === undefined ? { cert: tls?.cert, key: tls?.key } : { cert, key };
}

function authOf(auth: Config['auth']): UpOptions['auth'] {
  if (auth === undefined) return undefined;
  const { tokens, none, jwt } = auth;
  if (jwt === undefined) return { tokens, none };
  const { issuer, audience, jwks, algorithms, clock_tolerance_seconds: clockToleranceSeconds } = jwt;
  return { tokens, none, jwt: { issuer, audience, jwks, algorithms, clockToleranceSeconds } };
}

function portIn(given: string): number {
  if (/^\d{1,5}$/.test(given)) return Number(given);
  throw wrongValue('--port', 'a number from 0 to 65535', given, HELP);
}
