/** The hub: its parts put together, its life, and its public face inside a process. */

import type { SessionAdapter } from '../core/ports/adapter.ts';
import type { Arbiter } from '../core/arbiter.ts';
import { asError, HubError, type WireCode, WireError } from '../core/lib/errors.ts';
import type { Evaluator, ViolationHandler } from '../core/ports/expectation.ts';
import { FewAtATime } from '../core/lib/concurrency-limit.ts';
import type { Grant } from '../core/records/access/grants.ts';
import { type Limits, limitsWith } from '../core/records/access/limits.ts';
import { type Link, linkPair } from '../core/lib/link.ts';
import type { InviteAnswer } from '../core/decisions/membership.ts';
import type { Health, RedactAnswer } from '../core/operations.ts';
import { type Clock, type Ids, type Log, type Secrets, silentLog, type Tracing } from '../core/ports/platform.ts';
import type { RuleChange, RuleRecord } from '../core/records/access/rule.ts';
import type { Schedule } from '../core/records/work/schedule.ts';
import type { NumberedAudit, Store } from '../core/ports/store.ts';
import type { Condition, Target } from '../core/ports/transition.ts';
import type { View } from '../core/ports/view.ts';
import { Adapters } from './extensions/adapters.ts';
import { AskArbiter } from './access/ask-arbiter.ts';
import { keepAudit } from './telemetry/audit.ts';
import { Backlog } from './log/backlog.ts';
import { Bindings } from './bindings.ts';
import { checkSnapshot } from './check-snapshot.ts';
import { Connection } from './connection.ts';
import { CreateKeys } from './create-keys.ts';
import { Cursors } from './delivery/cursors.ts';
import { Delegations } from './tasks/delegations.ts';
import { Deltas } from './deltas.ts';
import { HUB_EVENTS, type HubEventName, type HubListener, Taps } from './telemetry/events.ts';
import { Expectations } from './extensions/expectations.ts';
import { type Figures, figuresOf } from './figures.ts';
import { onDurable } from './follow-up.ts';
import { Gate } from './access/access.ts';
import { Grace } from './deadlines/grace.ts';
import { changeGrants } from './grants.ts';
import { isOver } from './registry/handshake.ts';
import { Inboxes } from './delivery/inboxes.ts';
import { LatestOf } from './lib/lru-cache.ts';
import { LiveIndex } from './sessions/live-index.ts';
import { markRead } from './mark-read.ts';
import { Meter } from './telemetry/meter.ts';
import { Observers } from './observers.ts';
import { bringBack, hide, remove } from './operate.ts';
import { Overview } from './overview.ts';
import type { HubParts } from './parts.ts';
import { PastStates } from './reading/log/past-states.ts';
import { INSIDE, type Peer } from './peer.ts';
import { healthOf } from './perform.ts';
import { Presence } from './presence.ts';
import { Rates } from './access/rates.ts';
import { redactByOwner } from './redact.ts';
import { Redactions } from './sessions/redactions.ts';
import { Registry } from './registry/registry.ts';
import { catchUp, restore } from './restore.ts';
import { Retries } from './retries.ts';
import { setRuleByOwner } from './rule-operations.ts';
import { RuleParts } from './extensions/rule-parts.ts';
import { Schedules } from './schedules/schedules.ts';
import { Sessions } from './sessions/sessions.ts';
import { SinceWhen } from './since-when.ts';
import { type SingleRequest, SingleRequests } from './connection/single-request.ts';
import { Stamper } from './time/stamper.ts';
import { SteadyClock } from './time/steady-clock.ts';
import { Tokens } from './registry/tokens.ts';
import { Views } from './extensions/views.ts';
import { Waiters } from './sessions/waiters.ts';
import { Wakes } from './deadlines/deadlines.ts';
import { Watching } from './deadlines/expectation-monitor.ts';

export interface HubOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  // biome-ignore lint/suspicious/noExplicitAny: an adapter's state is known to the adapter alone
  readonly adapters: readonly SessionAdapter<any>[];
  /** What the graphs of workflows may name. */
  readonly conditions?: readonly Condition[];
  readonly targets?: readonly Target[];
  readonly views?: readonly View[];
  /** Who may do what, in place of the rules; what it leaves out the rules say. */
  readonly arbiter?: Partial<Arbiter>;
  /** What expectations of sessions may name. */
  readonly evaluators?: readonly Evaluator[];
  readonly handlers?: readonly ViolationHandler[];
  /** How secrets are made and kept; without it the hub makes no tokens. */
  readonly secrets?: Secrets;
  readonly log?: Log;
  /** Follows what is posted across programs; absent = nobody does. */
  readonly tracing?: Tracing | null;
  readonly limits?: Partial<Limits>;
}

const AUDIT_PAGE = 500;
const SEARCHES_AT_ONCE = 2;
const LOOKS_AT_ONCE = 2;
/** Sessions whose roles are known without a look at their log. */
const ROLES_KEPT = 4096;

export class Hub {
  private readonly parts: HubParts;
  private readonly connections = new Set<Connection>();
  private readonly singles: SingleRequests;
  private state: 'starting' | 'running' | 'stopped' = 'starting';

  private constructor(options: HubOptions, hubId: string) {
    this.parts = assemble(options, hubId, () => this.connections.size);
    for (const adapter of options.adapters) this.parts.adapters.register(adapter);
    for (const condition of options.conditions ?? []) this.parts.ruleParts.registerCondition(condition);
    for (const target of options.targets ?? []) this.parts.ruleParts.registerTarget(target);
    for (const view of options.views ?? []) this.parts.views.register(view);
    for (const evaluator of options.evaluators ?? []) this.parts.expectations.registerEvaluator(evaluator);
    for (const handler of options.handlers ?? []) this.parts.expectations.registerHandler(handler);
    keepAudit(this.parts);
    this.singles = new SingleRequests(this.parts);
  }

  /** Opens the hub over its store, without reading heads or histories. */
  static async start(options: HubOptions): Promise<Hub> {
    const known = await options.store.getMeta('hub_id');
    const hubId = typeof known === 'string' ? known : options.ids.hex32();
    if (known !== hubId) await options.store.setMeta('hub_id', hubId);
    const hub = new Hub(options, hubId);
    options.store.onFailure?.((error) => hub.parts.fail(error));
    const unfinished = await restore(hub.parts);
    hub.state = 'running';
    void catchUp(hub.parts, unfinished).catch((thrown: unknown) => {
      if (hub.state === 'running')
        hub.parts.log.error('what was left undone could not be looked at', { error: String(thrown) });
    });
    return hub;
  }

  /** Serves one end of a link; the peer speaks frames. */
  accept(link: Link, peer: Peer = INSIDE): void {
    if (this.state !== 'running') throw new HubError('hub_stopped', 'the hub is not running');
    const connection = new Connection(this.parts, link, peer, (closed) => this.connections.delete(closed));
    this.connections.add(connection);
  }

  /** One request without a connection: takes over from nobody, and is answered or refused with a wire error. */
  async ask(request: SingleRequest): Promise<unknown> {
    if (this.state !== 'running') throw new WireError('unavailable', 'the hub is stopping', { outcome: 'refused' });
    return this.singles.ask(request);
  }

  /** How it is doing, in numbers. */
  figures(): Figures {
    return figuresOf(this.parts, [...this.connections].filter(({ isHeldUp }) => isHeldUp).length);
  }

  /** A request was refused before it got here. */
  countRefusal(code: WireCode): void {
    this.parts.meter.refused(code);
  }

  /** A link to this hub inside the process. */
  connect(): Link {
    const [ours, theirs] = linkPair();
    this.accept(ours);
    return theirs;
  }

  /** Listens to what happens, after it is durable; the result stops listening. */
  on<Name extends HubEventName>(name: Name, listener: HubListener<Name>): () => void {
    if (!HUB_EVENTS.includes(name)) {
      throw new HubError('unknown_event', `the hub has no event "${name}"; it has ${HUB_EVENTS.join(', ')}`);
    }
    return this.parts.events.on(name, listener);
  }

  /** A new session type. Sessions that waited for it come alive. */
  register<State>(adapter: SessionAdapter<State>): void {
    this.parts.adapters.register(adapter);
    void this.parts.sessions.reviveLacking();
  }

  /** A new condition for the graphs of workflows. Sessions that waited for it come alive. */
  registerCondition(condition: Condition): void {
    this.parts.ruleParts.registerCondition(condition);
    void this.parts.sessions.reviveLacking();
  }

  /** A new target for the graphs of workflows. Sessions that waited for it come alive. */
  registerTarget(target: Target): void {
    this.parts.ruleParts.registerTarget(target);
    void this.parts.sessions.reviveLacking();
  }

  /** Takes an active participant out of the rotation; it goes on reading and keeps its place. */
  hideParticipant(sessionId: string, agent: string, reason?: string): Promise<InviteAnswer> {
    return this.operating(() => hide(this.parts, { sessionId, agent }, reason));
  }

  /** Puts a hidden participant back into its place. */
  returnParticipant(sessionId: string, agent: string): Promise<InviteAnswer> {
    return this.operating(() => bringBack(this.parts, { sessionId, agent }));
  }

  /** Takes a participant out for good; what comes later it does not hear. */
  removeParticipant(sessionId: string, agent: string, reason?: string): Promise<InviteAnswer> {
    return this.operating(() => remove(this.parts, { sessionId, agent }, reason));
  }

  /** Hides what an envelope says, for good and from everybody; its bytes go at the next archive after the session has ended. */
  redact(sessionId: string, seq: number, reason?: string): Promise<RedactAnswer> {
    return this.operating(() => redactByOwner(this.parts, { session_id: sessionId, seq, reason }));
  }

  /** Lets an agent (name or id) do what only some may; answers with all its grants. */
  grant(agent: string, grants: readonly Grant[]): Promise<readonly Grant[]> {
    return this.operating(() => changeGrants(this.parts, agent, grants, 'grant'));
  }

  /** Takes grants back, from the next request on. */
  revoke(agent: string, grants: readonly Grant[]): Promise<readonly Grant[]> {
    return this.operating(() => changeGrants(this.parts, agent, grants, 'revoke'));
  }

  /** With whom an agent (name or id) may talk and how much; what is left out stays. */
  setRule(agent: string, rule: RuleChange): Promise<RuleRecord> {
    return this.operating(() => setRuleByOwner(this.parts, agent, rule));
  }

  /** Those of everybody, by id. */
  schedules(): readonly Schedule[] {
    const { schedules } = this.parts;
    return schedules.list(null, '').map((definition) => schedules.runs.withRuns(definition));
  }

  /** The sessions it opened go on. */
  async deleteSchedule(scheduleId: string): Promise<void> {
    await this.operating(() => this.parts.schedules.delete(scheduleId));
  }

  /** A new view. Sessions that show it can be read with `read_view` from now on. */
  registerView(view: View): void {
    this.parts.views.register(view);
  }

  /** A new evaluator of expectations. Sessions that waited for it come alive on their next use. */
  registerEvaluator(evaluator: Evaluator): void {
    this.parts.expectations.registerEvaluator(evaluator);
    void this.parts.sessions.reviveLacking();
  }

  /** A new handler of violations. Sessions that waited for it come alive on their next use. */
  registerHandler(handler: ViolationHandler): void {
    this.parts.expectations.registerHandler(handler);
    void this.parts.sessions.reviveLacking();
  }

  /** All of a session up to this seq was shown to an agent that has no connection: it counts as acked. */
  markRead(agentId: string, sessionId: string, seq: number): void {
    void markRead(this.parts, { agentId, sessionId, seq });
  }

  /** An agent that has no connection asks, as one that takes part: it counts as connected for a while. */
  looksIn(agentId: string): void {
    this.parts.presence.looksIn(agentId);
  }

  /** Everything that time brings: due deadlines, repeats, cursors, eviction. Called once a second. */
  sweep(): void {
    if (this.state !== 'running' || this.parts.backlog.failed !== null) return;
    const { parts } = this;
    parts.wakes.run(parts.clock.now());
    parts.schedules.runs.run(parts.wall.now());
    parts.retries.runDue();
    parts.sessions.evict(parts.limits.maxLoadedSessions);
    parts.sessions.slim();
    for (const connection of this.connections) connection.checkSlow();
    const nowMs = parts.clock.now();
    parts.bindings.endUnproven((credential) => isOver(credential, nowMs));
    parts.overview.sample();
    this.flushCursors();
  }

  /** Drops every loaded session that is idle. They are folded anew on their next use. */
  evictIdle(): void {
    this.parts.sessions.evict(0);
  }

  /** Folds the log of a session again and compares it with its snapshot; says what does not agree, or null. */
  checkSnapshot(sessionId: string): Promise<string | null> {
    return checkSnapshot(this.parts, sessionId);
  }

  /** null = this hub makes none. */
  get tokens(): Tokens | null {
    return this.parts.tokens;
  }

  get limits(): Limits {
    return this.parts.limits;
  }

  health(): Health {
    const health = healthOf(this.parts);
    return this.state === 'running'
      ? health
      : { ...health, ready: false, reason: health.reason ?? `the hub is ${this.state}` };
  }

  audit(range: { readonly after?: number; readonly limit?: number } = {}): Promise<readonly NumberedAudit[]> {
    return this.parts.store.readAudit({ after: range.after ?? 0, limit: range.limit ?? AUDIT_PAGE });
  }

  /** Says goodbye, writes what is left, closes the store. Idempotent. */
  async stop(): Promise<void> {
    if (this.state === 'stopped') return;
    this.state = 'stopped';
    for (const connection of [...this.connections]) connection.close('shutdown');
    this.parts.waiters.stop('the hub is stopping');
    this.parts.delegations.stop('the hub is stopping');
    await this.parts.cursors.flush((agentId) => this.parts.bindings.isBound(agentId)).catch(() => {});
    // What the last units would cause is not begun: the next start derives it again.
    this.parts.backlog.fail(new HubError('hub_stopped', 'the hub is stopped'));
    await this.parts.store.close();
  }

  private async operating<T>(work: () => Promise<T>): Promise<T> {
    if (this.state !== 'running') throw new HubError('hub_stopped', 'the hub is not running');
    return work();
  }

  private flushCursors(): void {
    const { cursors, bindings, log } = this.parts;
    cursors
      .flush((agentId) => bindings.isBound(agentId))
      .catch((error: Error) => log.warn('cursors could not be written', { error: error.message }));
  }
}

function assemble(options: HubOptions, hubId: string, countConnections: () => number): HubParts {
  const { store, ids, log = silentLog } = options;
  const clock = new SteadyClock(options.clock);
  const limits = limitsWith(options.limits);
  const backlog = new Backlog(clock, limits);
  const events = new Taps(log);
  const grace = new Grace(clock, options.clock, limits);
  const fail = (thrown: Error): void => {
    if (backlog.failed !== null) return;
    // A store may be anybody's code.
    const error = asError(thrown);
    backlog.fail(error);
    log.error('the store failed; the hub takes no more', { error: error.message });
    parts.waiters.stop(`the hub cannot write: ${error.message}`);
    parts.delegations.stop(`the hub cannot write: ${error.message}`);
    events.emit('storeFailed', { error });
  };
  // Parts that need each other are made last and reached through `parts`, which is complete before any of them is used.
  const parts = {} as Mutable<HubParts>;
  Object.assign(parts, {
    clock,
    wall: options.clock,
    ids,
    log,
    limits,
    store,
    hubId,
    backlog,
    events,
    meter: new Meter(),
    tracing: options.tracing ?? null,
    fail,
    countConnections,
    stamper: new Stamper(clock, ids),
    adapters: new Adapters(),
    ruleParts: new RuleParts(),
    views: new Views(),
    expectations: new Expectations(),
    grace,
    index: new LiveIndex(limits.orphanMs),
    waiters: new Waiters(),
    cursors: new Cursors(store),
    retries: new Retries(clock),
    createKeys: new CreateKeys(),
    opening: new Map(),
    searches: new FewAtATime(SEARCHES_AT_ONCE),
    looks: new FewAtATime(LOOKS_AT_ONCE),
    roles: new LatestOf(ROLES_KEPT),
    starting: new Map(),
    presence: new Presence(clock, limits, grace, (agentId) => parts.bindings.isBound(agentId)),
  } satisfies Partial<HubParts>);
  parts.bindings = new Bindings(parts);
  parts.observers = new Observers(parts);
  parts.deltas = new Deltas(parts);
  parts.sessions = new Sessions(parts, (session, entries, after) => onDurable(parts, session, entries, after));
  parts.redactions = new Redactions(parts);
  parts.registry = new Registry(parts);
  parts.tokens = options.secrets === undefined ? null : new Tokens(parts, options.secrets);
  parts.watching = new Watching(parts);
  parts.wakes = new Wakes(parts);
  parts.delegations = new Delegations(parts);
  parts.arbiter = new AskArbiter(parts, options.arbiter);
  parts.gate = new Gate(parts);
  parts.rates = new Rates(parts);
  parts.inboxes = new Inboxes(parts);
  parts.schedules = new Schedules(parts);
  parts.sinceWhen = new SinceWhen(parts);
  parts.pastStates = new PastStates(parts);
  parts.overview = new Overview(parts);
  return parts;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
