/** What a hub is run with: options, then the config file, then what is usual. */

import type { HubConfig } from '../../config/shape/config.ts';
import { tlsFromFiles } from '../tls-files.ts';
import type { UpOptions } from '../../server/up.ts';
import type { Asked } from '../../cli/terminal/command.ts';
import type { Io } from '../../cli/terminal/io.ts';
import type { LogLevel } from './log-level.ts';
import { Trouble, wrongValue } from '../../cli/terminal/command-error.ts';
import { dataFolder } from '../../cli/connecting/hub-target.ts';

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
    conformance: conformanceIn(asked, io),
    ...(port === undefined ? {} : { port }),
    // Checked against the list by the parser, or by the shape.
    logLevel: level as LogLevel,
  };
}

function conformanceIn({ values, switches }: Asked, { env }: Io): UpSettings['conformance'] {
  const given = values['conformance-token'];
  if (switches.has('conformance')) return { token: given ?? (env.PARLEY_CONFORMANCE_TOKEN || null) };
  if (given === undefined) return undefined;
  throw new Trouble('wrong', 'wrong_option', '--conformance-token: expected --conformance with it', HELP);
}

function tlsFiles({ values }: Asked, { tls }: HubConfig): { cert: string | undefined; key: string | undefined } {
  const { 'tls-cert': cert, 'tls-key': key } = values;
  return cert === undefined && key === undefined ? { cert: tls?.cert, key: tls?.key } : { cert, key };
}

function portIn(given: string): number {
  if (/^\d{1,5}$/.test(given)) return Number(given);
  throw wrongValue('--port', 'a number from 0 to 65535', given, HELP);
}
