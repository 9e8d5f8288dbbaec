/** Detects lost frames: compares the open items in a pong with this client's. Any difference means a frame was lost. */

import type { NotifyFrame, PongFrame } from '../../core/protocol/frames/frames.ts';

/** The items open on this side when a ping is sent. */
export interface Outstanding {
  readonly requests: readonly string[];
  /** Number of deliveries without a receipt. */
  readonly deliveries: number;
  readonly invites: number;
  /** The pending hello; null if there is none. */
  readonly greeting: object | null;
}

export interface Losses {
  /** The hello or its answer was lost. */
  readonly hello: boolean;
  readonly requests: readonly string[];
  /** An envelope, an invite or a receipt was lost. */
  readonly deliveries: boolean;
}

/** Links preserve order, so a pong reflects everything sent before its ping. A slow hub causes no false alarm. */
export class LossDetector {
  private count = 0;
  private asked: { readonly id: string; readonly waiting: Outstanding } | null = null;
  private deliveries = 0;
  private invites = 0;

  /** Returns the id of the ping. */
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

  /** The link was replaced: no ping is pending on the new one. */
  forget(): void {
    this.asked = null;
  }

  /** Returns null if the pong answers no pending ping or lists no open items. */
  compare({ id, open, unacked = 0, invites = 0 }: PongFrame, greeting: object | null): Losses | null {
    const { asked } = this;
    if (asked === null || asked.id !== id || open === undefined) return null;
    this.asked = null;
    const { waiting } = asked;
    const known = new Set(open);
    return {
      // If the hub had received this hello, its welcome would precede the pong.
      hello: greeting !== null && greeting === waiting.greeting,
      requests: waiting.requests.filter((one) => !known.has(one)),
      deliveries:
        waiting.greeting === null &&
        greeting === null &&
        (unacked > waiting.deliveries + this.deliveries || invites > waiting.invites + this.invites),
    };
  }
}
