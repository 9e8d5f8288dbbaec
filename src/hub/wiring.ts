/**
 * Constructs the rooms of one hub, from the lowest to the highest. The type of each room's constructor says what it uses. Three
 * references point upwards, each set once: the listeners of bindings and of sessions, and `onFailed`.
 */

import { ConcurrencyLimit } from '../core/lib/concurrency-limit.ts';
import { asError } from '../core/lib/errors.ts';
import type { Arbiter } from '../core/ports/arbiter.ts';
import { type Clock, type Ids, type Logger, type Secrets, silentLog, type Tracing } from '../core/ports/platform.ts';
import type { Store } from '../core/ports/store.ts';
import { type Limits, limitsWith } from '../core/records/access/limits.ts';
import { Access } from './access/access.ts';
import { AskArbiter } from './access/ask-arbiter.ts';
import { Rates } from './access/rates.ts';
import { Bindings } from './bindings/bindings.ts';
import type { ConnectionNeeds } from './connection/connection.ts';
import type { SingleRequestsNeeds } from './connection/single-request.ts';
import { Deadlines } from './deadlines/deadlines.ts';
import { Cursors } from './delivery/cursors.ts';
import { Inboxes } from './delivery/inboxes.ts';
import { Delivery } from './delivery/index.ts';
import { EnvelopeTexts } from './delivery/log-reader.ts';
import { Adapters } from './extensions/adapters.ts';
import { Expectations } from './extensions/expectations.ts';
import { RuleParts } from './extensions/rule-parts.ts';
import { Views } from './extensions/views.ts';
import { FollowUp } from './follow-up.ts';
import { Backlog } from './log/backlog.ts';
import type { Ground } from './log/ground.ts';
import { Opening } from './opening/opening.ts';
import { identityOperations, ruleOperations } from './operations/identity-operations.ts';
import { OwnerActions } from './operations/owner-actions.ts';
import { postingOperations } from './operations/posting-operations.ts';
import { readingOperations } from './operations/reading-operations.ts';
import { Redacting } from './operations/redact.ts';
import { Operations } from './operations/run-operation.ts';
import { scheduleOperations } from './operations/schedule-operations.ts';
import { sessionOperations } from './operations/session-operations.ts';
import { taskOperations } from './operations/task-operations.ts';
import { tokenOperations } from './operations/token-operations.ts';
import { Deltas } from './posting/deltas.ts';
import { Posting } from './posting/post.ts';
import { PostAuthorizer } from './posting/post-authorizer.ts';
import { Overview } from './reading/console/overview.ts';
import { WaitStartTimes } from './reading/console/waits.ts';
import type { ReadingRooms } from './reading/log/read-access.ts';
import { Registry } from './registry/registry.ts';
import { Tokens } from './registry/tokens.ts';
import { Schedules } from './schedules/schedules.ts';
import { LiveIndex } from './sessions/live-index.ts';
import { Redactions } from './sessions/redactions.ts';
import { Sessions } from './sessions/sessions.ts';
import { Waiters } from './sessions/waiters.ts';
import type { StartupNeeds } from './startup.ts';
import { Delegate } from './tasks/delegate.ts';
import { Delegations } from './tasks/delegations.ts';
import { Tasks } from './tasks/tasks.ts';
import { HubEventEmitter } from './telemetry/events.ts';
import { Meter } from './telemetry/meter.ts';
import { Retries } from './time/retries.ts';
import { Stamper } from './time/stamper.ts';
import { SteadyClock } from './time/steady-clock.ts';

export interface WiringOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Replaces the access rules; members that are absent fall back to them. */
  readonly arbiter?: Partial<Arbiter>;
  /** Makes and checks secrets; absent = the hub issues no tokens. */
  readonly secrets?: Secrets;
  readonly log?: Logger;
  /** Traces posts across programs; absent = tracing is off. */
  readonly tracing?: Tracing | null;
  readonly limits?: Partial<Limits>;
}

/** The rooms that hub.ts calls, starts or passes to connections. */
export type Rooms = StartupNeeds &
  ConnectionNeeds &
  SingleRequestsNeeds &
  ReadingRooms & {
    readonly waiters: Waiters;
    readonly cursors: Cursors;
    readonly redacting: Redacting;
    readonly owner: OwnerActions;
    readonly overview: Overview;
  };

/** Concurrent log reads for streams, limited so that a mass reconnect does not delay other agents. */
const READS_AT_ONCE = 16;
/** Concurrent reads for the console. */
const LOOKS_AT_ONCE = 2;

export function wire(options: WiringOptions, hubId: string, countConnections: () => number): Rooms {
  const waiters = new Waiters();
  const ground = layGround(options, hubId, (reason) => {
    waiters.stop(reason);
    delegations.stop(reason);
  });
  const { clock, limits, store } = ground;

  // Extensions, connected agents, identities.
  const extensions = {
    adapters: new Adapters(),
    ruleParts: new RuleParts(),
    views: new Views(),
    expectations: new Expectations(),
  };
  const bindings = new Bindings(ground);
  const registry = new Registry(ground);
  const tokens = options.secrets === undefined ? null : new Tokens({ ...ground, bindings }, options.secrets);
  const people = { ...ground, ...extensions, bindings, presence: bindings.presence, registry, tokens, waiters };

  // Sessions, and permission to send.
  const index = new LiveIndex(limits.orphanMs);
  const redactions = new Redactions(ground);
  const sessions = new Sessions({ ...people, index, redactions });
  const arbiter = new AskArbiter(ground, options.arbiter);
  const access = new Access(registry, arbiter);
  const rates = new Rates(clock, registry);
  const talk = { ...people, index, redactions, sessions, arbiter, access, rates };

  // Delivery.
  const cursors = new Cursors(store);
  const inboxes = new Inboxes({ ...talk, cursors });
  const texts = new EnvelopeTexts();
  const reads = new ConcurrencyLimit(READS_AT_ONCE);
  const delivery = new Delivery({ ...talk, cursors, inboxes, texts, reads });
  const { streams, observers } = delivery;
  bindings.follow(delivery);
  const delivering = { ...talk, cursors, inboxes, texts, delivery, streams, observers };

  // Deadlines, posts, openings, tasks, schedules.
  const deadlines = new Deadlines(talk);
  const gate = new PostAuthorizer(access, inboxes);
  const posting = new Posting({ ...delivering, gate });
  const deltas = new Deltas({ ...delivering, gate, posting });
  const opening = new Opening({ ...talk, posting });
  const delegations: Delegations = new Delegations({ ...delivering, posting, opening });
  const tasks = new Tasks({ ...talk, posting });
  const schedules = new Schedules({ ...talk, opening });
  const working = { ...delivering, deadlines, posting, deltas, opening, delegations, schedules };

  // Reading and operations.
  const looks = new ConcurrencyLimit(LOOKS_AT_ONCE);
  const startTimes = new WaitStartTimes({ store, sessions });
  const overview = new Overview({ ...delivering, looks, countConnections, startTimes });
  const reading = { ...working, looks, countConnections, startTimes, overview };
  const redacting = new Redacting(talk);
  const operations = new Operations(ground, {
    ...identityOperations(talk),
    ...ruleOperations(talk),
    ...tokenOperations(talk),
    ...sessionOperations(working),
    ...postingOperations(posting, options.tracing ?? null, clock),
    ...taskOperations(tasks, new Delegate(working)),
    ...scheduleOperations(working),
    ...readingOperations(reading),
    redact: (by, params) => redacting.redact(by, params),
  });

  const followUp = new FollowUp(working);
  sessions.follow(followUp);
  return { ...reading, redacting, owner: new OwnerActions(talk), operations, followUp };
}

/** Constructs clocks, events, retries and the backlog. `onFailed` rejects requests that wait for the store. */
function layGround(options: WiringOptions, hubId: string, onFailed: (reason: string) => void): Ground {
  const { store, ids, log = silentLog, clock: wall } = options;
  const limits = limitsWith(options.limits);
  const clock = new SteadyClock(wall);
  const events = new HubEventEmitter(log);
  const meter = new Meter();
  const stamper = new Stamper(clock, ids);
  const retries = new Retries(clock);
  const backlog = new Backlog(clock, limits);
  const fail = (thrown: Error): void => {
    if (backlog.failed !== null) return;
    // A store is third-party code: it may throw anything.
    const error = asError(thrown);
    backlog.fail(error);
    log.error('the store failed; the hub accepts no more writes', { error: error.message });
    onFailed(`the hub cannot write: ${error.message}`);
    events.emit('storeFailed', { error });
  };
  return { clock, wall, ids, log, limits, store, hubId, stamper, retries, events, meter, backlog, fail };
}
