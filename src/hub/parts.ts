/** What the parts of one hub know of each other. Assembled in hub.ts; every part takes it and uses what it needs. */

import type { FewAtATime } from '../core/lib/concurrency-limit.ts';
import type { Limits } from '../core/records/access/limits.ts';
import type { Clock, Ids, Log, Tracing } from '../core/ports/platform.ts';
import type { Store } from '../core/ports/store.ts';
import type { Adapters } from './extensions/adapters.ts';
import type { AskArbiter } from './access/ask-arbiter.ts';
import type { Backlog } from './log/backlog.ts';
import type { Bindings } from './bindings.ts';
import type { CreateKeys } from './create-keys.ts';
import type { Cursors } from './delivery/cursors.ts';
import type { Delegations } from './tasks/delegations.ts';
import type { Deltas } from './deltas.ts';
import type { Taps } from './telemetry/events.ts';
import type { Expectations } from './extensions/expectations.ts';
import type { Gate } from './access/access.ts';
import type { Grace } from './deadlines/grace.ts';
import type { Lines } from './lib/keyed-lock.ts';
import type { Inboxes } from './delivery/inboxes.ts';
import type { LatestOf } from './lib/lru-cache.ts';
import type { LiveIndex } from './sessions/live-index.ts';
import type { Meter } from './telemetry/meter.ts';
import type { Observers } from './observers.ts';
import type { Overview } from './overview.ts';
import type { PastStates } from './reading/log/past-states.ts';
import type { Presence } from './presence.ts';
import type { Rates } from './access/rates.ts';
import type { Redactions } from './sessions/redactions.ts';
import type { Registry } from './registry/registry.ts';
import type { Retries } from './retries.ts';
import type { RuleParts } from './extensions/rule-parts.ts';
import type { Schedules } from './schedules/schedules.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { SinceWhen } from './since-when.ts';
import type { Stamper } from './time/stamper.ts';
import type { SteadyClock } from './time/steady-clock.ts';
import type { Tokens } from './registry/tokens.ts';
import type { Views } from './extensions/views.ts';
import type { Waiters } from './sessions/waiters.ts';
import type { Wakes } from './deadlines/deadlines.ts';
import type { Watching } from './deadlines/expectation-monitor.ts';

export interface HubParts {
  readonly clock: SteadyClock;
  /** What people's clocks show: for what happens at a time of day. */
  readonly wall: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: Limits;
  readonly store: Store;
  readonly hubId: string;
  readonly stamper: Stamper;
  readonly backlog: Backlog;
  readonly events: Taps;
  readonly meter: Meter;
  /** null = nobody traces. */
  readonly tracing: Tracing | null;
  readonly adapters: Adapters;
  readonly ruleParts: RuleParts;
  readonly views: Views;
  readonly expectations: Expectations;
  readonly grace: Grace;
  readonly watching: Watching;
  readonly index: LiveIndex;
  readonly waiters: Waiters;
  readonly cursors: Cursors;
  readonly presence: Presence;
  readonly retries: Retries;
  /** null = this hub makes none. */
  readonly tokens: Tokens | null;
  readonly registry: Registry;
  readonly sessions: Sessions;
  readonly redactions: Redactions;
  readonly bindings: Bindings;
  readonly observers: Observers;
  readonly deltas: Deltas;
  readonly createKeys: CreateKeys;
  readonly delegations: Delegations;
  readonly wakes: Wakes;
  readonly arbiter: AskArbiter;
  readonly gate: Gate;
  readonly rates: Rates;
  readonly inboxes: Inboxes;
  readonly schedules: Schedules;
  /** Sessions that are being opened, by agent with a limit. */
  readonly opening: Lines;
  /** Searches run a few at a time. */
  readonly searches: FewAtATime;
  /** Looks of those who look on, a few at a time. */
  readonly looks: FewAtATime;
  readonly sinceWhen: SinceWhen;
  readonly pastStates: PastStates;
  /** By session: the roles its creation gave. */
  readonly roles: LatestOf<Readonly<Record<string, string>>>;
  readonly overview: Overview;
  /** Tasks that are being started, by agent with a limit. */
  readonly starting: Lines;
  /** The store refused a write: from now on nothing is accepted. */
  fail(error: Error): void;
  /** Connections there are now, for health. */
  countConnections(): number;
}
