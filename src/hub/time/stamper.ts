/** Gives out stamps: each later than every other of this node and than the last of its session. */

import type { Clock, Ids } from '../../core/ports/platform.ts';
import { laterId, nextStamp, type Stamp } from '../../core/records/session/stamp.ts';

export class Stamper {
  private readonly clock: Clock;
  private readonly ids: Ids;
  private last: string | null = null;
  /** Random digits that tell nodes apart; within a millisecond the count tells the ids of one node apart. */
  private random = '';
  private randomMs: number = Number.NaN;

  constructor(clock: Clock, ids: Ids) {
    this.clock = clock;
    this.ids = ids;
  }

  next(lastInLog: string | null): Stamp {
    const nowMs = this.clock.now();
    if (nowMs !== this.randomMs) {
      this.random = this.ids.hex32();
      this.randomMs = nowMs;
    }
    const stamp = nextStamp(nowMs, laterId(this.last, lastInLog), this.random);
    this.last = stamp.envelope_id;
    return stamp;
  }

  /** Ids found in a log also count as given out. */
  observe(envelopeId: string): void {
    this.last = laterId(this.last, envelopeId);
  }
}
