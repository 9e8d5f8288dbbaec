/** What the parts of one hub know of each other. Assembled in hub.ts; every part takes it and uses what it needs. */

import type { FewAtATime } from '../core/few-at-a-time.ts';
import type { Limits } from '../core/limits.ts';
import type { Clock, Ids, Log, Tracing } from '../core/ports.ts';
import type { Store } from '../core/store.ts';
import type { Adapters } from './adapters.ts';
import type { AskArbiter } from './ask-arbiter.ts';
import type { Backlog } from './backlog.ts';
import type { Bindings } from './bindings.ts';
import type { CreateKeys } from './create-keys.ts';
import type { Cursors } from './cursors.ts';
import type { Delegations } from './delegations.ts';
import type { Deltas } from './deltas.ts';
import type { Taps } from './events.ts';
import type { Expectations } from './expectations.ts';
import type { Gate } from './gate.ts';
import type { Grace } from './grace.ts';
import type { Lines } from './in-line.ts';
import type { Inboxes } from './inboxes.ts';
import type { LatestOf } from './latest-of.ts';
import type { LiveIndex } from './live-index.ts';
import type { Meter } from './meter.ts';
import type { Observers } from './observers.ts';
import type { Overview } from './overview.ts';
import type { PastStates } from './past-states.ts';
import type { Presence } from './presence.ts';
import type { Rates } from './rates.ts';
import type { Redactions } from './redactions.ts';
import type { Registry } from './registry.ts';
import type { Retries } from './retries.ts';
import type { RuleParts } from './rule-parts.ts';
import type { Schedules } from './schedules.ts';
import type { Sessions } from './sessions.ts';
import type { SinceWhen } from './since-when.ts';
import type { Stamper } from './stamper.ts';
import type { SteadyClock } from './steady-clock.ts';
import type { Tokens } from './tokens.ts';
import type { Views } from './views.ts';
import type { Waiters } from './waiters.ts';
import type { Wakes } from './wakes.ts';
import type { Watching } from './watching.ts';

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
