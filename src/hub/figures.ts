/** How the hub is doing, in numbers: what it has counted since it began, and what there is now. */

import type { Health } from '../core/operations.ts';
import type { SessionCount } from './census.ts';
import type { Histogram } from './lib/histogram.ts';
import type { Meter } from './telemetry/meter.ts';
import type { HubParts } from './parts.ts';
import { healthOf } from './perform.ts';

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

export function figuresOf(parts: HubParts, heldUp: number): Figures {
  const { meter, backlog, index, bindings } = parts;
  let [total, most] = [0, 0];
  for (const { unacked } of bindings.all()) {
    total += unacked;
    most = Math.max(most, unacked);
  }
  return {
    counted: meter,
    flushMs: backlog.flushMs,
    health: healthOf(parts),
    unacked: { total, most },
    live: index.census.counts(),
    heldUp,
  };
}
