/**
 * The rooms of one hub, constructed top to bottom, each with exactly what it needs. Nothing takes the result as a whole but hub.ts
 * and tests. Only three things point upwards, each set once: the listeners of bindings and of sessions, and what ends when the
 * store fails.
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
import { boundCaller } from './operations/handler.ts';
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
import { Reading } from './reading/index.ts';
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
  /** Who may do what, in place of the rules; what it leaves out the rules say. */
  readonly arbiter?: Partial<Arbiter>;
  /** How secrets are made and kept; without it the hub makes no tokens. */
  readonly secrets?: Secrets;
  readonly log?: Logger;
  /** Follows what is posted across programs; absent = nobody does. */
  readonly tracing?: Tracing | null;
  readonly limits?: Partial<Limits>;
}

/** What hub.ts calls, starts and hands to connections. */
export type Rooms = StartupNeeds &
  ConnectionNeeds &
  SingleRequestsNeeds & {
    readonly bindings: Bindings;
    readonly registry: Registry;
    readonly sessions: Sessions;
    readonly index: LiveIndex;
    readonly ruleParts: RuleParts;
    readonly expectations: Expectations;
    readonly waiters: Waiters;
    readonly cursors: Cursors;
    readonly inboxes: Inboxes;
    readonly redacting: Redacting;
    readonly owner: OwnerActions;
    readonly reading: Reading;
    readonly adapters: Adapters;
    readonly views: Views;
    readonly delivery: Delivery;
  };

/** When thousands come back at once, whoever is here already is served between them. */
const READS_AT_ONCE = 16;

export function wire(options: WiringOptions, hubId: string, countConnections: () => number): Rooms {
  const waiters = new Waiters();
  const ground = layGround(options, hubId, (reason) => {
    waiters.stop(reason);
    delegations.stop(reason);
  });
  const { clock, limits, store, backlog } = ground;

  // What the hub was given, who is connected, and who is registered.
  const adapters = new Adapters();
  const ruleParts = new RuleParts();
  const views = new Views();
  const expectations = new Expectations();
  const extensions = { adapters, ruleParts, views, expectations };
  const bindings = new Bindings(ground);
  const { presence } = bindings;
  const registry = new Registry(ground);
  const tokens = options.secrets === undefined ? null : new Tokens({ ...ground, bindings }, options.secrets);

  // Sessions, and who may say what in them.
  const index = new LiveIndex(limits.orphanMs);
  const redactions = new Redactions(ground);
  const sessions = new Sessions({ ...ground, ...extensions, index, waiters, redactions });
  const arbiter = new AskArbiter(ground, options.arbiter);
  const access = new Access(registry, arbiter);
  const rates = new Rates(clock, registry);

  // Delivery.
  const cursors = new Cursors(store);
  const inboxes = new Inboxes({ ...ground, registry, sessions, access, cursors });
  const texts = new EnvelopeTexts();
  const reads = new ConcurrencyLimit(READS_AT_ONCE);
  const sending = { bindings, registry, sessions, index, redactions, access, cursors, inboxes, texts, reads };
  const delivery = new Delivery({ ...ground, ...sending });
  const { streams, observers } = delivery;
  bindings.follow(delivery);

  // Deadlines, posts, openings, tasks, schedules.
  const deadlines = new Deadlines({ ...ground, bindings, index, sessions });
  const gate = new PostAuthorizer(access, inboxes);
  const posting = new Posting({ ...ground, bindings, registry, sessions, access, inboxes, gate, rates });
  const deltas = new Deltas({ ...ground, sessions, bindings, access, gate, posting, streams, observers });
  const opening = new Opening({ ...ground, ...extensions, bindings, presence, registry, sessions, arbiter, posting });
  const asking = { registry, sessions, redactions, access, inboxes, posting, opening };
  const delegations: Delegations = new Delegations({ ...ground, ...asking });
  const delegate = new Delegate({ ...ground, bindings, registry, sessions, rates, opening, delegations });
  const tasks = new Tasks({ ...ground, registry, sessions, redactions, bindings, access, posting, rates });
  const schedules = new Schedules({ ...ground, registry, sessions, opening });

  // Reading.
  const reading = new Reading({
    ...{ ...ground, ...extensions, bindings, registry, sessions, index, redactions, access, inboxes, streams },
    countConnections,
  });

  const redacting = new Redacting({ ...ground, bindings, registry, sessions, redactions });
  const owner = new OwnerActions(sessions, registry, backlog);
  const operations = new Operations(ground, {
    ...identityOperations({ ...ground, bindings, registry, tokens, sessions, arbiter }),
    ...ruleOperations({ bindings, registry, backlog }),
    ...tokenOperations(registry, tokens, backlog),
    ...sessionOperations({ registry, sessions, posting, opening }),
    ...postingOperations(posting, options.tracing ?? null, clock),
    ...taskOperations(tasks, delegate),
    ...scheduleOperations({ ...ground, bindings, registry, opening, schedules }),
    ...readingOperations({
      ...ground,
      ...extensions,
      bindings,
      registry,
      sessions,
      access,
      redactions,
      observers,
      reading,
    }),
    redact: (caller, params) => redacting.redact(boundCaller(caller), params),
  });

  const following = { registry, sessions, index, waiters, inboxes, texts, streams, observers, deadlines, delegations };
  const followUp = new FollowUp({ ...ground, ...following });
  sessions.follow(followUp);
  return {
    ...{
      ...ground,
      ...extensions,
      bindings,
      registry,
      sessions,
      index,
      redactions,
      observers,
      reading,
      tokens,
      presence,
      waiters,
      cursors,
      inboxes,
      delivery,
      streams,
      deltas,
      deadlines,
      delegations,
    },
    ...{ schedules, redacting, owner, operations, followUp },
  };
}

/** Time, what is reported, and the bound on what is being written. `onFailed` ends what waits for the store. */
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
    // A store may be anybody's code.
    const error = asError(thrown);
    backlog.fail(error);
    log.error('the store failed; the hub takes no more', { error: error.message });
    onFailed(`the hub cannot write: ${error.message}`);
    events.emit('storeFailed', { error });
  };
  return { clock, wall, ids, log, limits, store, hubId, stamper, retries, events, meter, backlog, fail };
}
