/** How fast each sender goes, over all its sessions. In memory, by monotonic time; who has no rate costs nothing. */

import type { Decision } from '../../core/decisions/advance.ts';
import { type Bucket, FULL, retryAfterMs, take } from '../../core/records/access/rate.ts';
import type { HubParts } from '../parts.ts';

/** One post pays once, however often it is judged. */
export interface Toll {
  paid: boolean;
}

export class Rates {
  private readonly parts: HubParts;
  private readonly buckets = new Map<string, Bucket>();

  constructor(parts: HubParts) {
    this.parts = parts;
  }

  /** By the rule that holds when it is asked. 0 = now. */
  retryAfterMs(agentId: string, toll: Toll): number {
    const { rate } = this.parts.registry.ruleOf(agentId).limits;
    if (rate === null || toll.paid) return 0;
    return retryAfterMs(this.buckets.get(agentId) ?? FULL, rate, this.parts.clock.monotonic());
  }

  /** Only what is accepted costs: the decision pays when it is carried out. */
  charged<T>(decision: Decision<T>, agentId: string, toll: Toll): Decision<T> {
    const { rate } = this.parts.registry.ruleOf(agentId).limits;
    if (rate === null || decision.kind !== 'append') return decision;
    return {
      ...decision,
      answer: (advanced) => {
        const answer = decision.answer(advanced);
        if (!toll.paid) {
          toll.paid = true;
          this.buckets.set(agentId, take(this.buckets.get(agentId) ?? FULL, rate, this.parts.clock.monotonic()));
        }
        return answer;
      },
    };
  }
}
