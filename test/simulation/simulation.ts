/**
 * One history: a real hub on a simulated clock, disk and network, random operations, and all laws checked after every
 * step.
 */

import { consulting } from 'parley-hub/adapters/consulting';
import { conversation } from 'parley-hub/adapters/conversation';
import { discussion } from 'parley-hub/adapters/discussion';
import { governed } from 'parley-hub/adapters/governed';
import { CONDITIONS, TARGETS } from 'parley-hub/adapters/transition-graph';
import { workflow } from 'parley-hub/adapters/workflow';
import {
  type CreatedData,
  canonicalJson,
  type Entry,
  type Envelope,
  isTerminal,
  type JsonObject,
  type ResponseFrame,
  type Result,
  type SessionAdapter,
  type View,
  type Violation,
  WireError,
} from 'parley-hub/core';
import { EVALUATORS, HANDLERS } from 'parley-hub/expectations/built-in';
import { fullTranscript } from 'parley-hub/views/full-transcript';
import { sinceMyLastTurn } from 'parley-hub/views/since-my-last-turn';
import { tokenBudget } from 'parley-hub/views/token-budget';
import { windowedSummary } from 'parley-hub/views/windowed-summary';
import type { SessionState } from '../../src/core/state/state.ts';
import { Hub } from '../../src/hub/hub.ts';
import type { Rooms } from '../../src/hub/wiring.ts';
import { FaultyStore } from '../../src/testing/doubles/faulty-store.ts';
import { SimClock } from '../../src/testing/doubles/sim-clock.ts';
import { quiet, seededIds } from '../../src/testing/doubles/world.ts';
import { type Random, seededRandom } from '../../src/testing/lib/random.ts';
import { isOfLimit } from './accept-laws.ts';
import { AckBook } from './ack-book.ts';
import { checkCatalogued } from './catalogue-laws.ts';
import { checkTrees } from './delegation-laws.ts';
import { DiskStore } from './disk-store.ts';
import { GraceModel } from './grace-model.ts';
import { LateStore } from './late-store.ts';
import { holds } from './law-broken.ts';
import { LogModel, same } from './log-model.ts';
import type { Wire } from './network.ts';
import { panel } from './panel.ts';
import { RuleBook } from './rule-book.ts';
import { ScheduleBook } from './schedule-laws.ts';
import { endSchedules } from './schedule-operations.ts';
import { type Asked, SimClient } from './sim-client.ts';
import type { SimulatedStore } from './simulated-store.ts';
import { SweepBook } from './sweep-book.ts';
import { ViewBook } from './view-book.ts';
import { createdMs } from './waits-model.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly store?: SimulatedStore;
  /** Mutants of the views. */
  readonly views?: readonly View[];
  /** A mutant of the hub, called with the rooms of each hub that starts. */
  readonly tamper?: (rooms: Rooms) => void;
  /** A mutant of the network. */
  readonly disturb?: (wire: Wire, random: Random) => void;
  readonly onOperation?: (line: string) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: an adapter's state is known to the adapter alone
const ADAPTERS: readonly SessionAdapter<any>[] = [consulting, conversation, discussion, workflow, governed, panel];
const views = [fullTranscript, windowedSummary, tokenBudget, sinceMyLastTurn];
const mutating = new Set([
  'post',
  'create_session',
  'ack_invite',
  'reject_invite',
  'close_session',
  'add_participant',
  'leave_session',
  'set_resume',
  'register',
  'unregister',
]);

/** The members of results that are checked; which exist depends on the operation. */
interface PeekedResult {
  readonly duplicate?: true;
  readonly seq: number;
  readonly envelope_id: string;
  readonly envelopes: readonly { readonly seq: number }[];
  readonly session: { readonly session_id: string; readonly head_seq: number };
  readonly sessions: readonly {
    readonly session_id: string;
    readonly head_seq: number;
    readonly state: string;
    readonly turn: unknown;
  }[];
}

const DOWN_MS = [0, 0, 0, 1_000, 20_000, 120_000];

export class Simulation {
  readonly random: Random;
  readonly clock = new SimClock();
  readonly model: LogModel;
  readonly clients: SimClient[];
  readonly counts = new Map<string, number>();
  /** The operations so far, printed when a law breaks. */
  readonly history: string[] = [];
  store: SimulatedStore;
  readonly acks = new AckBook();
  readonly views: ViewBook;
  private readonly schedules = new ScheduleBook();
  readonly rules: RuleBook;
  /** Agents with the grant `rules`. */
  readonly rulers = new Set<string>();
  /** Rejected posts without a repeat: none may ever be in a log. */
  private readonly refused = new Map<string, string>();
  private readonly askedKeys = new Map<string, number>();
  readonly grace = new GraceModel(this.clock);
  readonly sweeps: SweepBook;
  /** The disk has failed; only a crash helps. */
  failed = false;
  private hub!: Hub;
  private readonly ids: ReturnType<typeof seededIds>;
  private readonly options: SimulationOptions;
  private wires = new Map<Wire, SimClient>();
  /** The seq answered for each key. */
  private readonly answeredKeys = new Map<string, number>();
  /** The newest answered version of each profile. */
  private readonly resumes = new Map<string, { readonly version: number; readonly text: string }>();
  private generation = 0;
  private readonly checked = new Map<string, SessionState>();
  /** A law broken inside a call of the hub, which would contain a throw; thrown at the next check. */
  private broken: unknown = null;
  private names = 0;

  constructor(options: SimulationOptions) {
    this.options = options;
    this.model = new LogModel(ADAPTERS);
    this.views = new ViewBook(this.model);
    this.rules = new RuleBook(this.model, this.acks, this.clock);
    this.sweeps = new SweepBook(this.model, this.grace, this.clock);
    this.random = seededRandom(options.seed);
    this.ids = seededIds(options.seed);
    this.store = options.store ?? new FaultyStore();
    this.clients = ['ann', 'bob', 'cid', 'dee'].map((name) => new SimClient(this, name));
  }

  async start(): Promise<void> {
    await this.openHub();
    for (const client of this.clients) client.connect(false);
    await this.flow();
  }

  get rooms(): Rooms {
    // L3 and L6 are about what the hub holds, so the checker looks inside.
    return (this.hub as unknown as { rooms: Rooms }).rooms;
  }

  count(kind: string, more = 1): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + more);
  }

  note(line: string): void {
    this.history.push(line);
    this.options.onOperation?.(line);
  }

  freshName(): string {
    this.names += 1;
    return `new${this.names}`;
  }

  /** A library call; it may be rejected, and the hub may die before it answers. */
  operate(call: (hub: Hub) => Promise<unknown>): void {
    call(this.hub).then(
      () => this.count('operated'),
      (error: Error) => this.count(`refused ${error instanceof WireError ? error.code : error.name}`),
    );
  }

  serve(client: SimClient, wire: Wire): void {
    this.wires.set(wire, client);
    const send = wire.hubEnd.send;
    this.hub.accept({
      ...wire.hubEnd,
      send: (text) => {
        if (wire.open) this.guard(() => client.checkSent(text, wire));
        send(text);
        this.options.disturb?.(wire, this.random);
      },
    });
  }

  // Network and disk.

  /** Moves messages and syncs the disk, more or less. */
  async breathe(): Promise<void> {
    const { random } = this;
    await quiet();
    if (random.chance(0.6)) this.sync();
    else if (random.chance(0.3) && this.store.stagedUnits() > 1) {
      this.count('synced in part');
      this.store.sync(1 + random.below(this.store.stagedUnits()));
      this.acks.synced(this.store instanceof DiskStore);
    }
    await quiet();
    const most = random.chance(0.7) ? 1000 : random.below(3);
    for (const wire of [...this.wires.keys()]) wire.move(most);
    await quiet();
  }

  /** Until nothing moves any more. */
  async flow(): Promise<void> {
    for (let moved = true; moved; ) {
      await quiet();
      moved = this.store.stagedUnits() > 0 && !this.failed;
      this.sync();
      await quiet();
      for (const wire of [...this.wires.keys()]) moved = wire.move(1000) || moved;
      moved ||= this.store instanceof LateStore && this.store.pending > 0;
    }
    await quiet();
  }

  sync(): void {
    if (this.failed) return;
    this.store.sync();
    this.acks.synced(this.store instanceof DiskStore);
  }

  sweep(): void {
    if (this.failed) return;
    // A firing decided before a jump that could not be written is decided again, and then held back.
    if (this.grace.tick()) this.sweeps.forget();
    this.model.follow(this.store);
    this.sweeps.sweeps(() => true);
    this.hub.sweep();
    this.acks.cursorsWritten();
  }

  /** Lets time pass, with everything that follows. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    this.sweep();
    await this.flow();
    this.check();
  }

  /** Sets the wall clock by this much. */
  setClock(ms: number): void {
    const fromMs = this.clock.now();
    this.clock.jump(ms);
    if (ms < 0) this.model.setBacks.push({ fromMs, toMs: this.clock.now() });
  }

  evict(): void {
    this.hub.evictIdle();
  }

  async crash(keep: () => boolean): Promise<void> {
    for (const wire of this.wires.keys()) wire.hubDied();
    const perhaps = () => this.random.chance(0.5);
    this.countSnapshots();
    this.store = await this.store.crash(keep, perhaps, perhaps);
    await this.reborn();
    this.acks.crashed();
  }

  /** A clean stop keeps every ack. */
  async restart(): Promise<void> {
    await this.flow();
    await this.hub.stop();
    for (const wire of this.wires.keys()) wire.hubDied();
    this.countSnapshots();
    this.store = await this.store.crash(
      () => true,
      () => true,
      () => true,
    );
    await this.reborn();
    this.acks.stopped();
  }

  cut(client: SimClient): void {
    if (client.wire !== null) client.wire.cut();
    this.prune();
  }

  /** The client gives up its connection without closing it. */
  abandon(client: SimClient): void {
    const { wire } = client;
    if (wire === null) return;
    wire.clientEnd.onMessage(() => {});
    wire.clientEnd.onClose(() => {});
    client.leave();
  }

  /** The turn after an envelope of another writer. */
  entryAfter(before: SessionState, envelope: Envelope): Entry {
    const { turn, due_at } = this.model.fold(before, envelope).head;
    return due_at === null ? { envelope, turn } : { envelope, turn, due: due_at };
  }

  // The checker.

  /** A client claims everything up to `seq`. */
  claimed(agentId: string, session: string, seq: number): void {
    for (const owed of this.model.owed(session, agentId)) if (owed <= seq) this.acks.claim(agentId, session, owed);
  }

  /** A response leaves the hub: it must depend only on what is on disk, even a rejection. */
  checkResponse(client: SimClient, asked: Asked | undefined, frame: ResponseFrame): void {
    if (asked === undefined) return;
    const session = String(asked.params.session_id ?? '');
    const durable = this.store.durableEntries(session);
    if (!frame.ok) {
      const { code, details } = frame.error;
      if (asked.op === 'post') this.checkRefusedPost(client, asked, code);
      if (code === 'duplicate' && details?.seq !== undefined) {
        holds(
          Number(details.seq) <= durable.length,
          'L1',
          () => `a refusal tells of ${session} seq ${String(details.seq)}`,
        );
      }
      if (code === 'conflict' && details?.head !== undefined) {
        holds(
          Number(details.head) <= durable.length,
          'L1',
          () => `a refusal tells of ${session} head ${String(details.head)}`,
        );
      }
      if (code === 'session_closed' && asked.op === 'post') {
        const ended = durable.some(({ envelope }) =>
          ['session.closing', 'session.closed', 'session.expired'].includes(envelope.event_type),
        );
        holds(ended, 'L1', () => `${session} is said to be closed, but its log is not`);
      }
      return;
    }
    // Results match the operation table.
    const result = frame.result as PeekedResult;
    if (mutating.has(asked.op) && this.failed)
      holds(
        result.duplicate === true || !this.changed(asked),
        'L10',
        () => `${asked.op} was acked by a hub that cannot write`,
      );
    if (asked.op === 'post') this.checkPosted(client, asked, result);
    if (asked.op === 'read_log') {
      for (const envelope of result.envelopes) {
        holds(
          same(durable[envelope.seq - 1]?.envelope, envelope),
          'L1',
          () => `read_log shows ${session} seq ${envelope.seq}, which is not on disk`,
        );
      }
    }
    if (asked.op === 'read_view') this.checkView(client, session, frame.result as Result<'read_view'>);
    if (asked.op === 'get_session' || asked.op === 'create_session') this.checkMetadata(result.session);
    if (asked.op === 'list_sessions') for (const one of result.sessions) this.checkSummary(one);
  }

  /** Posts and task starts share their keys. */
  asking(client: SimClient, { params }: Asked): void {
    if (typeof params.session_id !== 'string' || typeof params.idempotency_key !== 'string') return;
    const name = keyName(client, params);
    this.askedKeys.set(name, (this.askedKeys.get(name) ?? 0) + 1);
    this.refused.delete(name);
  }

  /** A rejection has no side effects. */
  private checkRefusedPost(client: SimClient, { params, moment }: Asked, code: string): void {
    this.model.follow(this.store);
    this.rules.follow(this.store);
    const session = String(params.session_id);
    this.rules.checkRefused(client.agentId ?? '', { session, audience: params.audience ?? null, since: moment }, code);
    if (typeof params.idempotency_key !== 'string' || code === 'unavailable') return;
    const name = keyName(client, params);
    if (this.askedKeys.get(name) === 1) this.refused.set(name, code);
  }

  checkOverflow(agentId: string, session: string, seq: number): void {
    this.model.follow(this.store);
    this.rules.follow(this.store);
    this.rules.checkOverflow(agentId, session, seq);
  }

  private checkTraces(): void {
    for (const [name, code] of this.refused) {
      const [agentId, session = '', key] = name.split(' ');
      const seq = this.model.sessions.get(session)?.keys.get(`${agentId} ${key}`);
      holds(seq === undefined, 'L4', () => `${name} was refused as ${code}, and is in the log at seq ${seq}`);
    }
  }

  /** The client has received the answer. */
  answered(client: SimClient, asked: Asked, frame: ResponseFrame): void {
    const key = asked.params.idempotency_key;
    if (!frame.ok) {
      this.count(`refused ${frame.error.code}`);
      // The answer to an earlier registration was lost.
      if (asked.op === 'register' && frame.error.code === 'conflict' && asked.params.name === client.name)
        client.hello(false);
      if (frame.error.code === 'unavailable' && key !== undefined) client.unanswered.push(asked);
      return;
    }
    if (asked.op === 'register') this.count('registered');
    const result = frame.result as {
      seq?: number;
      duplicate?: true;
      session?: { session_id: string };
      agent_id?: string;
    };
    if (result.duplicate) this.count(asked.op === 'post' ? 'repeat answered' : 'create repeated');
    if (asked.op === 'create_session' && result.session !== undefined) client.sessions.add(result.session.session_id);
    if (asked.op === 'set_resume') this.checkResume(client, frame.result as JsonObject);
    if (asked.op === 'unregister' && result.agent_id === client.agentId) client.retired();
  }

  /** An answered version is kept: the next one is later or equal. */
  private checkResume(client: SimClient, resume: JsonObject): void {
    const agent_id = String(resume.agent_id);
    const version = Number(resume.version);
    const before = this.resumes.get(agent_id) ?? { version: 0, text: '' };
    // Observed outcomes are not set by the agent.
    const text = canonicalJson({ ...resume, observed: {} });
    // A set without a change is answered with the present version.
    const isNext = version > before.version || text === before.text;
    holds(isNext, 'L1', () => `${client.name} set version ${version} of its resume after ${before.version}`);
    this.resumes.set(agent_id, { version, text });
  }

  // Laws about the whole, checked after every step.

  check(): void {
    // A fault in the log itself says more than its first symptom.
    this.model.follow(this.store);
    this.rules.follow(this.store);
    if (this.broken !== null) throw this.broken;
    this.schedules.check(this);
    this.checkTraces();
    for (const [sessionId, { states }] of this.model.sessions) this.checkSession(sessionId, states.at(-1));
    if (this.failed) this.sweeps.forget();
    else if (this.isSettled) this.count('fired in its sweep', this.sweeps.settled());
  }

  /** Nothing is staged and nothing is being read. */
  private get isSettled(): boolean {
    return this.store.stagedUnits() === 0 && !(this.store instanceof LateStore && this.store.pending > 0);
  }

  /** Everything heals: owed envelopes arrive, sessions end, and their ends are delivered. */
  async finish(): Promise<void> {
    if (this.failed) await this.crash(() => true);
    await this.restart();
    await endSchedules(this);
    await this.everyoneBack();
    this.checkDelivered('when everyone is back');
    this.checkAsked();
    checkTrees(this.model.sessions, () => {});
    for (const client of this.clients) this.cut(client);
    for (let hours = 0; hours < 27; hours += 3) {
      this.clock.advance(3 * 3_600_000);
      this.sweep();
      await this.flow();
      this.sweep();
      await this.flow();
      this.check();
      this.model.tasks.checkExpired(this.clock.now());
    }
    for (const { name, agentId } of this.clients) {
      const known = agentId === null ? null : this.rooms.registry.find(name);
      if (known !== null) this.model.tasks.checkObserved(known.passport.agent_id, known.resume.observed);
    }
    for (const state of ['done', 'failed', 'cancelled', 'expired']) {
      this.counts.set(`tasks ${state}`, this.model.tasks.countOf(state));
    }
    for (const [sessionId, { states, entries }] of this.model.sessions) {
      for (const { envelope } of entries) {
        if (envelope.event_type === 'expectation.violated') this.countViolation(entries, envelope);
      }
      const { metadata } = this.modelState(states.at(-1));
      holds(isTerminal(metadata.state), 'L6', () => `session ${sessionId} is ${metadata.state} forever`);
      this.count(`ended ${metadata.close_reason}`);
    }
    checkTrees(this.model.sessions, (kind) => this.count(kind));
    await this.everyoneBack();
    this.checkDelivered('after every session ended');
    this.countSnapshots();
  }

  private countViolation(log: readonly Entry[], { event_data }: Envelope): void {
    this.count(`violated ${String(event_data.name)}`);
    const { entry, due_at, violators } = event_data as unknown as Violation;
    const { manifest } = this.modelState(log[0]).envelope.event_data as unknown as CreatedData;
    const seconds = Number(manifest.expectations[entry]?.params.seconds);
    const afterMs = Date.parse(due_at) - createdMs(log, violators[0]?.since_seq ?? 1) - seconds * 1000;
    if (afterMs < 0) this.count('fired on a failure');
    if (afterMs > 0) this.count('fired late for progress');
  }

  private countSnapshots(): void {
    const known = this.counts.get('loaded from a snapshot') ?? 0;
    this.counts.set('loaded from a snapshot', known + this.store.counts.snapshot);
  }

  private modelState<T>(state: T | undefined): T {
    if (state === undefined) throw new Error('a session without entries');
    return state;
  }

  private async everyoneBack(): Promise<void> {
    for (const client of this.clients) {
      if (client.wire === null) client.connect(false);
    }
    // The rest of a flood arrives a window at a time.
    for (let round = 0; round < 4 || (round < 100 && this.clients.some(({ arrived }) => arrived.length > 0)); round++) {
      await this.flow();
      for (const client of this.clients) {
        for (const one of client.arrived.splice(0)) client.receipt(one, 'ack');
      }
      this.clock.advance(1000);
      this.sweep();
      await this.flow();
    }
    this.check();
  }

  /** Unanswered invites were sent on the present binding. */
  private checkAsked(): void {
    for (const client of this.clients) {
      const { agentId } = client;
      if (agentId === null || !client.bound) continue;
      for (const [session, { states }] of this.model.sessions) {
        const { metadata } = this.modelState(states.at(-1));
        if (isTerminal(metadata.state) || metadata.state === 'CLOSING') continue;
        const asked = metadata.participants.some(
          ({ agent_id, status }) => agent_id === agentId && status === 'invited',
        );
        holds(!asked || client.askedOnBinding.has(session), 'L5', () => `${client.name} was not asked into ${session}`);
        if (asked) this.count('asked when back');
      }
    }
  }

  private countComing({ session_id, event_type, event_data, seq }: Envelope): void {
    const earlier = this.store
      .durableEntries(session_id)
      .slice(0, seq - 1)
      .map(({ envelope }) => envelope);
    const isAbout = (type: string) =>
      earlier.some((one) => one.event_type === type && one.event_data.agent_id === event_data.agent_id);
    if (event_type === 'session.invite' && isAbout('session.invite.reject')) this.count('asked again');
    if (event_type !== 'session.participant.joined') return;
    this.count('joined late');
    const invites = earlier.filter((one) => one.event_type === 'session.invite');
    const first = invites.findIndex((one) => one.event_data.agent_id === event_data.agent_id);
    // The invites of the creation follow it directly.
    if (first !== -1 && invites[first]?.seq !== first + 2) this.count('joined after it was added');
  }

  private checkDelivered(when: string): void {
    for (const client of this.clients) {
      const { agentId } = client;
      if (agentId === null) continue;
      for (const session of this.model.sessions.keys()) {
        for (const seq of this.model.owed(session, agentId)) {
          if (this.isDenied(agentId, session, seq)) continue;
          const got = client.everSeen.get(session)?.has(seq) === true || client.told.get(session)?.has(seq) === true;
          holds(
            got,
            'L5',
            () =>
              `${client.name} never got ${session} seq ${seq} (${this.model.envelope(session, seq)?.event_type}) ${when}`,
          );
        }
      }
    }
  }

  /** Its rule blocks or blocked this sender. */
  isDenied(agentId: string, session: string, seq: number): boolean {
    const sender = this.model.envelope(session, seq)?.sender_id ?? 'hub';
    this.rules.follow(this.store);
    return sender !== 'hub' && this.rules.mayBeDenied(agentId, sender);
  }

  private checkSession(sessionId: string, state: ReturnType<LogModel['state']>): void {
    if (state === undefined || this.failed) return;
    const live = this.rooms.sessions.peek(sessionId);
    const durable = live?.durable ?? null;
    // States are immutable: a checked one stays right.
    if (durable !== null && this.checked.get(sessionId) !== durable) {
      this.checked.set(sessionId, durable);
      const replayed = this.model.state(sessionId, durable.metadata.head_seq);
      holds(
        same(durable, replayed),
        'L3',
        () => `session ${sessionId}: the live state at seq ${durable.metadata.head_seq} is not what its log gives`,
      );
    }
    const { head } = state;
    if (isTerminal(head.state)) return;
    const armed = this.rooms.index.deadlines.at(sessionId) !== undefined;
    const isCounted = this.rooms.index.census.has(sessionId);
    holds(isCounted === armed, 'MO1', () => `session ${sessionId} is ${isCounted ? '' : 'not '}counted as live`);
    const present = Object.entries(head.members).some(
      ([agentId, status]) => (status === 'active' || status === 'hidden') && this.rooms.bindings.isBound(agentId),
    );
    holds(armed || present, 'L6', () => `session ${sessionId} is ${head.state} with no deadline and nobody bound`);
  }

  private checkPosted(
    client: SimClient,
    asked: Asked,
    { seq, envelope_id }: { seq: number; envelope_id: string },
  ): void {
    const session = String(asked.params.session_id);
    const envelope = this.store.durableEntries(session)[seq - 1]?.envelope;
    holds(
      envelope?.envelope_id === envelope_id,
      'L1',
      () => `${client.name} is answered ${session} seq ${seq}, which is not on disk`,
    );
    holds(
      envelope.sender_id === client.agentId,
      'L7',
      () => `${session} seq ${seq} is by ${envelope.sender_id}, posted by ${client.agentId}`,
    );
    const { idempotency_key: key } = asked.params;
    if (typeof key !== 'string') return;
    const name = `${client.agentId} ${session} ${key}`;
    const first = this.answeredKeys.get(name) ?? seq;
    holds(first === seq, 'L5', () => `key ${key} was answered with seq ${first} and then with ${seq}`);
    this.answeredKeys.set(name, seq);
  }

  private checkView({ agentId }: SimClient, session: string, shown: Result<'read_view'>): void {
    this.model.follow(this.store);
    if (agentId === null) return;
    this.rules.follow(this.store);
    if (this.views.check(agentId, session, shown, this.rules.denials(agentId))) this.count('saw a view again');
  }

  private checkMetadata(metadata: { session_id: string; head_seq: number }): void {
    this.model.follow(this.store);
    const replayed = this.model.state(metadata.session_id, metadata.head_seq)?.metadata;
    holds(
      same(metadata, replayed),
      'L1',
      () => `metadata shown of ${metadata.session_id} at seq ${metadata.head_seq} is not what its log gives`,
    );
  }

  private checkSummary(summary: PeekedResult['sessions'][number]): void {
    this.model.follow(this.store);
    const head = this.model.state(summary.session_id, summary.head_seq)?.head;
    const { state, turn } = summary;
    holds(
      head?.state === state && same(head.turn, turn),
      'L1',
      () => `${summary.session_id} is listed as ${state} at seq ${summary.head_seq}`,
    );
  }

  /** True if this operation would have written something. */
  private changed(asked: Asked): boolean {
    return asked.op === 'post' || asked.op === 'create_session';
  }

  private guard(check: () => void): void {
    try {
      check();
    } catch (thrown) {
      this.broken ??= thrown;
    }
  }

  private prune(): void {
    for (const wire of this.wires.keys()) if (!wire.open) this.wires.delete(wire);
  }

  private async reborn(): Promise<void> {
    this.failed = false;
    this.prune();
    // Nothing could happen in between.
    this.clock.advance(this.random.pick(DOWN_MS));
    await this.openHub();
    await quiet();
    this.check();
  }

  private hasLive(): boolean {
    this.model.follow(this.store);
    return [...this.model.sessions.values()].some(
      ({ states }) => !isTerminal(this.modelState(states.at(-1)).head.state),
    );
  }

  /** A decision is written in the tick in which it is made. */
  private watchAppends(store: SimulatedStore): void {
    const append = store.append.bind(store);
    store.append = (logId, expected, unit) => {
      const fires = unit.entries.some(({ envelope }) => isTimed(envelope));
      // A dead hub continues for a while, on a disk that stores nothing.
      const held = fires && store === this.store ? this.grace.heldBy(logId) : null;
      this.guard(() => holds(held === null, 'L9', () => `${logId}: something fires though ${held}`));
      return append(logId, expected, unit);
    };
  }

  private async openHub(): Promise<void> {
    this.generation += 1;
    const generation = this.generation;
    const { store, clock, ids } = this;
    this.watchAppends(store);
    this.grace.started(this.hasLive());
    this.sweeps.started();
    this.hub = await Hub.start({
      store,
      clock,
      ids,
      adapters: ADAPTERS,
      conditions: CONDITIONS,
      targets: TARGETS,
      evaluators: EVALUATORS,
      handlers: HANDLERS,
      views: this.options.views ?? views,
      limits: { tailLength: 4, window: 8, snapshotLength: 4 },
    });
    this.options.tamper?.(this.rooms);
    this.hub.on('envelopePosted', ({ envelope }) => {
      if (generation !== this.generation) return;
      const { session_id, seq } = envelope;
      this.countComing(envelope);
      for (const agentId of Object.keys(this.model.state(session_id)?.head.members ?? {})) this.rules.stir(agentId);
      if (/^(session\.participant|task)\./.test(envelope.event_type)) this.count(envelope.event_type);
      const entry = this.store.durableEntries(session_id)[seq - 1];
      this.guard(() => checkCatalogued(envelope));
      this.guard(() =>
        holds(
          same(entry?.envelope, envelope),
          'L1',
          () => `a tap shows ${session_id} seq ${seq}, which is not on disk`,
        ),
      );
    });
    this.hub.on('scheduleRan', ({ run }) => this.count(`schedule ran: ${run.outcome}`));
    this.hub.on('inboxHighWater', () => this.count('inbox high water'));
    this.hub.on('agentBound', ({ agent_id }) => {
      this.acks.rebind(agent_id);
    });
    this.hub.on('agentUnbound', ({ reason }) => {
      if (reason === 'replaced') this.count('took over');
    });
    this.hub.on('deliveryAcked', ({ agent_id, session_id, seq }) => {
      this.rules.stir(agent_id);
      this.acks.settle(agent_id, session_id, seq);
    });
    this.hub.on('deliveryFailed', ({ agent_id, session_id, seq }) => {
      this.count('delivery failed');
      this.acks.settle(agent_id, session_id, seq);
    });
  }
}

/** It was written because of the time, not because of an operation. */
function isTimed(envelope: Envelope): boolean {
  const { event_type, event_data } = envelope;
  if (event_type === 'task.expired') return event_data.reason === 'ttl';
  return event_type === 'expectation.violated' && !isOfLimit(envelope);
}

function keyName({ agentId }: SimClient, { session_id, idempotency_key }: Asked['params']): string {
  return `${agentId} ${String(session_id)} ${String(idempotency_key)}`;
}
