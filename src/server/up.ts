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
  /** Data folder. */
  readonly data: string;
  /** Limits of the hub; `limits` are those of the port. */
  readonly hubLimits?: Partial<Limits>;
  /** Serves conformance fixtures, which run commands, under `/conform/`. Without a token, one is created and kept in the folder. */
  readonly conformance?: { readonly token: string | null } | undefined;
  /** Called with each event, to display it. */
  readonly tell: (event: UpEvent) => void;
  readonly log?: Logger;
  /** Log level on standard error; ignored if `log` is set. */
  readonly logLevel?: string;
  /** Starts the configured agents before the port opens. If it fails, `up` fails. */
  readonly startAgents?: ((hub: LocalHub, log: Logger) => Promise<Closeable>) | undefined;
}

export type ScheduleUpdateKind = 'made' | 'changed' | 'kept' | 'deleted';

/** Runs with the hub and is closed before it. */
export interface Closeable {
  close(): Promise<void>;
}

/** Where fixtures are served. `token_file` is null if the token was passed in. */
export interface ConformanceUp {
  readonly url: string;
  readonly token_file: string | null;
}

/** Events shown to people and printed as JSON. */
export type UpEvent =
  | {
      readonly event: 'listening';
      readonly url: string;
      readonly host: string;
      readonly data: string;
      readonly token_file: string;
      /** Set only if fixtures are served. */
      readonly conformance?: ConformanceUp;
      /** Console URL; null if it is not served. */
      readonly console: string | null;
    }
  | {
      readonly event: 'joined';
      readonly name: string;
      readonly agent_id: string;
      readonly provider: string;
      readonly model: string | null;
    }
  /** A configured participant disconnected; `retry_in_ms` is null if it does not reconnect. */
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

const NO_AGENTS: Closeable = { close: async () => {} };

/** A repeated signal within this time counts as one: a terminal and npm may both forward Ctrl-C. */
const ONE_KEY_MS = 500;

/** Runs a hub until SIGTERM or SIGINT. */
export async function up({
  data,
  hubLimits = {},
  tell,
  logLevel = 'info',
  startAgents,
  conformance,
  ...options
}: UpOptions): Promise<void> {
  const { log = logTo(process.stderr, logLevelOf(logLevel)), ...serving } = options;
  await checkUpOptions(data, hubLimits, {
    ...serving,
    conformance: conformance && { token: conformance.token ?? newToken() },
  });
  // Listen for signals before announcing: a reader of the announcement may send one immediately.
  const signalled = waitForSignal();
  const hub = await createHub({ data, exitOnStoreFailure: true, limits: hubLimits, log }).catch(rethrowAsHubError);
  const createToken = async () => conformance && (await conformanceToken(data, conformance.token));
  const opening = open(hub, serving, createToken, async () => (await startAgents?.(hub, log)) ?? NO_AGENTS);
  const early = await Promise.race([opening.then(() => null), signalled]);
  if (early !== null) return giveUp(early, hub, opening, tell);
  const { port, agents, ...served } = await opening;
  const token_file = await ensureOperatorToken(hub, data);
  const closeControl = await openControl(data, controlHandlers(hub, data), log);
  logEvents(hub, log);
  const { url, host, console } = port;
  tell({ event: 'listening', url, host, data, token_file, console, ...served });
  const signal = await signalled;
  tell({ event: 'stopping', signal });
  await agents.close();
  await closeControl();
  await hub.stop();
  tell({ event: 'stopped' });
}

/** Stops during startup: pending startup steps fail without a hub and close their resources. */
async function giveUp(
  signal: string,
  hub: LocalHub,
  opening: ReturnType<typeof open>,
  tell: UpOptions['tell'],
): Promise<void> {
  tell({ event: 'stopping', signal });
  const closing = opening.then(({ agents }) => agents.close());
  closing.catch(() => {});
  await hub.stop();
  tell({ event: 'stopped' });
}

/** Serves control requests. A backup includes the operator token, as it does without a running hub. */
function controlHandlers(hub: LocalHub, data: string): ControlHandlers {
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
  readonly agents: Closeable;
  readonly conformance?: ConformanceUp;
}

/** Starts agents, token and port. On failure it closes everything it opened. */
async function open(
  hub: LocalHub,
  serving: ServeOptions,
  createToken: () => Promise<ConformanceToken | undefined>,
  startAgents: () => Promise<Closeable>,
): Promise<Opened> {
  let agents = NO_AGENTS;
  try {
    agents = await startAgents();
    const proof = await createToken();
    const port = await hub.listen({ ...serving, conformance: proof && { token: proof.token } });
    if (proof === undefined) return { port, agents };
    const url = port.url.replace(/^ws/, 'http');
    return { port, agents, conformance: { url, token_file: proof.file } };
  } catch (thrown) {
    await agents.close();
    await hub.stop();
    throw thrown;
  }
}

/** Resolves at the first signal. A second one, after a short pause, exits immediately. */
async function waitForSignal(): Promise<string> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const signal = await Promise.race(signals.map((name) => once(process, name).then(() => name)));
  const firstMs = performance.now();
  const isRepeat = (): boolean => performance.now() - firstMs > ONE_KEY_MS;
  for (const name of signals) process.on(name, () => isRepeat() && process.exit(1));
  return signal;
}

/** Turns errors of the data folder into a HubError. */
function rethrowAsHubError(thrown: unknown): never {
  if (thrown instanceof HubError) throw thrown;
  throw new HubError('cannot_start', asError(thrown).message, { cause: thrown });
}

/** Checks all options before anything is created: a typo leaves nothing behind. */
async function checkUpOptions(data: string, hubLimits: Partial<Limits>, serving: ServeOptions): Promise<void> {
  limitsWith(hubLimits);
  const settings = checkServeOptions(serving);
  await createAuthentication(settings.auth, settings.host, { token: () => null });
  // Check the port only for a new folder: an existing one may be in use by a hub, which must be reported first.
  if (await mustBeCreated(data)) await checkPort(settings);
}

async function mustBeCreated(data: string): Promise<boolean> {
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

/** Opens and closes the port to check that it is free. */
async function checkPort({ host, port }: ServeSettings): Promise<void> {
  const server = createServer();
  await listen(server, { host, port });
  await new Promise<void>((closed) => server.close(() => closed()));
}

/** Logs connections and session lifecycles, never content. */
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
