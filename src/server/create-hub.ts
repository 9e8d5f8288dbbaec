/**
 * Creates a hub in this process: the hub, its store, the system's clock, and the built-in session types, views and expectations.
 * This is the door of the server: `LocalHub` is what host applications and other rooms use. serve.ts opens its ports, up.ts runs it
 * as a process of its own, control.ts answers commands beside it.
 */

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
  /** The folder where everything is kept. It is made if it is not there; without it the hub forgets when it stops. */
  readonly data?: string;
  /** A store of your own in place of a folder. */
  readonly store?: Store;
  /** End the process with code 74 when the disk fails, 5 s after everyone was told: for processes that are only a hub. */
  readonly exitOnStoreFailure?: boolean;
  /** Session types beside the built-in ones. */
  // biome-ignore lint/suspicious/noExplicitAny: an adapter's state is known to the adapter alone
  readonly adapters?: readonly SessionAdapter<any>[];
  /** Conditions and targets beside the built-in ones, for the graphs of workflows. */
  readonly conditions?: readonly Condition[];
  readonly targets?: readonly Target[];
  /** Views beside the built-in ones. */
  readonly views?: readonly View[];
  /** Who may do what, in place of the rules; what it leaves out the rules say. */
  readonly arbiter?: Partial<Arbiter>;
  /** Evaluators and handlers of expectations beside the built-in ones. */
  readonly evaluators?: readonly Evaluator[];
  readonly handlers?: readonly ViolationHandler[];
  readonly limits?: Partial<Limits>;
  readonly log?: Logger;
}

/** A hub in this process. */
export interface LocalHub {
  /** Joins as an agent; a name that is not known yet is registered. */
  agent(name: string, options?: LocalAgentOptions): Promise<AgentClient>;
  /** Joins as a person. */
  human(name: string, options?: LocalHumanOptions): Promise<HumanClient>;
  /** A bare link, for a client of your own. */
  connect(): Link;
  /** Opens a port of this machine that leads to the hub: WebSocket, and a little HTTP. `stop` closes it. */
  listen(options?: ServeOptions): Promise<HubServer>;
  /** Makes a token for whoever connects over a port: for one name, or for names that are registered with it. Its secret is told this once. */
  createToken(claim?: TokenClaim): Promise<NewToken>;
  tokens(): readonly TokenRecord[];
  /** Takes a token back; whoever speaks with it is sent away. */
  revokeToken(tokenId: string): Promise<void>;
  /** A new session type. */
  register<State>(adapter: SessionAdapter<State>): void;
  /** A new condition or target for the graphs of workflows. */
  registerCondition(condition: Condition): void;
  registerTarget(target: Target): void;
  /** Takes an active participant (name or id) out of the rotation; it goes on reading and keeps its place. */
  hideParticipant(sessionId: string, agent: string, reason?: string): Promise<InviteAnswer>;
  /** Puts a hidden participant back into its place. */
  returnParticipant(sessionId: string, agent: string): Promise<InviteAnswer>;
  /** Takes a participant out for good. */
  removeParticipant(sessionId: string, agent: string, reason?: string): Promise<InviteAnswer>;
  /** Hides what an envelope says, for good and from everybody; its bytes go at the next archive after its session has ended. */
  redact(sessionId: string, seq: number, reason?: string): Promise<RedactAnswer>;
  /** Lets an agent (name or id) do what only some may: `operate`, `observe`, `rules`, `enrol`, `approve`. */
  grant(agent: string, grants: readonly Grant[]): Promise<readonly Grant[]>;
  /** Takes grants back, from the next request on. */
  revoke(agent: string, grants: readonly Grant[]): Promise<readonly Grant[]>;
  /** With whom an agent (name or id) may talk and how much; it may also allow more than before. What is left out stays. */
  setRule(agent: string, rule: RuleChange): Promise<RuleRecord>;
  /** The schedules of everybody. */
  schedules(): readonly Schedule[];
  /** The sessions it opened go on. */
  deleteSchedule(scheduleId: string): Promise<void>;
  /** A new view. */
  registerView(view: View): void;
  /** A new evaluator of expectations, or handler of their violations. */
  registerEvaluator(evaluator: Evaluator): void;
  registerHandler(handler: ViolationHandler): void;
  on<Name extends HubEventName>(name: Name, listener: HubListener<Name>): () => void;
  health(): Health;
  audit(range?: { readonly after?: number; readonly limit?: number }): Promise<readonly AuditEntry[]>;
  /** Copies everything confirmed so far into an empty folder while the hub goes on; `restoreBackup` makes a data folder of it. */
  backup(folder: string, options?: MaintenanceOptions): Promise<BackupResult>;
  /** Moves sessions that ended before a time out of the journal: disk space is given back, and they stay readable. */
  archive(options: ArchiveOptions): Promise<ArchiveResult>;
  /** Reads everything again, folds it again and compares with what is kept beside the logs. */
  verify(options?: MaintenanceOptions): Promise<StoreVerification>;
  /** Says goodbye to everyone and closes the store. Idempotent. */
  stop(): Promise<void>;
}

export async function createHub(options: CreateHubOptions = {}): Promise<LocalHub> {
  checkHubOptions(options);
  const {
    adapters = [],
    conditions = [],
    targets = [],
    views = [],
    evaluators = [],
    handlers = [],
    arbiter,
    limits,
    log,
  } = options;
  const store = await storeOf(options);
  const hub = await Hub.start({
    store,
    clock: systemClock,
    ids: systemIds,
    secrets: systemSecrets,
    adapters: [consulting, conversation, discussion, workflow, governed, ...adapters],
    conditions: [...CONDITIONS, ...conditions],
    targets: [...TARGETS, ...targets],
    views: [fullTranscript, windowedSummary, tokenBudget, sinceMyLastTurn, ...views],
    ...(arbiter === undefined ? {} : { arbiter }),
    evaluators: [...EVALUATORS, ...evaluators],
    handlers: [...HANDLERS, ...handlers],
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
      checkAgentOptions(more);
      return AgentClient.connect({ ...more, name, link, ids: systemIds });
    },
    async human(name, more = {}) {
      checkHumanOptions(more);
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
      // The hub says goodbye; then the ports wait until that has left.
      const stopped = hub.stop();
      await Promise.all([...ports].map((port) => port.close()));
      await stopped;
    },
  };
}

function tokensOf({ tokens }: Hub): Tokens {
  if (tokens === null) throw new HubError('no_tokens', 'a hub of this process always makes tokens');
  return tokens;
}

const LISTS = ['adapters', 'conditions', 'targets', 'views', 'evaluators', 'handlers'] as const;
const OPTIONS: readonly string[] = ['data', 'store', 'exitOnStoreFailure', ...LISTS, 'arbiter', 'limits', 'log'];

function checkHubOptions(options: CreateHubOptions): void {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw new HubError('bad_options', `${unknown}: there is no such option; there are ${OPTIONS.join(', ')}`);
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
    throw new HubError('bad_options', 'data and store: expected one of them');
  }
  if (store !== undefined && (typeof store.append !== 'function' || typeof store.read !== 'function')) {
    throw new HubError('bad_options', 'store: expected a store (append, read, position, …)');
  }
}

/** A copy inside the folder it is a copy of would go with it. */
function assertOutside(folder: unknown, data: string | undefined): void {
  if (typeof folder !== 'string' || folder === '') {
    throw new HubError('bad_options', `backup: expected the path of a new folder, got ${describeValue(folder)}`);
  }
  const within = relative(resolve(data ?? ''), resolve(folder));
  if (data === undefined || within.startsWith('..') || isAbsolute(within)) return;
  throw new HubError('bad_options', `backup: ${folder} is inside the data folder ${data}; give a folder outside of it`);
}

function dataOf(store: Store): DurableStore {
  if (store instanceof DurableStore) return store;
  throw new HubError('no_data_folder', 'this hub keeps nothing in a folder; give createHub a `data` folder');
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

export function checkAgentOptions(given: LocalAgentOptions): void {
  checkOptions(given, LOCAL_AGENT_OPTIONS);
}

export function checkHumanOptions(given: LocalHumanOptions): void {
  checkOptions(given, LOCAL_HUMAN_OPTIONS);
}

function own<Options extends ClientOptions>({ link: _, ids: __, name: ___, ...rules }: OptionChecks<Options>) {
  return rules;
}

/** EX_IOERR of sysexits.h. */
export const STORE_FAILED_EXIT_CODE = 74;

const STAY_MS = 5_000;

/** Ends the process when everyone was told. The timer keeps it alive: it must not end with another code before. */
function exitAfterFailure(): void {
  setTimeout(() => process.exit(STORE_FAILED_EXIT_CODE), STAY_MS);
}
