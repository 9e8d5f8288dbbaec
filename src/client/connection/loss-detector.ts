/** A ping asks the hub what it has open. What is missing there, or is there and was never heard of here, was lost on the way. */

import type { NotifyFrame, PongFrame } from '../../core/protocol/frames/frames.ts';

/** What waits when a ping is sent. */
export interface Outstanding {
  /** Requests that were sent and are not answered. */
  readonly requests: readonly string[];
  /** Deliveries the hub waits for a receipt of. */
  readonly deliveries: number;
  readonly invites: number;
  /** The hello that waits for its welcome; null = none does. */
  readonly greeting: object | null;
}

export interface Losses {
  /** The hub has not heard the hello, or its answer was lost. */
  readonly hello: boolean;
  readonly requests: readonly string[];
  /** An envelope, an invite or a receipt. */
  readonly deliveries: boolean;
}

/**
 * A link keeps its order: what was sent before the ping is known to the hub when it answers, and what it sent before the pong
 * has arrived. So no loss is seen where there is none, however slow the hub is.
 */
export class LossDetector {
  private count = 0;
  private asked: { readonly id: string; readonly waiting: Outstanding } | null = null;
  /** Since the ping. */
  private deliveries = 0;
  private invites = 0;

  /** The id of the ping. */
  begin(waiting: Outstanding): string {
    this.count += 1;
    const id = `p${this.count}`;
    this.asked = { id, waiting };
    this.deliveries = 0;
    this.invites = 0;
    return id;
  }

  arrived({ prev_seq }: NotifyFrame): void {
    if (prev_seq === null) this.invites += 1;
    else this.deliveries += 1;
  }

  /** There is another link, and nothing is asked on it yet. */
  forget(): void {
    this.asked = null;
  }

  /** null = this pong tells nothing. */
  compare({ id, open, unacked = 0, invites = 0 }: PongFrame, greeting: object | null): Losses | null {
    const { asked } = this;
    if (asked === null || asked.id !== id || open === undefined) return null;
    this.asked = null;
    const { waiting } = asked;
    const known = new Set(open);
    return {
      // The answer to a hello comes before the answer to what was asked after it.
      hello: greeting !== null && greeting === waiting.greeting,
      requests: waiting.requests.filter((one) => !known.has(one)),
      deliveries:
        waiting.greeting === null &&
        greeting === null &&
        (unacked > waiting.deliveries + this.deliveries || invites > waiting.invites + this.invites),
    };
  }
}
