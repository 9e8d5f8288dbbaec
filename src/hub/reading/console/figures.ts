/** How the hub is doing, in numbers: what it has counted since it began, and what there is now. */

import { isoFromMs } from '../../../core/lib/time.ts';
import type { Clock } from '../../../core/ports/platform.ts';
import type { Health } from '../../../core/protocol/operations/console-hub.ts';
import type { Bindings } from '../../bindings/bindings.ts';
import type { Streams } from '../../delivery/streams.ts';
import type { Histogram } from '../../lib/histogram.ts';
import type { Backlog } from '../../log/backlog.ts';
import type { LiveIndex, SessionCount } from '../../sessions/live-index.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { Meter } from '../../telemetry/meter.ts';
import type { ReadingRooms } from '../log/read-access.ts';

export interface FiguresNeeds {
  readonly clock: Clock;
  readonly hubId: string;
  readonly backlog: Backlog;
  readonly meter: Meter;
  readonly index: LiveIndex;
  readonly sessions: Sessions;
  readonly bindings: Bindings;
  readonly streams: Streams;
  countConnections(): number;
}

type HealthRooms = Pick<
  ReadingRooms,
  'clock' | 'hubId' | 'backlog' | 'index' | 'sessions' | 'bindings' | 'countConnections'
>;

export interface Figures {
  readonly counted: Readonly<Meter>;
  /** From the first unit of a flush to its end on the disk. */
  readonly flushMs: Histogram;
  readonly health: Health;
  /** Deliveries that wait for a receipt, over all streams, and the most of one identity. */
  readonly unacked: { readonly total: number; readonly most: number };
  /** Live sessions, in memory or not, by type and state. */
  readonly live: readonly SessionCount[];
  /** Connections that do not read what is sent to them. */
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
