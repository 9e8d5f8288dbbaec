/** Keeps the hub's counters as plain numbers, so that counting costs a post next to nothing. */

import type { WireCode } from '../../core/lib/errors.ts';
import { HUB_ID } from '../../core/records/session/envelope.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import { Histogram, LATE_MS, SHORT_MS } from '../lib/histogram.ts';

export type SessionEvent = 'created' | 'opened' | 'closing' | 'ended';

export class Meter {
  /** Durable envelopes of participants (`posted`) and of the hub (`ofHub`). */
  posted = 0;
  ofHub = 0;
  /** Envelopes sent to participants and observers, repeats included. */
  delivered = 0;
  /** Errors sent to peers, by code. */
  readonly refusals: Map<WireCode, number> = new Map();
  /** Lifecycle changes of sessions, by `type\nevent`. */
  readonly sessions: Map<string, number> = new Map();
  readonly violations: Map<string, number> = new Map();
  readonly ackMs: Histogram = new Histogram(SHORT_MS);
  /** Time between a session's deadline and its check. */
  readonly lateMs: Histogram = new Histogram(LATE_MS);
  /** Connections closed because they did not read. */
  slowConsumers = 0;

  accepted(entries: readonly Entry[], isOfHub: boolean): void {
    if (!isOfHub) {
      this.posted += entries.length;
      return;
    }
    for (const { envelope } of entries) {
      if (envelope.sender_id === HUB_ID) this.ofHub += 1;
      else this.posted += 1;
    }
  }

  get refusedTotal(): number {
    let total = 0;
    for (const count of this.refusals.values()) total += count;
    return total;
  }

  refused(code: WireCode): void {
    plusOne(this.refusals, code);
  }

  session(type: string, event: SessionEvent): void {
    plusOne(this.sessions, `${type}\n${event}`);
  }

  violated(name: string): void {
    plusOne(this.violations, name);
  }
}

function plusOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
