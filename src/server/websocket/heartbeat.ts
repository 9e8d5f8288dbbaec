/** Notices sockets whose peer is gone without a word: pings them, and ends those that were silent for too long. */

/** A connection, as far as its life is concerned. */
export interface HeartbeatPeer {
  /** When it was last heard of, on the monotonic clock. */
  readonly heardAt: number;
  ping(): void;
  destroy(): void;
}

export interface HeartbeatTimes {
  readonly pingMs: number;
  readonly silentMs: number;
}

export class Heartbeat {
  private readonly endpoints: ReadonlySet<HeartbeatPeer>;
  private readonly times: HeartbeatTimes;
  private readonly now: () => number;
  private readonly timer: NodeJS.Timeout;

  constructor(endpoints: ReadonlySet<HeartbeatPeer>, times: HeartbeatTimes, now: () => number) {
    this.endpoints = endpoints;
    this.times = times;
    this.now = now;
    this.timer = setInterval(() => this.beat(), times.pingMs / 4);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Who speaks need not be asked; who does not gets a ping at every beat until it does. */
  private beat(): void {
    const now = this.now();
    for (const endpoint of this.endpoints) {
      const silentMs = now - endpoint.heardAt;
      if (silentMs > this.times.silentMs) endpoint.destroy();
      else if (silentMs > this.times.pingMs * 0.75) endpoint.ping();
    }
  }
}
