/** The hub in a process: its life, what it accepts, and what its owner may ask of it. The rooms are wired in wiring.ts. */

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
import type { Figures } from './reading/console/figures.ts';
import { LOCAL_PEER, type Peer } from './registry/handshake.ts';
import type { Tokens } from './registry/tokens.ts';
import { Startup } from './startup.ts';
import { recordAudit } from './telemetry/audit.ts';
import { HUB_EVENTS, type HubEventName, type HubListener } from './telemetry/events.ts';
import { type Rooms, type WiringOptions, wire } from './wiring.ts';

export interface HubOptions extends WiringOptions {
  // biome-ignore lint/suspicious/noExplicitAny: an adapter's state is known to the adapter alone
  readonly adapters: readonly SessionAdapter<any>[];
  /** What the graphs of workflows may name. */
  readonly conditions?: readonly Condition[];
  readonly targets?: readonly Target[];
  readonly views?: readonly View[];
  /** What expectations of sessions may name. */
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
        hub.rooms.log.error('what was left undone could not be looked at', { error: String(thrown) });
    });
    return hub;
  }

  /** Serves one end of a link; the peer speaks frames. */
  accept(link: Link, peer: Peer = LOCAL_PEER): void {
    if (this.state !== 'running') throw new HubError('hub_stopped', 'the hub is not running');
    const connection = new Connection(this.rooms, link, peer, (closed) => this.connections.delete(closed));
    this.connections.add(connection);
  }

  /** One request without a connection: takes over from nobody, and is answered or refused with a wire error. */
  async ask(request: SingleRequest): Promise<unknown> {
    if (this.state !== 'running') throw new WireError('unavailable', 'the hub is stopping', { outcome: 'refused' });
    return this.singles.ask(request);
  }

  /** How it is doing, in numbers. */
  figures(): Figures {
    return this.rooms.reading.figures([...this.connections].filter(({ isBackpressured }) => isBackpressured).length);
  }

  /** A request was refused before it got here. */
  countRefusal(code: WireCode): void {
    this.rooms.meter.refused(code);
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
    return this.rooms.events.on(name, listener);
  }

  /** A new session type. Sessions that waited for it come alive. */
  register<State>(adapter: SessionAdapter<State>): void {
    this.rooms.adapters.register(adapter);
    void this.rooms.sessions.reloadUnavailable();
  }

  /** A new condition for the graphs of workflows. Sessions that waited for it come alive. */
  registerCondition(condition: Condition): void {
    this.rooms.ruleParts.registerCondition(condition);
    void this.rooms.sessions.reloadUnavailable();
  }

  /** A new target for the graphs of workflows. Sessions that waited for it come alive. */
  registerTarget(target: Target): void {
    this.rooms.ruleParts.registerTarget(target);
    void this.rooms.sessions.reloadUnavailable();
  }

  /** Takes an active participant out of the rotation; it goes on reading and keeps its place. */
  hideParticipant(sessionId: string, agent: string, reason?: string): Promise<InviteAnswer> {
    return this.operating(() => this.rooms.owner.hide(sessionId, agent, reason));
  }

  /** Puts a hidden participant back into its place. */
  returnParticipant(sessionId: string, agent: string): Promise<InviteAnswer> {
    return this.operating(() => this.rooms.owner.return(sessionId, agent));
  }

  /** Takes a participant out for good; what comes later it does not hear. */
  removeParticipant(sessionId: string, agent: string, reason?: string): Promise<InviteAnswer> {
    return this.operating(() => this.rooms.owner.remove(sessionId, agent, reason));
  }

  /** Hides what an envelope says, for good and from everybody; its bytes go at the next archive after the session has ended. */
  redact(sessionId: string, seq: number, reason?: string): Promise<RedactAnswer> {
    return this.operating(() => this.rooms.redacting.redactByOwner({ session_id: sessionId, seq, reason }));
  }

  /** Lets an agent (name or id) do what only some may; answers with all its grants. */
  grant(agent: string, grants: readonly Grant[]): Promise<readonly Grant[]> {
    return this.operating(() => this.rooms.registry.changeGrants(agent, grants, 'grant'));
  }

  /** Takes grants back, from the next request on. */
  revoke(agent: string, grants: readonly Grant[]): Promise<readonly Grant[]> {
    return this.operating(() => this.rooms.registry.changeGrants(agent, grants, 'revoke'));
  }

  /** With whom an agent (name or id) may talk and how much; what is left out stays. */
  setRule(agent: string, rule: RuleChange): Promise<RuleRecord> {
    return this.operating(() => this.rooms.owner.setRule(agent, rule));
  }

  /** Those of everybody, by id. */
  schedules(): readonly Schedule[] {
    const { schedules } = this.rooms;
    return schedules.list(null, '').map((definition) => schedules.runs.withRuns(definition));
  }

  /** The sessions it opened go on. */
  async deleteSchedule(scheduleId: string): Promise<void> {
    await this.operating(() => this.rooms.schedules.delete(scheduleId));
  }

  /** A new view. Sessions that show it can be read with `read_view` from now on. */
  registerView(view: View): void {
    this.rooms.views.register(view);
  }

  /** A new evaluator of expectations. Sessions that waited for it come alive on their next use. */
  registerEvaluator(evaluator: Evaluator): void {
    this.rooms.expectations.registerEvaluator(evaluator);
    void this.rooms.sessions.reloadUnavailable();
  }

  /** A new handler of violations. Sessions that waited for it come alive on their next use. */
  registerHandler(handler: ViolationHandler): void {
    this.rooms.expectations.registerHandler(handler);
    void this.rooms.sessions.reloadUnavailable();
  }

  /** All of a session up to this seq was shown to an agent that has no connection: it counts as acked. */
  markRead(agentId: string, sessionId: string, seq: number): void {
    void this.rooms.delivery.markRead(agentId, sessionId, seq);
  }

  /** An agent that has no connection asks, as one that takes part: it counts as connected for a while. */
  looksIn(agentId: string): void {
    this.rooms.presence.looksIn(agentId);
  }

  /** Everything that time brings: due deadlines, repeats, cursors, eviction. Called once a second. */
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
    rooms.reading.overview.sample();
    this.flushCursors();
  }

  /** Drops every loaded session that is idle. They are folded anew on their next use. */
  evictIdle(): void {
    this.rooms.sessions.evict(0);
  }

  /** Folds the log of a session again and compares it with its snapshot; says what does not agree, or null. */
  checkSnapshot(sessionId: string): Promise<string | null> {
    return this.rooms.reading.checkSnapshot(sessionId);
  }

  /** null = this hub makes none. */
  get tokens(): Tokens | null {
    return this.rooms.tokens;
  }

  get limits(): Limits {
    return this.rooms.limits;
  }

  health(): Health {
    const health = this.rooms.reading.health();
    return this.state === 'running'
      ? health
      : { ...health, ready: false, reason: health.reason ?? `the hub is ${this.state}` };
  }

  audit(range: { readonly after?: number; readonly limit?: number } = {}): Promise<readonly AuditEntry[]> {
    return this.rooms.store.readAudit({ after: range.after ?? 0, limit: range.limit ?? AUDIT_PAGE });
  }

  /** Says goodbye, writes what is left, closes the store. Idempotent. */
  async stop(): Promise<void> {
    if (this.state === 'stopped') return;
    this.state = 'stopped';
    for (const connection of [...this.connections]) connection.close('shutdown');
    this.rooms.waiters.stop('the hub is stopping');
    this.rooms.delegations.stop('the hub is stopping');
    await this.rooms.cursors.flush((agentId) => this.rooms.bindings.isBound(agentId)).catch(() => {});
    // What the last units would cause is not begun: the next start derives it again.
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
