/** Pings silent sockets, and destroys sockets that stay silent for too long. */

/** The part of a connection used here. */
interface HeartbeatPeer {
  /** When the peer last sent anything, on the monotonic clock. */
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

  /** Destroys peers that are silent for too long; pings a quiet peer at every beat until it answers. */
  private beat(): void {
    const now = this.now();
    for (const endpoint of this.endpoints) {
      const silentMs = now - endpoint.heardAt;
      if (silentMs > this.times.silentMs) endpoint.destroy();
      else if (silentMs > this.times.pingMs * 0.75) endpoint.ping();
    }
  }
}
