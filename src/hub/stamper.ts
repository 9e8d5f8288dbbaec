/** Gives out stamps: each later than every other of this node and than the last of its session. */

import type { Clock, Ids } from '../core/ports.ts';
import { laterId, nextStamp, type Stamp } from '../core/stamp.ts';

export class Stamper {
  private readonly clock: Clock;
  private readonly ids: Ids;
  private last: string | null = null;

  constructor(clock: Clock, ids: Ids) {
    this.clock = clock;
    this.ids = ids;
  }

  next(lastInLog: string | null): Stamp {
    const stamp = nextStamp(this.clock.now(), laterId(this.last, lastInLog), this.ids.hex32());
    this.last = stamp.envelope_id;
    return stamp;
  }

  /** Ids found in a log also count as given out. */
  observe(envelopeId: string): void {
    this.last = laterId(this.last, envelopeId);
  }
}
