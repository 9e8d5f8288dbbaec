/** Declares what every room above shares: time, ids, the store, telemetry and the backlog. */

import type { Clock, Ids, Logger } from '../../core/ports/platform.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import type { HubEventEmitter } from '../telemetry/events.ts';
import type { Meter } from '../telemetry/meter.ts';
import type { Retries } from '../time/retries.ts';
import type { Stamper } from '../time/stamper.ts';
import type { SteadyClock } from '../time/steady-clock.ts';
import type { Backlog } from './backlog.ts';

/** Contains nothing that depends on sessions. */
export interface Ground {
  readonly clock: SteadyClock;
  /** The wall clock as people see it, for schedules. */
  readonly wall: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly limits: Limits;
  readonly store: Store;
  readonly hubId: string;
  readonly stamper: Stamper;
  readonly retries: Retries;
  readonly events: HubEventEmitter;
  readonly meter: Meter;
  readonly backlog: Backlog;
  /** Reports a failed write: from now on the hub accepts nothing. */
  fail(error: Error): void;
}
