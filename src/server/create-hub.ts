/** Creates a hub in this process, with its store, the system clock, and the built-in session types, views and expectations. */

import { isAbsolute, relative, resolve } from 'node:path';
import { consulting } from 'parley-hub/adapters/consulting';
import { conversation } from 'parley-hub/adapters/conversation';
import { discussion } from 'parley-hub/adapters/discussion';
import { governed } from 'parley-hub/adapters/governed';
import { CONDITIONS, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import { fullTranscript } from 'parley-hub/views/full-transcript';
import { sinceMyLastTurn } from 'parley-hub/views/since-my-last-turn';
import { tokenBudget } from 'parley-hub/views/token-budget';
import { windowedSummary } from 'parley-hub/views/windowed-summary';
import { AGENT_OPTIONS, type AgentOptions } from '../client/agent-client.ts';
import { CLIENT_OPTIONS, type ClientOptions } from '../client/client-options.ts';
import type { HumanOptions } from '../client/human-client.ts';
import { AgentClient, HumanClient } from '../client/index.ts';
import { checkOptions, type OptionChecks } from '../client/lib/option-checks.ts';
import type { InviteAnswer } from '../core/decisions/membership.ts';
import { HubError } from '../core/lib/errors.ts';
import { describeValue } from '../core/lib/json.ts';
import type { Link } from '../core/lib/link.ts';
import type { SessionAdapter } from '../core/ports/adapter.ts';
import type { Arbiter } from '../core/ports/arbiter.ts';
import type { Evaluator, ViolationHandler } from '../core/ports/expectation.ts';
import { type Logger, silentLog } from '../core/ports/platform.ts';
import type { AuditEntry, Store } from '../core/ports/store.ts';
import type { Condition, Target } from '../core/ports/transition.ts';
import type { View } from '../core/ports/view.ts';
import type { Health } from '../core/protocol/operations/console-hub.ts';
import type { RedactAnswer } from '../core/protocol/operations/sessions.ts';
import type { Grant } from '../core/records/access/grants.ts';
import { type Limits, limitsWith } from '../core/records/access/limits.ts';
import type { RuleChange, RuleRecord } from '../core/records/access/rule.ts';
import { parseTokenClaim } from '../core/records/access/token-schema.ts';
import type { NewToken, TokenClaim, TokenRecord } from '../core/records/access/tokens.ts';
import type { Schedule } from '../core/records/work/schedule.ts';
import { Hub } from '../hub/hub.ts';
import { MemoryStore } from '../hub/log/memory-store.ts';
import type { Tokens } from '../hub/registry/tokens.ts';
import type { HubEventName, HubListener } from '../hub/telemetry/events.ts';
import { DurableStore } from '../store/durable-store.ts';
import type { ArchiveOptions, ArchiveResult } from '../store/maintenance/archive.ts';
import type { BackupResult } from '../store/maintenance/backup.ts';
import type { MaintenanceOptions } from '../store/maintenance/maintenance-types.ts';
import type { StoreVerification } from '../store/maintenance/verify.ts';
import { openStore } from '../store/open-store.ts';
import { reportRecovery } from '../store/recover.ts';
import { systemClock } from '../system/clock.ts';
import { everySecond } from '../system/every-second.ts';
import { systemIds, systemSecrets } from '../system/ids.ts';
import type { ServeOptions } from './port/serve-options.ts';
import { type HubServer, serve } from './serve.ts';
import { servedHub } from './served-hub.ts';
import { openTelemetry } from './telemetry/tracing.ts';

export interface CreateHubOptions {
  /** Data folder, created if missing; without it the hub keeps everything in memory. */
  readonly data?: string;
  /** Custom store instead of a data folder. */
  readonly store?: Store;
  /** Exit the process with code 74, 5 s after the store fails: for processes that only run a hub. */
  readonly exitOnStoreFailure?: boolean;
  /** Session types in addition to the built-in ones. */
  // biome-ignore lint/suspicious/noExplicitAny: an adapter's state is known to the adapter alone
  readonly adapters?: readonly SessionAdapter<any>[];
  /** Conditions and targets for workflow graphs in addition to the built-in ones. */
  readonly conditions?: readonly Condition[];
  readonly targets?: readonly Target[];
  /** Views in addition to the built-in ones. */
  readonly views?: readonly View[];
  /** Policy asked before decisions; the access rules decide what it does not. */
  readonly arbiter?: Partial<Arbiter>;
  /** Evaluators and handlers of expectations in addition to the built-in ones. */
  readonly evaluators?: readonly Evaluator[];
  readonly handlers?: readonly ViolationHandler[];
  readonly limits?: Partial<Limits>;
  readonly log?: Logger;
}

export interface LocalHub {
  /** Joins as an agent and registers the name if it is new. */
  agent(name: string, options?: LocalAgentOptions): Promise<AgentClient>;
  /** Joins as a person. */
  human(name: string, options?: LocalHumanOptions): Promise<HumanClient>;
  /** Bare link for a custom client. */
  connect(): Link;
  /** Opens a port for WebSocket and HTTP; `stop` closes it. */
  listen(options?: ServeOptions): Promise<HubServer>;
  /** Creates a token for one name, or for the names registered with it. The secret is returned only here. */
  createToken(claim?: TokenClaim): Promise<NewToken>;
  tokens(): readonly TokenRecord[];
  /** Revokes a token and disconnects every client that uses it. */
  revokeToken(tokenId: string): Promise<void>;
  register<State>(adapter: SessionAdapter<State>): void;
  registerCondition(condition: Condition): void;
  registerTarget(target: Target): void;
  /** Hides an active participant (name or id): it keeps reading and keeps its place, but gets no turns. */
  hideParticipant(sessionId: string, agent: string, reason?: string): Promise<InviteAnswer>;
  /** Returns a hidden participant to its place. */
  returnParticipant(sessionId: string, agent: string): Promise<InviteAnswer>;
  /** Removes a participant permanently. */
  removeParticipant(sessionId: string, agent: string, reason?: string): Promise<InviteAnswer>;
  /** Permanently removes an envelope's content; its bytes leave the disk at the next archive after the session ended. */
  redact(sessionId: string, seq: number, reason?: string): Promise<RedactAnswer>;
  grant(agent: string, grants: readonly Grant[]): Promise<readonly Grant[]>;
  /** Revokes grants, effective from the next request. */
  revoke(agent: string, grants: readonly Grant[]): Promise<readonly Grant[]>;
  /** Changes an agent's access rule (name or id); may also loosen it. Omitted fields stay unchanged. */
  setRule(agent: string, rule: RuleChange): Promise<RuleRecord>;
  /** Schedules of all agents. */
  schedules(): readonly Schedule[];
  /** Deletes a schedule; sessions it opened continue. */
  deleteSchedule(scheduleId: string): Promise<void>;
  registerView(view: View): void;
  registerEvaluator(evaluator: Evaluator): void;
  registerHandler(handler: ViolationHandler): void;
  on<Name extends HubEventName>(name: Name, listener: HubListener<Name>): () => void;
  health(): Health;
  audit(range?: { readonly after?: number; readonly limit?: number }): Promise<readonly AuditEntry[]>;
  /** Copies all durable data to an empty folder while the hub runs; `restoreBackup` turns the copy into a data folder. */
  backup(folder: string, options?: MaintenanceOptions): Promise<BackupResult>;
  /** Moves sessions that ended before a time out of the journal; they stay readable. */
  archive(options: ArchiveOptions): Promise<ArchiveResult>;
  /** Reads and folds all logs again and compares the result with the snapshots. */
  verify(options?: MaintenanceOptions): Promise<StoreVerification>;
  /** Says goodbye to every client and closes the store. Idempotent. */
  stop(): Promise<void>;
}

export async function createHub(options: CreateHubOptions = {}): Promise<LocalHub> {
  checkHubOptions(options);
  const { arbiter, limits, log } = options;
  const store = await storeOf(options);
  const hub = await Hub.start({
    store,
    clock: systemClock,
    ids: systemIds,
    secrets: systemSecrets,
    adapters: [consulting, conversation, discussion, workflow, governed, ...(options.adapters ?? [])],
    conditions: [...CONDITIONS, ...(options.conditions ?? [])],
    targets: [...TARGETS, ...(options.targets ?? [])],
    views: [fullTranscript, windowedSummary, tokenBudget, sinceMyLastTurn, ...(options.views ?? [])],
    ...(arbiter === undefined ? {} : { arbiter }),
    evaluators: [...EVALUATORS, ...(options.evaluators ?? [])],
    handlers: [...HANDLERS, ...(options.handlers ?? [])],
    tracing: await openTelemetry(),
    ...(limits === undefined ? {} : { limits }),
    ...(log === undefined ? {} : { log }),
  }).catch(async (thrown: unknown) => {
    await store.close();
    throw thrown;
  });
  if (options.exitOnStoreFailure === true) hub.on('storeFailed', exitAfterFailure);
  const stopTicking = everySecond(() => hub.sweep());
  const link = () => hub.connect();
  const ports = new Set<HubServer>();
  const tokens = tokensOf(hub);
  return {
    async agent(name, more = {}) {
      checkOptions(more, LOCAL_AGENT_OPTIONS);
      return AgentClient.connect({ ...more, name, link, ids: systemIds });
    },
    async human(name, more = {}) {
      checkOptions(more, LOCAL_HUMAN_OPTIONS);
      return HumanClient.connect({ ...more, name, link, ids: systemIds });
    },
    connect: link,
    async listen(more) {
      const port = await serve(servedHub(hub, log), more);
      ports.add(port);
      return port;
    },
    createToken: async (claim = {}) => tokens.create(parseTokenClaim(claim), null),
    tokens: () => [...tokens.list('')],
    revokeToken: async (tokenId) => void (await tokens.revoke(tokenId)),
    register: (adapter) => hub.register(adapter),
    registerCondition: (condition) => hub.registerCondition(condition),
    registerTarget: (target) => hub.registerTarget(target),
    hideParticipant: (sessionId, agent, reason) => hub.hideParticipant(sessionId, agent, reason),
    returnParticipant: (sessionId, agent) => hub.returnParticipant(sessionId, agent),
    removeParticipant: (sessionId, agent, reason) => hub.removeParticipant(sessionId, agent, reason),
    redact: (sessionId, seq, reason) => hub.redact(sessionId, seq, reason),
    grant: (agent, grants) => hub.grant(agent, grants),
    revoke: (agent, grants) => hub.revoke(agent, grants),
    setRule: (agent, rule) => hub.setRule(agent, rule),
    schedules: () => hub.schedules(),
    deleteSchedule: (scheduleId) => hub.deleteSchedule(scheduleId),
    registerView: (view) => hub.registerView(view),
    registerEvaluator: (evaluator) => hub.registerEvaluator(evaluator),
    registerHandler: (handler) => hub.registerHandler(handler),
    on: (name, listener) => hub.on(name, listener),
    health: () => hub.health(),
    audit: (range) => hub.audit(range),
    backup: async (folder, more) => {
      const to = dataOf(store);
      assertOutside(folder, options.data);
      return to.backup(folder, more);
    },
    archive: async (more) => dataOf(store).archive(more),
    verify: async (more) =>
      dataOf(store).verify({ ...more, checkSession: (sessionId) => hub.checkSnapshot(sessionId) }),
    async stop() {
      stopTicking();
      // Stop the hub first, so that it says goodbye; the ports then wait until the goodbyes are sent.
      const stopped = hub.stop();
      await Promise.all([...ports].map((port) => port.close()));
      await stopped;
    },
  };
}

function tokensOf({ tokens }: Hub): Tokens {
  if (tokens === null) throw new HubError('no_tokens', 'this hub was started without a token registry');
  return tokens;
}

const LISTS = ['adapters', 'conditions', 'targets', 'views', 'evaluators', 'handlers'] as const;
const OPTIONS: readonly string[] = ['data', 'store', 'exitOnStoreFailure', ...LISTS, 'arbiter', 'limits', 'log'];

function checkHubOptions(options: CreateHubOptions): void {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw new HubError('bad_options', `${unknown}: unknown option; valid options: ${OPTIONS.join(', ')}`);
  }
  for (const name of LISTS) {
    const list = options[name] ?? [];
    if (Array.isArray(list)) continue;
    throw new HubError('bad_options', `${name}: expected a list of ${name}, got ${describeValue(list)}`);
  }
  limitsWith(options.limits);
  const { data, store } = options;
  if (data !== undefined && (typeof data !== 'string' || data === '')) {
    throw new HubError('bad_options', `data: expected the path of a folder, got ${describeValue(data)}`);
  }
  if (data !== undefined && store !== undefined) {
    throw new HubError('bad_options', 'data and store: expected only one of them');
  }
  if (store !== undefined && (typeof store.append !== 'function' || typeof store.read !== 'function')) {
    throw new HubError('bad_options', 'store: expected a store (append, read, position, …)');
  }
}

/** Reject a backup folder inside the data folder: it would be lost with the data. */
function assertOutside(folder: unknown, data: string | undefined): void {
  if (typeof folder !== 'string' || folder === '') {
    throw new HubError('bad_options', `backup: expected the path of a new folder, got ${describeValue(folder)}`);
  }
  const within = relative(resolve(data ?? ''), resolve(folder));
  if (data === undefined || within.startsWith('..') || isAbsolute(within)) return;
  throw new HubError('bad_options', `backup: ${folder} is inside the data folder ${data}; choose a folder outside it`);
}

function dataOf(store: Store): DurableStore {
  if (store instanceof DurableStore) return store;
  throw new HubError('no_data_folder', 'this hub has no data folder; pass `data` to createHub');
}

async function storeOf({ data, store, log = silentLog }: CreateHubOptions): Promise<Store> {
  if (data === undefined) return store ?? new MemoryStore();
  const onDamage = (log_id: string, damaged_from: number, error: Error): void =>
    log.error('a log is damaged', { log_id, damaged_from, error: error.message });
  const opened = await openStore(data, { onDamage });
  reportRecovery(opened.recovery, opened.store, log);
  return opened.store;
}

export type LocalAgentOptions = Omit<AgentOptions, 'link' | 'ids' | 'name'>;
export type LocalHumanOptions = Omit<HumanOptions, 'link' | 'ids' | 'name'>;

const LOCAL_AGENT_OPTIONS: OptionChecks<LocalAgentOptions> = own(AGENT_OPTIONS);
const LOCAL_HUMAN_OPTIONS: OptionChecks<LocalHumanOptions> = own(CLIENT_OPTIONS);

function own<Options extends ClientOptions>({ link: _, ids: __, name: ___, ...rules }: OptionChecks<Options>) {
  return rules;
}

/** The exit code EX_IOERR of sysexits.h. */
export const STORE_FAILED_EXIT_CODE = 74;

const EXIT_DELAY_MS = 5_000;
/** Exits once clients have been notified. The timer keeps the process alive so it cannot end earlier with another code. */
function exitAfterFailure(): void {
  setTimeout(() => process.exit(STORE_FAILED_EXIT_CODE), EXIT_DELAY_MS);
}
