/** Issues stamps: each is later than all others of this node and than the last of its log. */

import type { Clock, Ids } from '../../core/ports/platform.ts';
import { laterId, nextStamp, type Stamp } from '../../core/records/session/stamp.ts';

export class Stamper {
  private readonly clock: Clock;
  private readonly ids: Ids;
  private last: string | null = null;
  /** Random digits distinguish nodes; a count distinguishes the ids of one node within a millisecond. */
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

  /** Later stamps follow this id, which was found in a log. */
  observe(envelopeId: string): void {
    this.last = laterId(this.last, envelopeId);
  }
}
