/** Who is here, and who was: agents with a connection, agents that take part by requests alone, and when each was last seen. */

import type { Clock } from '../../core/ports/platform.ts';

/** An agent that takes part by requests alone looks in more often than that while it waits. */
const HERE_MS = 60_000;

export class Presence {
  private readonly clock: Clock;
  private readonly isBound: (agentId: string) => boolean;
  private readonly leftMs = new Map<string, number>();
  private readonly lookedInMs = new Map<string, number>();
  /** When the hub began; an agent not seen since counts from then. */
  readonly startedMs: number;

  constructor(clock: Clock, isBound: (agentId: string) => boolean) {
    this.clock = clock;
    this.isBound = isBound;
    this.startedMs = clock.now();
  }

  left(agentId: string): void {
    this.leftMs.set(agentId, this.clock.now());
  }

  looksIn(agentId: string): void {
    this.lookedInMs.set(agentId, this.clock.now());
  }

  lastSeenMs(agentId: string): number {
    return this.leftMs.get(agentId) ?? this.startedMs;
  }

  /** Connected, or it looked in just now. */
  isHere(agentId: string): boolean {
    if (this.isBound(agentId)) return true;
    const atMs = this.lookedInMs.get(agentId);
    if (atMs === undefined) return false;
    if (this.clock.now() - atMs < HERE_MS) return true;
    this.lookedInMs.delete(agentId);
    return false;
  }
}
