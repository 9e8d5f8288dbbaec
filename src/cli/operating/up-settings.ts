/** Resolves settings of `parley up` (precedence: options, config file, defaults), and starts its governed runs. */

import { resolve } from 'node:path';
import type { HubConfig } from '../../config/shape/config.ts';
import type { Logger } from '../../core/ports/platform.ts';
import { RunnerRefusal } from '../../governed/runner/contract/failure.ts';
import type { LocalHub } from '../../server/create-hub.ts';
import { tlsFromFiles } from '../../server/port/serve-options.ts';
import type { LogLevel } from '../../server/telemetry/line-log.ts';
import type { Closeable, UpEvent, UpOptions } from '../../server/up.ts';
import { dataFolder } from '../connecting/hub-target.ts';
import type { CommandArgs } from '../terminal/command.ts';
import { CommandError, invalidValueError, usageError } from '../terminal/command-error.ts';
import type { Io } from '../terminal/io.ts';

const HELP = 'Run "parley up --help" for the options.';

type UpSettings = Omit<UpOptions, 'tell' | 'log' | 'startAgents'> & { readonly logLevel: LogLevel };

/** Resolves no paths of the config file: they are already resolved. */
export async function resolveUpSettings(args: CommandArgs, io: Io, hub: HubConfig): Promise<UpSettings> {
  const { values, switches } = args;
  const port = values.port === undefined ? hub.port : portIn(values.port);
  const level = values['log-level'] ?? hub.logLevel ?? 'info';
  return {
    data: values.data === undefined ? (hub.data ?? dataFolder(args, io)) : values.data,
    host: values.host ?? hub.host,
    tls: await tlsFromFiles(tlsFiles(args, hub)),
    auth: values.auth === undefined ? hub.auth : { tokens: true, none: values.auth === 'none' },
    hosts: hub.hosts ?? [],
    origins: hub.origins ?? [],
    console: switches.has('no-console') ? false : (hub.console ?? true),
    limits: hub.connectionLimits ?? {},
    hubLimits: hub.limits ?? {},
    conformance: conformanceIn(args, io),
    ...(port === undefined ? {} : { port }),
    // The cast is safe: the parser or the config schema checked the value.
    logLevel: level as LogLevel,
  };
}

function conformanceIn({ values, switches }: CommandArgs, { env }: Io): UpSettings['conformance'] {
  const value = values['conformance-token'];
  if (switches.has('conformance')) return { token: value ?? (env.PARLEY_CONFORMANCE_TOKEN || null) };
  if (value === undefined) return undefined;
  throw usageError('wrong_option', '--conformance-token: expected --conformance with it', HELP);
}

function tlsFiles({ values }: CommandArgs, { tls }: HubConfig): { cert: string | undefined; key: string | undefined } {
  const { 'tls-cert': cert, 'tls-key': key } = values;
  return cert === undefined && key === undefined ? { cert: tls?.cert, key: tls?.key } : { cert, key };
}

function portIn(value: string): number {
  if (/^\d{1,5}$/.test(value)) return Number(value);
  throw invalidValueError('--port', 'a number from 0 to 65535', value, HELP);
}

type Serve = (hub: LocalHub, log: Logger, report: (event: UpEvent) => void) => Promise<Closeable>;

/** Checks the options before anything starts. */
export async function servedProjects({ lists }: CommandArgs, data: string): Promise<readonly Serve[]> {
  const roots = lists.run ?? [];
  const roles = Object.fromEntries((lists.holds ?? []).map(holding));
  if (Object.keys(roles).length > 0 && roots.length !== 1) {
    throw usageError('missing_option', '--holds requires exactly one --run', HELP);
  }
  return roots.map(
    (root) => (hub, log, report) => serveOne(hub, resolve(root), { roles, data: resolve(data), log }, report),
  );
}

function holding(value: string): readonly [string, string] {
  const [, role, name] = /^([^=]+)=(.+)$/.exec(value) ?? [];
  if (role === undefined || name === undefined) throw invalidValueError('--holds', 'role=name', value);
  return [role, name];
}

async function serveOne(
  hub: LocalHub,
  root: string,
  options: { readonly roles: Readonly<Record<string, string>>; readonly data: string; readonly log: Logger },
  report: (event: UpEvent) => void,
): Promise<Closeable> {
  const { serveRun } = await import('../../governed/serving/serve-run.ts');
  try {
    const served = await serveRun(hub, root, options);
    report({ event: 'serves', root: served.root, runner: served.runner, operator: served.operator });
    return served;
  } catch (thrown) {
    if (!(thrown instanceof RunnerRefusal)) throw thrown;
    throw new CommandError('refused', thrown.failure.error_code, `--run ${root}: ${thrown.message}`, '');
  }
}

/** Starts services one after the other; on failure, or at close, closes the started ones in reverse order. */
export async function startInOrder(starts: readonly (() => Promise<Closeable>)[]): Promise<Closeable> {
  const started: Closeable[] = [];
  const close = async (): Promise<void> => {
    for (const one of started.toReversed()) await one.close();
  };
  try {
    for (const start of starts) started.push(await start());
    return { close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}
