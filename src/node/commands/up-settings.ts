/** What a hub is run with: options, then the config file, then what is usual. */

import type { HubConfig } from '../config/config.ts';
import { tlsFromFiles } from '../tls-files.ts';
import type { UpOptions } from '../up.ts';
import type { Asked } from './command.ts';
import type { Io } from './io.ts';
import type { LogLevel } from './log-level.ts';
import { wrongValue } from './trouble.ts';
import { dataFolder } from './where.ts';

const HELP = '"parley up --help" shows the options.';

export type UpSettings = Omit<UpOptions, 'tell' | 'log' | 'bringUp'> & { readonly logLevel: LogLevel };

/** Paths in the file are whole already. */
export async function settingsOf(asked: Asked, io: Io, hub: HubConfig): Promise<UpSettings> {
  const { values, switches } = asked;
  const port = values.port === undefined ? hub.port : portIn(values.port);
  const level = values['log-level'] ?? hub.logLevel ?? 'info';
  return {
    data: values.data === undefined ? (hub.data ?? dataFolder(asked, io)) : values.data,
    host: values.host ?? hub.host,
    tls: await tlsFromFiles(tlsFiles(asked, hub)),
    auth: values.auth === undefined ? hub.auth : { tokens: true, none: values.auth === 'none' },
    hosts: hub.hosts ?? [],
    origins: hub.origins ?? [],
    console: switches.has('no-console') ? false : (hub.console ?? true),
    limits: hub.connectionLimits ?? {},
    hubLimits: hub.limits ?? {},
    ...(port === undefined ? {} : { port }),
    // Checked against the list by the parser, or by the shape.
    logLevel: level as LogLevel,
  };
}

function tlsFiles({ values }: Asked, { tls }: HubConfig): { cert: string | undefined; key: string | undefined } {
  const { 'tls-cert': cert, 'tls-key': key } = values;
  return cert === undefined && key === undefined ? { cert: tls?.cert, key: tls?.key } : { cert, key };
}

function portIn(given: string): number {
  if (/^\d{1,5}$/.test(given)) return Number(given);
  throw wrongValue('--port', 'a number from 0 to 65535', given, HELP);
}
