/** Limits the send rate of each sender over all its sessions. In memory, by monotonic time; free without a rate. */

import type { Decision } from '../../core/decisions/decision.ts';
import type { Clock } from '../../core/ports/platform.ts';
import { type Bucket, FULL_BUCKET, retryAfterMs, takeToken } from '../../core/records/access/rate.ts';
import type { Registry } from '../registry/registry.ts';

/** Whether a post was charged: it pays once, however often it is judged. */
export interface RateCharge {
  paid: boolean;
}

export class Rates {
  private readonly clock: Clock;
  private readonly registry: Pick<Registry, 'ruleOf'>;
  private readonly buckets = new Map<string, Bucket>();

  constructor(clock: Clock, registry: Pick<Registry, 'ruleOf'>) {
    this.clock = clock;
    this.registry = registry;
  }

  /** How long the sender must wait under its current rule; 0 if it may post now. */
  retryAfterMs(agentId: string, toll: RateCharge): number {
    const { rate } = this.registry.ruleOf(agentId).limits;
    if (rate === null || toll.paid) return 0;
    return retryAfterMs(this.buckets.get(agentId) ?? FULL_BUCKET, rate, this.clock.monotonic());
  }

  /** Wraps a decision so that it is charged when applied: only accepted posts pay. */
  charged<T>(decision: Decision<T>, agentId: string, toll: RateCharge): Decision<T> {
    const { rate } = this.registry.ruleOf(agentId).limits;
    if (rate === null || decision.kind !== 'append') return decision;
    return {
      ...decision,
      answer: (advanced) => {
        const answer = decision.answer(advanced);
        if (!toll.paid) {
          toll.paid = true;
          this.buckets.set(agentId, takeToken(this.buckets.get(agentId) ?? FULL_BUCKET, rate, this.clock.monotonic()));
        }
        return answer;
      },
    };
  }
}
