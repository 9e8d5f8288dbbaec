/** Connects one identity and manages its sessions: the common base of agent and human clients. */

import type { InviteAnswer } from '../core/decisions/membership.ts';
import { asError, HubError } from '../core/lib/errors.ts';
import type { JsonObject } from '../core/lib/json.ts';
import { type Logger, silentLog } from '../core/ports/platform.ts';
import type { ForwardedDelta, GapFrame } from '../core/protocol/frames/frames.ts';
import type { OperationName, Params, Result } from '../core/protocol/operations/operations.ts';
import type { SessionSummary } from '../core/protocol/operations/sessions.ts';
import type { RuleChange, RuleRecord } from '../core/records/access/rule.ts';
import type { AgentQuery, FoundAgent } from '../core/records/identity/find-agent.ts';
import type { Resume } from '../core/records/identity/resume.ts';
import type { Skill } from '../core/records/identity/skill.ts';
import type { Envelope } from '../core/records/session/envelope.ts';
import type { SearchMatch } from '../core/records/session/search.ts';
import type { Schedule } from '../core/records/work/schedule.ts';
import {
  type ClientOptions,
  type ClientState,
  checkClientOptions,
  SEARCH_OPTIONS,
  SESSION_QUERY,
  type SearchOptions,
  type SessionQuery,
} from './client-options.ts';
import { Connection } from './connection/connection.ts';
import { type ConnectionEnd, type ConnectionEvents, describeEnd } from './connection/connection-types.ts';
import { bind, type Claim } from './connection/handshake.ts';
import type { CallOptions } from './connection/requests.ts';
import { Inbox } from './lib/inbox.ts';
import { checkOptions, copyCredentials } from './lib/option-checks.ts';
import { pages } from './lib/pages.ts';
import { LocalSessions } from './local-sessions.ts';
import { type Observation, Observations, type ObserveHandler, type ObserveOptions } from './operations/observation.ts';
import {
  AGENT_QUERY,
  aboutAgent,
  type OpenOptions,
  type ResumeOptions,
  type RuleOptions,
  resumeParams,
  ruleParams,
  SCHEDULE_QUERY,
  type ScheduleOptions,
  type ScheduleQuery,
  type ScheduleUpdate,
  scheduleParams,
  toCreateParams,
  updateParams,
} from './operations/params.ts';
import type { SessionHandlers } from './session/handler-queue.ts';
import { Invites } from './session/invites.ts';
import { type ClientHost, markHandled, type UnreadDelivery } from './session/local-session.ts';
import type { Session } from './session/session.ts';

export abstract class Client {
  readonly name: string;
  /** Resolves when the client is closed, by either side. */
  readonly closed: Promise<ConnectionEnd>;
  protected readonly unread: Inbox<UnreadDelivery> = new Inbox(markHandled);
  private readonly options: ClientOptions;
  private readonly credentials: JsonObject;
  private readonly log: Logger;
  private readonly connection: Connection;
  private readonly host: ClientHost;
  private readonly invites: Invites;
  private readonly observations: Observations;
  private readonly rooms: LocalSessions;
  private settleClosed: (end: ConnectionEnd) => void = () => {};

  protected constructor(options: ClientOptions) {
    const { name, credentials = { scheme: 'none' } } = options;
    checkClientOptions(options);
    this.options = options;
    this.credentials = copyCredentials(credentials);
    this.name = name;
    this.log = options.log ?? silentLog;
    this.closed = new Promise((resolve) => {
      this.settleClosed = resolve;
    });
    this.host = this.makeHost();
    this.rooms = new LocalSessions(this.host);
    this.invites = new Invites(this.host, options.onInvite);
    this.observations = this.makeObservations();
    this.connection = new Connection(options.link, options.reconnect ?? null, this.makeEvents(), this.log);
  }

  /** The current handlers; read again for each message. */
  protected abstract handlers(): SessionHandlers;

  get agentId(): string {
    return this.bound(this.connection.agentId);
  }

  /** The hub's time at the first welcome. Envelopes created earlier are older than this client. */
  get welcomedAt(): string {
    return this.bound(this.connection.welcomedAt);
  }

  /** away = the hub is unreachable; requests wait until it is back. */
  get state(): ClientState {
    if (this.connection.end !== null) return 'closed';
    return this.connection.isAway ? 'away' : 'open';
  }

  /** Opens a session with others and joins it. */
  async open(type: string, wanted: OpenOptions['participants'] | OpenOptions): Promise<Session> {
    const { params, call } = toCreateParams(type, wanted);
    const { session, warnings = [] } = await this.call('create_session', params, call);
    const room = this.rooms.at(session.session_id);
    room.know(session);
    room.warnings = warnings;
    for (const warning of warnings) this.log.warn(warning, { session_id: session.session_id });
    return room.session;
  }

  /** The handle of a session you are in; one per session. */
  session(sessionId: string): Session {
    return this.rooms.at(sessionId).session;
  }

  /** Your sessions (with `all`, everybody's), newest first; read in pages. */
  async *sessions(query: SessionQuery = {}): AsyncGenerator<SessionSummary, void, undefined> {
    checkOptions(query, SESSION_QUERY);
    const read = (after?: string) => this.call('list_sessions', { ...query, after });
    for await (const { sessions } of pages(read)) yield* sessions;
  }

  /** Envelopes matching the query in sessions you can read, newest first; read in pages. */
  async *search(query: string, options: SearchOptions = {}): AsyncGenerator<SearchMatch, void, undefined> {
    checkOptions(options, SEARCH_OPTIONS);
    const read = (after?: string) => this.call('search_sessions', { ...options, query, after });
    for await (const { matches } of pages(read)) yield* matches;
  }

  /** Agents that match all criteria, by name; read in pages. */
  async *findAgents(query: AgentQuery = {}): AsyncGenerator<FoundAgent, void, undefined> {
    checkOptions(query, AGENT_QUERY);
    const read = (after?: string) => this.call('find_agent', { ...query, after });
    for await (const { agents } of pages(read)) yield* agents;
  }

  /** The capability profile of an agent, by name or id (default: your own). */
  async resume(agent?: string): Promise<Resume> {
    return this.call('get_resume', aboutAgent(agent));
  }

  /** Changes your profile; creates a new version if anything changes. Omitted fields are kept. */
  async setResume(options: ResumeOptions): Promise<Resume> {
    return this.call('set_resume', resumeParams(options));
  }

  /** The SKILL.md of an agent, written or rendered from its profile (default: your own). */
  async skill(agent?: string): Promise<Skill> {
    return this.call('get_skill', aboutAgent(agent));
  }

  /** Sets your SKILL.md, with or without front matter; null to use the one rendered from your profile. */
  async setSkill(text: string | null): Promise<Skill> {
    return this.call('set_skill', { text });
  }

  /** The access rule of an agent (default: your own); another's requires the grant `rules`. */
  async rule(agent?: string): Promise<RuleRecord> {
    return this.call('get_rule', aboutAgent(agent));
  }

  /**
   * Tightens your access rule. Loosening it, or changing another's, requires the grant `rules`. Omitted fields are kept.
   */
  async setRule(rule: RuleChange, options: RuleOptions = {}): Promise<RuleRecord> {
    return this.call('set_rule', ruleParams(rule, options));
  }

  /** Opens a session at the times of a cron expression, even while you are away. */
  async schedule(name: string, options: ScheduleOptions): Promise<Schedule> {
    return this.call('create_schedule', scheduleParams(name, options));
  }

  /** Your schedules with their next and last runs; read in pages. */
  async *schedules(query: ScheduleQuery = {}): AsyncGenerator<Schedule, void, undefined> {
    checkOptions(query, SCHEDULE_QUERY);
    const read = (after?: string) => this.call('list_schedules', { ...query, after });
    for await (const { schedules } of pages(read)) yield* schedules;
  }

  /** Changes, pauses or resumes a schedule. Omitted fields are kept. */
  async updateSchedule(scheduleId: string, update: ScheduleUpdate): Promise<Schedule> {
    return this.call('update_schedule', updateParams(scheduleId, update));
  }

  /** Deletes a schedule; sessions it opened continue. */
  async deleteSchedule(scheduleId: string): Promise<void> {
    await this.call('delete_schedule', { schedule_id: scheduleId });
  }

  /**
   * Passes every envelope of a session to the handler, once and in order, even across lost links. Requires the grant
   * `observe`. Resolves when the hub has accepted the subscription.
   */
  observe(sessionId: string, handler: ObserveHandler, options: ObserveOptions = {}): Promise<Observation> {
    return this.observations.add(sessionId, handler, options);
  }

  /** Declines an open invite. Not needed if `onInvite` answers invites. */
  async decline(sessionId: string, reason?: string): Promise<InviteAnswer> {
    const answer = await this.call('reject_invite', { session_id: sessionId, reason });
    this.rooms.find(sessionId)?.decline();
    return answer;
  }

  /** Calls any operation of the hub except `register`, with its wire parameters. */
  call<Name extends OperationName>(op: Name, params: Params<Name>, options?: CallOptions): Promise<Result<Name>> {
    if (op === 'register') {
      const message = `${this.name} is already bound; connect another client to register another identity`;
      return Promise.reject(new HubError('already_bound', message));
    }
    return this.connection.call(op, params, options);
  }

  /** Leaves every live session and permanently retires the identity. */
  async unregister(): Promise<void> {
    try {
      await this.call('unregister', {});
    } catch (error) {
      // If the goodbye arrived before the answer, the call succeeded.
      const { end } = this.connection;
      if (end?.by !== 'hub' || end.reason !== 'unregistered') throw error;
    }
    this.close();
  }

  /** Closes the link and wakes all waiters. Unhandled messages are delivered again at the next bind. */
  close(): void {
    this.connection.close();
  }

  protected async start(passport: Claim): Promise<void> {
    const { name, register = true } = this.options;
    const claim = register === true ? passport : register === false ? null : { ...passport, ...register };
    try {
      await bind(this.connection, { name, credentials: this.credentials }, claim);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Offers the open turn of a session. Logs a failure, for example if the session has ended. */
  protected async offerOpenTurn(sessionId: string): Promise<void> {
    const failed = (thrown: unknown): void => this.host.failed('asking for a turn', sessionId, asError(thrown));
    await this.rooms.at(sessionId).offerOpenTurn().catch(failed);
  }

  /** Call when handlers are added. */
  protected wakeRooms(): void {
    this.rooms.wake();
  }

  private bound(known: string | null): string {
    if (known !== null) return known;
    throw new HubError(
      'not_bound',
      `the client ${this.name} is not connected yet; agentId and welcomedAt come with the first welcome`,
    );
  }

  private closedError(end: ConnectionEnd): HubError {
    return new HubError('client_closed', `${this.name}: ${describeEnd(end)}`);
  }

  private makeHost(): ClientHost {
    const client = this;
    return {
      get agentId() {
        return client.agentId;
      },
      ids: this.options.ids,
      unread: this.unread,
      handlers: () => this.handlers(),
      call: (op, params, options) => this.call(op, params, options),
      noticed: (envelope, session) => this.contain('onEvent', () => this.options.onEvent?.(envelope, session)),
      failed: (doing, session_id, error) => this.log.warn(`${doing} failed`, { session_id, error: error.message }),
      sessionEnded: (sessionId) => this.connection.sessionEnded(sessionId),
      show: (delta) => this.connection.show(delta),
      closedError: () => (this.connection.end === null ? null : this.closedError(this.connection.end)),
    };
  }

  private makeObservations(): Observations {
    const client = this;
    return new Observations({
      subscribe: (session_id, after_seq) => this.call('subscribe', { session_id, after_seq }),
      unsubscribe: (session_id) => this.call('unsubscribe', { session_id }),
      failed: (doing, sessionId, error) => this.host.failed(doing, sessionId, error),
      get isClosed() {
        return client.connection.end !== null;
      },
    });
  }

  private makeEvents(): ConnectionEvents {
    return {
      delivered: (delivery) => this.rooms.at(delivery.envelope.session_id).receive(delivery),
      told: (envelope) => this.told(envelope),
      gap: (gap) => this.gap(gap),
      observed: (frame) => this.observations.receive(frame),
      unobserved: (sessionId, error) => this.observations.refused(sessionId, error),
      showed: (delta) => this.showed(delta),
      welcomed: () => this.observations.rebound(),
      openInvites: () => this.invites.open,
      forgotten: (sessionId) => this.rooms.find(sessionId)?.forget(),
      reached: (isReached) => this.contain('onState', () => this.options.onState?.(isReached ? 'open' : 'away')),
      ended: (end) => this.ended(end),
    };
  }

  private gap(gap: GapFrame): void {
    if (gap.reason !== 'epoch') this.rooms.find(gap.session_id)?.giveUp(gap.from_seq, gap.to_seq);
    this.contain('onGap', () => this.options.onGap?.(gap, this.session(gap.session_id)));
  }

  private showed(delta: ForwardedDelta): void {
    if (delta.observed === true) this.observations.showed(delta);
    else this.contain('onDelta', () => this.options.onDelta?.(delta, this.session(delta.session_id)));
  }

  private told(envelope: Envelope): void {
    const room = this.rooms.at(envelope.session_id);
    if (envelope.event_type === 'session.invite') this.invites.receive(envelope, room);
    else room.notice(envelope);
  }

  private ended(end: ConnectionEnd): void {
    const why = this.closedError(end);
    this.rooms.shut(why);
    this.observations.finishAll({ by: 'client' });
    this.unread.close();
    this.settleClosed(end);
    this.contain('onState', () => this.options.onState?.('closed'));
  }

  /** Runs a user callback and logs its error: a failing callback, synchronous or not, must not break the client. */
  private contain(name: string, run: () => unknown): void {
    const threw = (thrown: unknown): void => this.log.warn(`${name} threw`, { error: asError(thrown).message });
    try {
      const result = run();
      if (result instanceof Promise) result.catch(threw);
    } catch (thrown) {
      threw(thrown);
    }
  }
}
