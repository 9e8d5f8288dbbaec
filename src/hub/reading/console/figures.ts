/** Collects the figures and the health of the hub: counters since its start, and current sizes. */

import { isoFromMs } from '../../../core/lib/time.ts';
import type { Health } from '../../../core/protocol/operations/console-hub.ts';
import type { Histogram } from '../../lib/histogram.ts';
import type { SessionCount } from '../../sessions/live-index.ts';
import type { Meter } from '../../telemetry/meter.ts';
import type { ReadingRooms } from '../log/read-access.ts';

type HealthRooms = Pick<
  ReadingRooms,
  'clock' | 'hubId' | 'backlog' | 'index' | 'sessions' | 'bindings' | 'countConnections'
>;

export interface Figures {
  readonly counted: Readonly<Meter>;
  /** Time from the first unit of a flush until it is durable. */
  readonly flushMs: Histogram;
  readonly health: Health;
  /** Unacked deliveries: the sum over all recipients, and the most of one recipient. */
  readonly unacked: { readonly total: number; readonly most: number };
  /** Live sessions by type and state, whether loaded or not. */
  readonly live: readonly SessionCount[];
  /** Number of connections under backpressure. */
  readonly heldUp: number;
}

export function collectFigures(rooms: HealthRooms & Pick<ReadingRooms, 'meter' | 'streams'>, heldUp: number): Figures {
  const { meter, backlog, index, streams } = rooms;
  let [total, most] = [0, 0];
  for (const { unacked } of streams.all()) {
    total += unacked;
    most = Math.max(most, unacked);
  }
  return {
    counted: meter,
    flushMs: backlog.flushMs,
    health: collectHealth(rooms),
    unacked: { total, most },
    live: index.census.counts(),
    heldUp,
  };
}

/** The answer of `health`, and of /readyz. */
export function collectHealth(rooms: HealthRooms): Health {
  const { backlog, sessions, index, bindings, clock } = rooms;
  return {
    ready: backlog.failed === null,
    reason: backlog.failed?.message ?? null,
    hub_id: rooms.hubId,
    time: isoFromMs(clock.now()),
    sessions: { live: index.size, loaded: sessions.size, unavailable: sessions.countUnavailable() },
    bound: bindings.size,
    connections: rooms.countConnections(),
    staged_units: backlog.units,
    staged_bytes: backlog.bytes,
  };
}
