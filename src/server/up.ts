/** `parley up`: a process that is only a hub, with a data folder and a port. Shuts down cleanly on SIGTERM and Ctrl-C. */

import { once } from 'node:events';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, resolve } from 'node:path';
import { asError, HubError } from '../core/lib/errors.ts';
import type { Logger } from '../core/ports/platform.ts';
import { type Limits, limitsWith } from '../core/records/access/limits.ts';
import type { SessionMetadata } from '../core/records/session/session.ts';
import { missingFolders } from '../system/make-folder.ts';
import { createAuthentication } from './auth/authenticate.ts';
import { copyOperatorToken, ensureOperatorToken } from './auth/operator-token.ts';
import { type ConformanceToken, conformanceToken, newToken } from './conformance/options.ts';
import { type ControlHandlers, openControl } from './control.ts';
import { createHub, type LocalHub } from './create-hub.ts';
import { listen } from './port/listen.ts';
import { checkServeOptions, type ServeOptions, type ServeSettings } from './port/serve-options.ts';
import type { HubServer } from './serve.ts';
import { logLevelOf, logTo } from './telemetry/pino-log.ts';

export interface UpOptions extends Omit<ServeOptions, 'conformance'> {
  /** The folder where everything is kept. */
  readonly data: string;
  /** Of the hub itself; `limits` are those of its port. */
  readonly hubLimits?: Partial<Limits>;
  /** Does fixtures of governed runs under `/conform/`, which run commands; without a token, one is made and kept in the folder. */
  readonly conformance?: { readonly token: string | null } | undefined;
  /** Hears how it goes, for whoever started it. */
  readonly tell: (event: UpEvent) => void;
  readonly log?: Logger;
  /** Without a log of one's own: how much is told, on standard error. */
  readonly logLevel?: string;
  /** Begins what is to live with the hub, before anybody else can reach it; if it fails, so does everything. */
  readonly startAgents?: ((hub: LocalHub, log: Logger) => Promise<Closeable>) | undefined;
}

/** What became of a schedule when the config file was looked at. */
export type ScheduleUpdateKind = 'made' | 'changed' | 'kept' | 'deleted';

/** What lives with a hub in its process, and ends before it. */
export interface Closeable {
  close(): Promise<void>;
}

/** Where fixtures are done, and with which token; null = whoever gave it knows. */
export interface ConformanceUp {
  readonly url: string;
  readonly token_file: string | null;
}

/** What happens to it, as it is told to programs too. */
export type UpEvent =
  | {
      readonly event: 'listening';
      readonly url: string;
      readonly host: string;
      readonly data: string;
      readonly token_file: string;
      /** Only where fixtures are done. */
      readonly conformance?: ConformanceUp;
      /** Where people find the console; null = it is not served. */
      readonly console: string | null;
    }
  | {
      readonly event: 'joined';
      readonly name: string;
      readonly agent_id: string;
      readonly provider: string;
      readonly model: string | null;
    }
  /** Of a participant of the config file; null = it does not come back by itself. */
  | { readonly event: 'gone'; readonly name: string; readonly reason: string; readonly retry_in_ms: number | null }
  | {
      readonly event: 'schedule';
      readonly name: string;
      readonly schedule_id: string;
      readonly what: ScheduleUpdateKind;
    }
  | { readonly event: 'serves'; readonly root: string; readonly runner: string; readonly operator: string }
  | { readonly event: 'stopping'; readonly signal: string }
  | { readonly event: 'stopped' };

const NOBODY: Closeable = { close: async () => {} };

/** Signals that come this close together are one. */
const ONE_KEY_MS = 500;

/** Resolves when it has ended, after SIGTERM or SIGINT. */
export async function up({
  data,
  hubLimits = {},
  tell,
  logLevel = 'info',
  startAgents: bringUp,
  conformance,
  ...options
}: UpOptions): Promise<void> {
  const { log = logTo(process.stderr, logLevelOf(logLevel)), ...serving } = options;
  await checkUpOptions(data, hubLimits, {
    ...serving,
    conformance: conformance && { token: conformance.token ?? newToken() },
  });
  // Listened for from the first: who reads the welcome may answer it at once.
  const told = toldToEnd();
  const hub = await createHub({ data, exitOnStoreFailure: true, limits: hubLimits, log }).catch(explained);
  const proof = async () => conformance && (await conformanceToken(data, conformance.token));
  const opening = open(hub, serving, proof, async () => (await bringUp?.(hub, log)) ?? NOBODY);
  const early = await Promise.race([opening.then(() => null), told]);
  if (early !== null) return giveUp(early, hub, opening, tell);
  const { port, companions, ...doing } = await opening;
  const token_file = await ensureOperatorToken(hub, data);
  const closeControl = await openControl(data, controlledBy(hub, data), log);
  logEvents(hub, log);
  const { url, host, console } = port;
  tell({ event: 'listening', url, host, data, token_file, console, ...doing });
  const signal = await told;
  tell({ event: 'stopping', signal });
  await companions.close();
  await closeControl();
  await hub.stop();
  tell({ event: 'stopped' });
}

/** It was told to end while it began: what is half begun fails without a hub, and closes what it has. */
async function giveUp(
  signal: string,
  hub: LocalHub,
  opening: ReturnType<typeof open>,
  tell: UpOptions['tell'],
): Promise<void> {
  tell({ event: 'stopping', signal });
  const closing = opening.then(({ companions }) => companions.close());
  closing.catch(() => {});
  await hub.stop();
  tell({ event: 'stopped' });
}

/** What commands beside it may ask for. The operator's token goes with a backup, as it does when no hub runs. */
function controlledBy(hub: LocalHub, data: string): ControlHandlers {
  return {
    async backup({ target }, options) {
      const done = await hub.backup(target, options);
      await copyOperatorToken(data, target);
      return done;
    },
    archive: ({ endedBefore }, options) => hub.archive({ ...options, endedBefore }),
    verify: (_, options) => hub.verify(options),
  };
}

interface Opened {
  readonly port: HubServer;
  readonly companions: Closeable;
  readonly conformance?: ConformanceUp;
}

/** All of it, or nothing. */
async function open(
  hub: LocalHub,
  serving: ServeOptions,
  proof: () => Promise<ConformanceToken | undefined>,
  begin: () => Promise<Closeable>,
): Promise<Opened> {
  let companions = NOBODY;
  try {
    companions = await begin();
    const shown = await proof();
    const port = await hub.listen({ ...serving, conformance: shown && { token: shown.token } });
    if (shown === undefined) return { port, companions };
    const url = port.url.replace(/^ws/, 'http');
    return { port, companions, conformance: { url, token_file: shown.file } };
  } catch (thrown) {
    await companions.close();
    await hub.stop();
    throw thrown;
  }
}

/** A second signal ends it at once: whoever sends it twice means it. One Ctrl-C may come twice, from the terminal and from npm. */
async function toldToEnd(): Promise<string> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const signal = await Promise.race(signals.map((name) => once(process, name).then(() => name)));
  const toldMs = performance.now();
  const isMeant = (): boolean => performance.now() - toldMs > ONE_KEY_MS;
  for (const name of signals) process.on(name, () => isMeant() && process.exit(1));
  return signal;
}

/** What may be wrong with a data folder is said there; here is only where it is. */
function explained(thrown: unknown): never {
  if (thrown instanceof HubError) throw thrown;
  throw new HubError('cannot_start', thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

/** Checks all options before anything is created: a typo leaves nothing behind. */
async function checkUpOptions(data: string, hubLimits: Partial<Limits>, serving: ServeOptions): Promise<void> {
  limitsWith(hubLimits);
  const settings = checkServeOptions(serving);
  await createAuthentication(settings.auth, settings.host, { token: () => null });
  // A folder that is there may be another hub's: it has the port too, and is told first.
  if (await isToBeMade(data)) await checkPort(settings);
}

async function isToBeMade(data: string): Promise<boolean> {
  try {
    const [top] = await missingFolders(data);
    await access(top === undefined ? resolve(data) : dirname(top), constants.W_OK | constants.X_OK);
    return top !== undefined;
  } catch (thrown) {
    throw new HubError('bad_data_folder', `${data} cannot be a data folder: ${asError(thrown).message}`, {
      cause: thrown,
    });
  }
}

/** Opened and closed at once. */
async function checkPort({ host, port }: ServeSettings): Promise<void> {
  const server = createServer();
  await listen(server, { host, port });
  await new Promise<void>((closed) => server.close(() => closed()));
}

/** Logs who connects and which sessions begin and end, never what is said. */
function logEvents(hub: LocalHub, log: Logger): void {
  hub.on('agentRegistered', ({ passport: { agent_id, name, kind } }) =>
    log.info('registered', { name, kind, agent_id }),
  );
  hub.on('agentUnregistered', ({ passport: { agent_id, name } }) => log.info('unregistered', { name, agent_id }));
  hub.on('agentBound', ({ name, agent_id }) => log.info('connected', { name, agent_id }));
  hub.on('agentUnbound', ({ name, agent_id, reason }) => log.info('disconnected', { name, agent_id, reason }));
  hub.on('sessionCreated', ({ session }) => log.info('session created', aboutSession(session)));
  hub.on('sessionEnded', ({ session }) =>
    log.info('session ended', { ...aboutSession(session), state: session.state, envelopes: session.head_seq }),
  );
  hub.on('sessionUnavailable', (about) => log.warn('session unavailable', about));
  hub.on('envelopeRedacted', ({ session_id, seq, by }) => log.info('redacted', { session_id, seq, by }));
  hub.on('expectationViolated', ({ session, seq, violation }) =>
    log.info('expectation violated', { session_id: session.session_id, seq, name: violation.name }),
  );
  hub.on('scheduleRan', ({ schedule: { schedule_id } }) => log.info('schedule ran', { schedule_id }));
}

function aboutSession({ session_id, manifest, participants }: SessionMetadata) {
  return { session_id, type: manifest.type, participants: participants.map(({ name }) => name) };
}
