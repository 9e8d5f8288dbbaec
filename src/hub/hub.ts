/** Runs a hub in this process: its lifecycle, its links, and the host application's methods. wiring.ts constructs the rooms. */

import type { InviteAnswer } from '../core/decisions/membership.ts';
import { HubError, type WireCode, WireError } from '../core/lib/errors.ts';
import { type Link, linkPair } from '../core/lib/link.ts';
import type { SessionAdapter } from '../core/ports/adapter.ts';
import type { Evaluator, ViolationHandler } from '../core/ports/expectation.ts';
import type { AuditEntry } from '../core/ports/store.ts';
import type { Condition, Target } from '../core/ports/transition.ts';
import type { View } from '../core/ports/view.ts';
import type { Health } from '../core/protocol/operations/console-hub.ts';
import type { RedactAnswer } from '../core/protocol/operations/sessions.ts';
import { hasExpired } from '../core/records/access/credentials.ts';
import type { Grant } from '../core/records/access/grants.ts';
import type { Limits } from '../core/records/access/limits.ts';
import type { RuleChange, RuleRecord } from '../core/records/access/rule.ts';
import type { Schedule } from '../core/records/work/schedule.ts';
import { Connection } from './connection/connection.ts';
import { type SingleRequest, SingleRequests } from './connection/single-request.ts';
import { collectFigures, collectHealth, type Figures } from './reading/console/figures.ts';
import { checkSnapshot } from './reading/log/past-states.ts';
import { LOCAL_PEER, type Peer } from './registry/handshake.ts';
import type { Tokens } from './registry/tokens.ts';
import { Startup } from './startup.ts';
import { recordAudit } from './telemetry/audit.ts';
import { HUB_EVENTS, type HubEventName, type HubListener } from './telemetry/events.ts';
import { type Rooms, type WiringOptions, wire } from './wiring.ts';

export interface HubOptions extends WiringOptions {
  // biome-ignore lint/suspicious/noExplicitAny: an adapter's state is known to the adapter alone
  readonly adapters: readonly SessionAdapter<any>[];
  /** Conditions and targets that transition graphs may name. */
  readonly conditions?: readonly Condition[];
  readonly targets?: readonly Target[];
  readonly views?: readonly View[];
  /** Evaluators and handlers that expectations may name. */
  readonly evaluators?: readonly Evaluator[];
  readonly handlers?: readonly ViolationHandler[];
}

const AUDIT_PAGE = 500;

export class Hub {
  private readonly rooms: Rooms;
  private readonly connections = new Set<Connection>();
  private readonly singles: SingleRequests;
  private state: 'starting' | 'running' | 'stopped' = 'starting';

  private constructor(options: HubOptions, hubId: string) {
    this.rooms = wire(options, hubId, () => this.connections.size);
    for (const adapter of options.adapters) this.rooms.adapters.register(adapter);
    for (const condition of options.conditions ?? []) this.rooms.ruleParts.registerCondition(condition);
    for (const target of options.targets ?? []) this.rooms.ruleParts.registerTarget(target);
    for (const view of options.views ?? []) this.rooms.views.register(view);
    for (const evaluator of options.evaluators ?? []) this.rooms.expectations.registerEvaluator(evaluator);
    for (const handler of options.handlers ?? []) this.rooms.expectations.registerHandler(handler);
    recordAudit(this.rooms);
    this.singles = new SingleRequests(this.rooms);
  }

  /** Opens the hub over its store, without reading heads or histories. */
  static async start(options: HubOptions): Promise<Hub> {
    const known = await options.store.getMeta('hub_id');
    const hubId = typeof known === 'string' ? known : options.ids.hex32();
    if (known !== hubId) await options.store.setMeta('hub_id', hubId);
    const hub = new Hub(options, hubId);
    options.store.onFailure?.((error) => hub.rooms.fail(error));
    const startup = await Startup.load(hub.rooms);
    hub.state = 'running';
    void startup.finish().catch((thrown: unknown) => {
      if (hub.state === 'running')
        hub.rooms.log.error('the start could not complete its recovery', { error: String(thrown) });
    });
    return hub;
  }

  /** Serves a link as a connection; the peer at its other end sends frames. */
  accept(link: Link, peer: Peer = LOCAL_PEER): void {
    if (this.state !== 'running') throw new HubError('hub_stopped', 'the hub is not running');
    const connection = new Connection(this.rooms, link, peer, (closed) => this.connections.delete(closed));
    this.connections.add(connection);
  }

  /** Answers one request without a connection; replaces no binding and rejects only with wire errors. */
  async ask(request: SingleRequest): Promise<unknown> {
    if (this.state !== 'running') throw new WireError('unavailable', 'the hub is stopping', { outcome: 'refused' });
    return this.singles.ask(request);
  }

  /** Counters and current sizes. */
  figures(): Figures {
    return collectFigures(this.rooms, [...this.connections].filter(({ isBackpressured }) => isBackpressured).length);
  }

  /** Counts a request that was rejected before it reached the hub. */
  countRefusal(code: WireCode): void {
    this.rooms.meter.refused(code);
  }

  /** Connects to this hub from inside the process. */
  connect(): Link {
    const [ours, theirs] = linkPair();
    this.accept(ours);
    return theirs;
  }

  /** Adds a listener for durable events; the returned function removes it. */
  on<Name extends HubEventName>(name: Name, listener: HubListener<Name>): () => void {
    if (!HUB_EVENTS.includes(name)) {
      throw new HubError('unknown_event', `the hub has no event "${name}"; it has ${HUB_EVENTS.join(', ')}`);
    }
    return this.rooms.events.on(name, listener);
  }

  /** Adds a session type. Sessions that lacked it become available. */
  register<State>(adapter: SessionAdapter<State>): void {
    this.rooms.adapters.register(adapter);
    void this.rooms.sessions.reloadUnavailable();
  }

  /** Adds a condition for transition graphs. Sessions that lacked it become available. */
  registerCondition(condition: Condition): void {
    this.rooms.ruleParts.registerCondition(condition);
    void this.rooms.sessions.reloadUnavailable();
  }

  /** Adds a target for transition graphs. Sessions that lacked it become available. */
  registerTarget(target: Target): void {
    this.rooms.ruleParts.registerTarget(target);
    void this.rooms.sessions.reloadUnavailable();
  }

  /** Hides an active participant: it gets no turn, but keeps reading and its place in the order. */
  hideParticipant(sessionId: string, agent: string, reason?: string): Promise<InviteAnswer> {
    return this.operating(() => this.rooms.owner.hide(sessionId, agent, reason));
  }

  /** Returns a hidden participant to its place in the order. */
  returnParticipant(sessionId: string, agent: string): Promise<InviteAnswer> {
    return this.operating(() => this.rooms.owner.return(sessionId, agent));
  }

  /** Removes a participant permanently; it receives no later envelopes. */
  removeParticipant(sessionId: string, agent: string, reason?: string): Promise<InviteAnswer> {
    return this.operating(() => this.rooms.owner.remove(sessionId, agent, reason));
  }

  /** Redacts an envelope permanently; the next archive after the session's end removes its bytes. */
  redact(sessionId: string, seq: number, reason?: string): Promise<RedactAnswer> {
    return this.operating(() => this.rooms.redacting.redactByOwner({ session_id: sessionId, seq, reason }));
  }

  /** Adds grants to an agent (name or id); returns all its grants. */
  grant(agent: string, grants: readonly Grant[]): Promise<readonly Grant[]> {
    return this.operating(() => this.rooms.registry.changeGrants(agent, grants, 'grant'));
  }

  /** Revokes grants, effective from the next request; returns the remaining grants. */
  revoke(agent: string, grants: readonly Grant[]): Promise<readonly Grant[]> {
    return this.operating(() => this.rooms.registry.changeGrants(agent, grants, 'revoke'));
  }

  /** Changes the access rule of an agent (name or id); absent members stay as they are. */
  setRule(agent: string, rule: RuleChange): Promise<RuleRecord> {
    return this.operating(() => this.rooms.owner.setRule(agent, rule));
  }

  /** All schedules, by id. */
  schedules(): readonly Schedule[] {
    const { schedules } = this.rooms;
    return schedules.list(null, '').map((definition) => schedules.runs.withRuns(definition));
  }

  /** Deletes a schedule; sessions it has opened continue. */
  async deleteSchedule(scheduleId: string): Promise<void> {
    await this.operating(() => this.rooms.schedules.delete(scheduleId));
  }

  registerView(view: View): void {
    this.rooms.views.register(view);
  }

  /** Adds an evaluator of expectations. Sessions that lacked it become available on their next use. */
  registerEvaluator(evaluator: Evaluator): void {
    this.rooms.expectations.registerEvaluator(evaluator);
    void this.rooms.sessions.reloadUnavailable();
  }

  /** Adds a handler of violations. Sessions that lacked it become available on their next use. */
  registerHandler(handler: ViolationHandler): void {
    this.rooms.expectations.registerHandler(handler);
    void this.rooms.sessions.reloadUnavailable();
  }

  /** Acks a session up to this seq for an agent without a connection. */
  markRead(agentId: string, sessionId: string, seq: number): void {
    void this.rooms.delivery.markRead(agentId, sessionId, seq);
  }

  /** Counts an agent without a connection as present for a while, because it has just made a request. */
  looksIn(agentId: string): void {
    this.rooms.presence.looksIn(agentId);
  }

  /** Runs due deadlines, schedules, retries, cursor writes and eviction. Called once a second. */
  sweep(): void {
    if (this.state !== 'running' || this.rooms.backlog.failed !== null) return;
    const { rooms } = this;
    rooms.deadlines.run(rooms.clock.now());
    rooms.schedules.runs.run(rooms.wall.now());
    rooms.retries.runDue();
    rooms.sessions.evict(rooms.limits.maxLoadedSessions);
    rooms.sessions.slim();
    for (const connection of this.connections) connection.checkSlow();
    const nowMs = rooms.clock.now();
    rooms.bindings.endUnproven((credential) => hasExpired(credential, nowMs));
    rooms.overview.sample();
    this.flushCursors();
  }

  /** Evicts every idle session; the next use loads it again. */
  evictIdle(): void {
    this.rooms.sessions.evict(0);
  }

  /** Folds the log of a session again and compares it with its snapshot; returns the difference, or null. */
  checkSnapshot(sessionId: string): Promise<string | null> {
    return checkSnapshot(this.rooms, sessionId);
  }

  /** null if this hub issues no tokens. */
  get tokens(): Tokens | null {
    return this.rooms.tokens;
  }

  get limits(): Limits {
    return this.rooms.limits;
  }

  health(): Health {
    const health = collectHealth(this.rooms);
    return this.state === 'running'
      ? health
      : { ...health, ready: false, reason: health.reason ?? `the hub is ${this.state}` };
  }

  audit(range: { readonly after?: number; readonly limit?: number } = {}): Promise<readonly AuditEntry[]> {
    return this.rooms.store.readAudit({ after: range.after ?? 0, limit: range.limit ?? AUDIT_PAGE });
  }

  /** Sends goodbyes, writes the cursors, closes the store. Idempotent. */
  async stop(): Promise<void> {
    if (this.state === 'stopped') return;
    this.state = 'stopped';
    for (const connection of [...this.connections]) connection.close('shutdown');
    this.rooms.waiters.stop('the hub is stopping');
    this.rooms.delegations.stop('the hub is stopping');
    await this.rooms.cursors.flush((agentId) => this.rooms.bindings.isBound(agentId)).catch(() => {});
    // Prevent follow-ups of the last units: the next start derives them again.
    this.rooms.backlog.fail(new HubError('hub_stopped', 'the hub is stopped'));
    await this.rooms.store.close();
  }

  private async operating<T>(work: () => Promise<T>): Promise<T> {
    if (this.state !== 'running') throw new HubError('hub_stopped', 'the hub is not running');
    return work();
  }

  private flushCursors(): void {
    const { cursors, bindings, log } = this.rooms;
    cursors
      .flush((agentId) => bindings.isBound(agentId))
      .catch((error: Error) => log.warn('cursors could not be written', { error: error.message }));
  }
}
